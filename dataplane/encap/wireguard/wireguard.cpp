#include "dataplane/encap/wireguard/wireguard.h"

#include <algorithm>
#include <cassert>

#include "dataplane/encap/inner_packet.h"
#include "dataplane/encap/outer_rules.h"
#include "dataplane/encap/popped.h"
#include "dataplane/wire/transport.h"

namespace overlane::wireguard {
namespace {

/// The outer TOS to combine with the inner one: 0 if RFC 6040 would drop the packet, because
/// WireGuard ignores that result.
std::uint8_t tos_that_counts(std::uint8_t outer, std::span<const std::uint8_t> inner) {
  const bool ipv4 = encap::family_of(inner) == Family::Ipv4;
  const std::uint32_t tos = ipv4 ? encap::PlainIp<Family::Ipv4>::tos(inner.data())
                                 : encap::PlainIp<Family::Ipv6>::tos(inner.data());
  const auto combined =
      encap::inner_ecn(encap::ecn_of(static_cast<std::uint8_t>(tos)), encap::ecn_of(outer));
  return combined ? outer : std::uint8_t{0};
}

encap::OuterRules rules_of(const Tunnel& tunnel) {
  encap::OuterRules rules =
      encap::outer_rules(Encapsulation::Wireguard, tunnel.destination.family());
  rules.destination_port = rules.first_source_port = rules.last_source_port = tunnel.port;
  return rules;
}

}  // namespace

Result<encap::Popped, Drop> pop(std::span<std::uint8_t> packet) {
  const auto outer = encap::read_outer(packet);
  if (!outer) return fail(outer.error());
  const auto read = encap::read_udp(*outer, false);
  if (!read) return fail(read.error());
  encap::OuterPacket datagram = *read;
  const std::size_t message_at = datagram.header_bytes + wire::kUdpBytes;
  const auto header = wire::parse_wireguard(datagram.bytes.subspan(message_at));
  if (!header) return fail(header.error());
  const std::size_t offset = message_at + wire::kWireguardHeaderBytes;
  const bool has_packet = header->type == wire::kWireguardTransport &&
                          datagram.bytes.size() > offset + wire::kWireguardTagBytes;
  if (!has_packet) return fail(Drop::UnsupportedProtocol);
  datagram.bytes = datagram.bytes.first(datagram.bytes.size() - wire::kWireguardTagBytes);
  const std::span<std::uint8_t> inner = datagram.bytes.subspan(offset);
  if (inner.size() < wire::kIpv4Bytes) return fail(Drop::Malformed);
  datagram.tos = tos_that_counts(datagram.tos, inner);
  return encap::popped(packet, encap::take_inner(datagram, offset, encap::family_of(inner)));
}

std::uint32_t receiver(const encap::Popped& popped) {
  const auto read = wire::inspect_wireguard(popped.tunnel_headers().subspan(wire::kUdpBytes));
  return read && read->header.receiver ? *read->header.receiver : 0;
}

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
