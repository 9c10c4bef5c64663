#include "dataplane/encap/wireguard/push.h"

#include <algorithm>
#include <cassert>

#include "dataplane/encap/outer_rules.h"

namespace overlane::wireguard {
namespace {

encap::OuterRules rules_of(const Tunnel& tunnel) {
  encap::OuterRules rules =
      encap::outer_rules(Encapsulation::Wireguard, tunnel.destination.family());
  rules.destination_port = rules.first_source_port = rules.last_source_port = tunnel.port;
  return rules;
}

}  // namespace

Pusher::Pusher(const Tunnel& tunnel)
    : outer_(rules_of(tunnel), tunnel.source, tunnel.destination), mtu_(tunnel.mtu) {
  wire::write_wireguard_transport(tunnel.receiver, 0, header_);
  header_sum_ = network_order(ones_complement_sum(header_));
}

Result<std::span<std::uint8_t>, Drop> Pusher::push(std::span<std::uint8_t> buffer, std::size_t room,
                                                   const encap::PerPacket& per_packet) const {
  assert(room >= headroom() && room + kTailBytes <= buffer.size());
  const std::span<std::uint8_t> packet = buffer.subspan(room, buffer.size() - room - kTailBytes);
  return encap::family_of(packet) == Family::Ipv4 ? push_whole<Family::Ipv4>(packet, per_packet)
                                                  : push_whole<Family::Ipv6>(packet, per_packet);
}

template <Family kInner>
Result<std::span<std::uint8_t>, Drop> Pusher::push_whole(std::span<std::uint8_t> packet,
                                                         const encap::PerPacket& per_packet) const {
  const auto length = static_cast<std::uint32_t>(packet.size());
  const std::uint32_t tail = padding(length, mtu_) + std::uint32_t{wire::kWireguardTagBytes};
  const std::uint32_t added = tail + static_cast<std::uint32_t>(header_.size());
  if (!encap::is_whole<kInner>(packet, outer_.largest_payload() - added)) {
    return fail(Drop::Malformed);
  }
  std::fill_n(packet.data() + length, tail, std::uint8_t{0});
  std::uint8_t* header = packet.data() - header_.size();
  std::ranges::copy(header_, header);
  std::uint8_t* outer =
      outer_.write<kInner>({header, length + added}, packet, header_sum_, per_packet);
  return std::span(outer, packet.data() + length + tail);
}

}  // namespace overlane::wireguard
