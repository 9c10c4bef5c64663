#include "dataplane/neighbour/address_kind.h"
#include "dataplane/neighbour/link.h"
#include "dataplane/wire/icmpv6.h"
#include "dataplane/wire/ip_protocol.h"
#include "dataplane/wire/ipv6_extension.h"

namespace overlane::neighbour {
namespace {

/// Multicast listener discovery (RFC 2710, RFC 3810), and all of RFC 4861.
bool is_upkeep(std::uint8_t type) {
  constexpr std::uint8_t kListenerQuery = 130;
  constexpr std::uint8_t kListenerReport2 = 143;
  return (type >= kListenerQuery && type <= wire::kIcmpv6Redirect) || type == kListenerReport2;
}

}  // namespace

bool Link::hear_ipv6(const wire::EthernetHeader& ethernet, std::span<const std::uint8_t> packet,
                     Picos now, ArpNdWriter& voice) {
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
  if (is_neighbour && is_for_us(ethernet)) hear_neighbour(ethernet, *ip, message, now, voice);
  return true;
}

// As ndisc_rcv has it (net/ipv6/ndisc.c).
void Link::hear_neighbour(const wire::EthernetHeader& ethernet, const wire::Ipv6Header& ip,
                          std::span<const std::uint8_t> message, Picos now, ArpNdWriter& voice) {
  const auto parsed = wire::parse_neighbour_message(message);
  const bool is_sound = ip.hop_limit == wire::kDiscoveryHopLimit && !is_multicast(ip.source) &&
                        wire::parse_icmpv6(ip.source, ip.destination, message) && parsed &&
                        is_port(ethernet.source) && (!parsed->mac || is_port(*parsed->mac)) &&
                        !is_multicast(parsed->target);
  if (!is_sound) {
    ++malformed_;
  } else if (parsed->type == wire::kNeighbourSolicitation) {
    hear_solicitation(ethernet, ip, *parsed, now, voice);
  } else {
    hear_advertisement(ip, *parsed, now, voice);
  }
}

// ndisc_recv_ns
void Link::hear_solicitation(const wire::EthernetHeader& ethernet, const wire::Ipv6Header& ip,
                             const wire::NeighbourMessage& message, Picos now, ArpNdWriter& voice) {
  wire::NeighbourMessage answer{.type = wire::kNeighbourAdvertisement,
                                .router = true,
                                .overrides = true,
                                .target = message.target,
                                .mac = mac_};
  const bool is_multicast_question = is_multicast(ip.destination);
  if (is_unspecified(ip.source)) {
    // Someone looks for others that have its new address (RFC 4862, section 5.4).
    if (message.mac || !is_solicited_node(ip.destination)) {
      ++malformed_;
    } else if (owns(message.target)) {
      const IpAddress everyone = all_nodes();
      voice.answer(answer, everyone, multicast_mac(everyone));
    }
    return;
  }
  if (!owns(message.target) || !is_elsewhere(ip.source)) return;
  table_.hear(ip.source,
              {.mac = message.mac, .overrides = Evidence::Override::Yes, .creates = true}, now,
              voice);
  const auto known = message.mac ? message.mac : table_.find(ip.source);
  if (is_multicast_question && !known) return;
  answer.solicited = true;
  if (!is_multicast_question) {
    // The asker has our MAC already.
    answer.overrides = false;
    answer.mac.reset();
  }
  voice.answer(answer, ip.source, known.value_or(ethernet.source));
}

// ndisc_recv_na
void Link::hear_advertisement(const wire::Ipv6Header& ip, const wire::NeighbourMessage& message,
                              Picos now, ArpNdWriter& voice) {
  if (message.solicited && is_multicast(ip.destination)) {
    ++malformed_;
    return;
  }
  const IpAddress target = message.target;
  if (!is_elsewhere(target)) return;
  table_.hear(target,
              {.mac = message.mac,
               .confirms = message.solicited,
               .overrides = message.overrides ? Evidence::Override::Yes : Evidence::Override::Weak},
              now, voice);
}

}  // namespace overlane::neighbour
