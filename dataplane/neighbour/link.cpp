#include "dataplane/neighbour/link.h"

#include <algorithm>
#include <cassert>

#include "dataplane/neighbour/address_kind.h"

namespace overlane::neighbour {

Link::Link(const Settings& settings) : mac_(settings.mac), table_(settings) {
  set_answers(settings.answers);
}

void Link::set_answers(const Answers& answers) {
  answers_ = answers;
  if (std::ranges::none_of(answers_.own, is_link_local)) answers_.own.push_back(link_local(mac_));
}

bool Link::take(std::span<const std::uint8_t> frame, Picos now, LinkEvents& events) {
  const auto ethernet = wire::parse_ethernet(frame);
  if (!ethernet) return false;
  const auto payload = frame.subspan(wire::kEthernetBytes);
  ArpNdWriter voice = voice_to(events);
  if (ethernet->ether_type == wire::kEtherTypeIpv6)
    return hear_ipv6(*ethernet, payload, now, voice);
  if (ethernet->ether_type != wire::kEtherTypeArp) return false;
  if (is_for_us(*ethernet)) hear_arp(*ethernet, payload, now, voice);
  return true;
}

void Link::send_packet(const IpAddress& next_hop, std::span<const std::uint8_t> packet, Mark mark,
                       Picos now, LinkEvents& events) {
  assert(!packet.empty());
  if (!is_elsewhere(next_hop)) return events.undelivered(next_hop, packet, mark);
  ArpNdWriter voice = voice_to(events);
  table_.send(next_hop, {packet, mark}, now, voice);
}

void Link::want_address(const IpAddress& next_hop, Picos now, LinkEvents& events) {
  if (!is_elsewhere(next_hop)) return;
  ArpNdWriter voice = voice_to(events);
  table_.want(next_hop, now, voice);
}

bool Link::owns(const IpAddress& address) const {
  return std::ranges::find(answers_.own, address) != answers_.own.end();
}

bool Link::is_elsewhere(const IpAddress& address) const {
  return is_host(address) && !owns(address);
}

bool Link::is_for_us(const wire::EthernetHeader& ethernet) const {
  const bool is_group = (ethernet.destination.bytes[0] & 1) != 0;
  return is_group || ethernet.destination == mac_;
}

}  // namespace overlane::neighbour
