#include "dataplane/neighbour/address_kind.h"
#include "dataplane/neighbour/link.h"

namespace overlane::neighbour {

// As arp_rcv and arp_process have it (net/ipv4/arp.c).
void Link::hear_arp(const wire::EthernetHeader& ethernet, std::span<const std::uint8_t> bytes,
                    Picos now, ArpNdWriter& voice) {
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
    // Someone looks for others that have its new address (RFC 5227): not for those behind us.
    if (is_unspecified(packet->sender)) {
      if (is_here) voice.answer(*packet);
      return;
    }
    if (is_elsewhere(packet->sender) && (is_here || (answers_.proxy_arp && !is_gratuitous))) {
      table_.hear(
          packet->sender,
          {.mac = packet->sender_mac, .overrides = Evidence::Override::Yes, .creates = true}, now,
          voice);
      return voice.answer(*packet);
    }
  }
  if (!is_elsewhere(packet->sender)) return;
  const bool is_announced =
      is_gratuitous && (is_request || packet->target_mac == packet->sender_mac);
  table_.hear(packet->sender,
              {.mac = packet->sender_mac,
               .confirms = !is_request && ethernet.destination == mac_,
               .overrides = is_announced ? Evidence::Override::Yes : Evidence::Override::AfterLock},
              now, voice);
}

}  // namespace overlane::neighbour
