#include "dataplane/neighbour/link.h"

#include <algorithm>
#include <cassert>

#include "dataplane/neighbour/address_kind.h"
#include "dataplane/wire/icmp.h"
#include "dataplane/wire/ip.h"

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
  ArpNdWriter writer = writer_to(events);
  if (ethernet->ether_type == wire::kEtherTypeIpv6)
    return receive_ipv6(*ethernet, payload, now, writer);
  if (ethernet->ether_type != wire::kEtherTypeArp) return false;
  if (is_for_us(*ethernet)) receive_arp(*ethernet, payload, now, writer);
  return true;
}

void Link::send_packet(const IpAddress& next_hop, std::span<const std::uint8_t> packet, Mark mark,
                       Picos now, LinkEvents& events) {
  assert(!packet.empty());
  if (!is_elsewhere(next_hop)) return events.undelivered(next_hop, packet, mark);
  ArpNdWriter writer = writer_to(events);
  table_.send(next_hop, {packet, mark}, now, writer);
}

void Link::resolve_address(const IpAddress& next_hop, Picos now, LinkEvents& events) {
  if (!is_elsewhere(next_hop)) return;
  ArpNdWriter writer = writer_to(events);
  table_.resolve(next_hop, now, writer);
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

// Follows arp_rcv and arp_process (net/ipv4/arp.c).
void Link::receive_arp(const wire::EthernetHeader& ethernet, std::span<const std::uint8_t> bytes,
                       Picos now, ArpNdWriter& writer) {
  const auto packet = wire::parse_arp(bytes);
  if (!packet || !is_port(ethernet.source) || !is_port(packet->sender_mac)) {
    ++malformed_;
    return;
  }
  const bool is_request = packet->operation == wire::kArpRequest;
  if (!is_request && packet->operation != wire::kArpReply) return;
  if (!is_host(packet->target)) return;
  const bool is_gratuitous = packet->target == packet->sender;
  if (is_request) {
    const bool is_here = owns(packet->target);
    // A host checks whether its new address is in use (RFC 5227). Proxy ARP does not answer that.
    if (is_unspecified(packet->sender)) {
      if (is_here) writer.answer(*packet);
      return;
    }
    if (is_elsewhere(packet->sender) && (is_here || (answers_.proxy_arp && !is_gratuitous))) {
      table_.update(
          packet->sender,
          {.mac = packet->sender_mac, .overrides = Evidence::Override::Yes, .creates = true}, now,
          writer);
      return writer.answer(*packet);
    }
  }
  if (!is_elsewhere(packet->sender)) return;
  const bool is_announced =
      is_gratuitous && (is_request || packet->target_mac == packet->sender_mac);
  table_.update(
      packet->sender,
      {.mac = packet->sender_mac,
       .confirms = !is_request && ethernet.destination == mac_,
       .overrides = is_announced ? Evidence::Override::Yes : Evidence::Override::AfterLock},
      now, writer);
}

namespace {

/// Returns whether the type is of multicast listener discovery (RFC 2710, RFC 3810) or of RFC 4861.
bool is_upkeep(std::uint8_t type) {
  constexpr std::uint8_t kListenerQuery = 130;
  constexpr std::uint8_t kListenerReport2 = 143;
  return (type >= kListenerQuery && type <= wire::kIcmpv6Redirect) || type == kListenerReport2;
}

}  // namespace

bool Link::receive_ipv6(const wire::EthernetHeader& ethernet, std::span<const std::uint8_t> packet,
                        Picos now, ArpNdWriter& writer) {
  const auto ip = wire::parse_ipv6(packet);
  if (!ip) return false;
  const bool stays =
      is_multicast(ip->destination) || is_link_local(ip->destination) || owns(ip->destination);
  if (!stays) return false;
  packet = wire::packet_of(*ip, packet);
  const auto upper = wire::find_upper_layer(packet);
  if (!upper || upper->protocol != wire::kIcmpv6 || upper->is_fragment()) return false;
  const auto message = packet.subspan(upper->offset);
  if (message.empty() || !is_upkeep(message[0])) return false;
  const bool is_neighbour =
      message[0] == wire::kNeighbourSolicitation || message[0] == wire::kNeighbourAdvertisement;
  if (is_neighbour && is_for_us(ethernet)) receive_neighbour(ethernet, *ip, message, now, writer);
  return true;
}

// Follows ndisc_rcv (net/ipv6/ndisc.c).
void Link::receive_neighbour(const wire::EthernetHeader& ethernet, const wire::Ipv6Header& ip,
                             std::span<const std::uint8_t> message, Picos now,
                             ArpNdWriter& writer) {
  const auto parsed = wire::parse_neighbour_message(message);
  const bool is_sound = ip.hop_limit == wire::kDiscoveryHopLimit && !is_multicast(ip.source) &&
                        wire::parse_icmpv6(ip.source, ip.destination, message) && parsed &&
                        is_port(ethernet.source) && (!parsed->mac || is_port(*parsed->mac)) &&
                        !is_multicast(parsed->target);
  if (!is_sound) {
    ++malformed_;
  } else if (parsed->type == wire::kNeighbourSolicitation) {
    receive_solicitation(ethernet, ip, *parsed, now, writer);
  } else {
    receive_advertisement(ip, *parsed, now, writer);
  }
}

// ndisc_recv_ns
void Link::receive_solicitation(const wire::EthernetHeader& ethernet, const wire::Ipv6Header& ip,
                                const wire::NeighbourMessage& message, Picos now,
                                ArpNdWriter& writer) {
  wire::NeighbourMessage answer{.type = wire::kNeighbourAdvertisement,
                                .router = true,
                                .overrides = true,
                                .target = message.target,
                                .mac = mac_};
  const bool is_multicast_request = is_multicast(ip.destination);
  if (is_unspecified(ip.source)) {
    // A host checks whether its new address is in use (RFC 4862, section 5.4).
    if (message.mac || !is_solicited_node(ip.destination)) {
      ++malformed_;
    } else if (owns(message.target)) {
      const IpAddress everyone = all_nodes();
      writer.answer(answer, everyone, multicast_mac(everyone));
    }
    return;
  }
  if (!owns(message.target) || !is_elsewhere(ip.source)) return;
  table_.update(ip.source,
                {.mac = message.mac, .overrides = Evidence::Override::Yes, .creates = true}, now,
                writer);
  const auto known = message.mac ? message.mac : table_.find(ip.source);
  if (is_multicast_request && !known) return;
  answer.solicited = true;
  if (!is_multicast_request) {
    // The sender knows this port's MAC already.
    answer.overrides = false;
    answer.mac.reset();
  }
  writer.answer(answer, ip.source, known.value_or(ethernet.source));
}

// ndisc_recv_na
void Link::receive_advertisement(const wire::Ipv6Header& ip, const wire::NeighbourMessage& message,
                                 Picos now, ArpNdWriter& writer) {
  if (message.solicited && is_multicast(ip.destination)) {
    ++malformed_;
    return;
  }
  const IpAddress target = message.target;
  if (!is_elsewhere(target)) return;
  table_.update(
      target,
      {.mac = message.mac,
       .confirms = message.solicited,
       .overrides = message.overrides ? Evidence::Override::Yes : Evidence::Override::Weak},
      now, writer);
}

}  // namespace overlane::neighbour
