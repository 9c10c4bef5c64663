#include "dataplane/encap/outer_datagram.h"

#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"
#include "dataplane/wire/ip_protocol.h"
#include "dataplane/wire/udp.h"

namespace overlane::encap {
namespace {

bool udp_checksum_is_right(const std::uint8_t* packet, std::span<const std::uint8_t> datagram) {
  const bool ipv4 = packet[0] >> 4 == 4;
  const std::span addresses(packet + (ipv4 ? 12 : 8), ipv4 ? 8 : 32);
  std::uint32_t sum = ones_complement_sum(addresses);
  sum += wire::kUdp + static_cast<std::uint32_t>(datagram.size());
  sum += ones_complement_sum(datagram);
  return sum % 0xffff == 0;
}

}  // namespace

Result<OuterPacket, Drop> read_udp(const OuterPacket& outer, bool zero_over_ipv6) {
  if (outer.protocol != wire::kUdp) return fail(Drop::UnsupportedProtocol);
  const std::span<std::uint8_t> payload = outer.payload();
  if (payload.size() < wire::kUdpBytes) return fail(Drop::Malformed);
  const bool ipv6 = outer.bytes[0] >> 4 == 6;
  std::size_t length = load_be16(payload.data() + 4);
  if (ipv6 && length == 0) length = payload.size();
  if (length < wire::kUdpBytes || length > payload.size()) return fail(Drop::Malformed);
  const bool has_checksum = load_be16(payload.data() + 6) != 0;
  const bool accepted = has_checksum
                            ? udp_checksum_is_right(outer.bytes.data(), payload.first(length))
                            : !ipv6 || zero_over_ipv6;
  if (!accepted) return fail(Drop::BadChecksum);
  OuterPacket datagram = outer;
  datagram.bytes = outer.bytes.first(outer.header_bytes + length);
  return datagram;
}

}  // namespace overlane::encap
