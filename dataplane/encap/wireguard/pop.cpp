#include "dataplane/encap/wireguard/pop.h"

#include "dataplane/encap/ecn.h"
#include "dataplane/encap/inner_packet.h"
#include "dataplane/encap/outer_datagram.h"
#include "dataplane/wire/udp.h"

namespace overlane::wireguard {
namespace {

/// The TOS that is left to combine with the inner one.
std::uint8_t tos_that_counts(std::uint8_t outer, std::span<const std::uint8_t> inner) {
  const bool ipv4 = encap::family_of(inner) == Family::Ipv4;
  const std::uint32_t tos = ipv4 ? encap::PlainIp<Family::Ipv4>::tos(inner.data())
                                 : encap::PlainIp<Family::Ipv6>::tos(inner.data());
  const auto combined =
      encap::inner_ecn(encap::ecn_of(static_cast<std::uint8_t>(tos)), encap::ecn_of(outer));
  return combined ? outer : std::uint8_t{0};
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

}  // namespace overlane::wireguard
