#include "dataplane/encap/udp_tunnel.h"

namespace overlane::encap {
namespace {

bool checksum_is_right(const OuterPacket& outer, std::span<const std::uint8_t> datagram) {
  const bool ipv4 = outer.bytes[0] >> 4 == 4;
  const auto addresses = ipv4 ? outer.bytes.subspan(12, 8) : outer.bytes.subspan(8, 32);
  const std::uint32_t sum = std::uint32_t{ones_complement_sum(addresses)} + kUdp +
                            static_cast<std::uint32_t>(datagram.size()) +
                            ones_complement_sum(datagram);
  return fold(sum) == 0xffff;
}

}  // namespace

Result<OuterPacket, Drop> read_udp(const OuterPacket& outer, bool zero_over_ipv6) {
  if (outer.protocol != kUdp) return fail(Drop::UnsupportedProtocol);
  const auto payload = outer.payload();
  if (payload.size() < kUdpBytes) return fail(Drop::Malformed);
  const bool ipv6 = outer.bytes[0] >> 4 == 6;
  std::size_t length = load_be16(payload.data() + 4);
  if (ipv6 && length == 0) length = payload.size();
  if (length < kUdpBytes || length > payload.size()) return fail(Drop::Malformed);
  const bool has_checksum = load_be16(payload.data() + 6) != 0;
  if (!has_checksum && ipv6 && !zero_over_ipv6) return fail(Drop::BadChecksum);
  if (has_checksum && !checksum_is_right(outer, payload.first(length))) {
    return fail(Drop::BadChecksum);
  }
  OuterPacket datagram = outer;
  datagram.bytes = outer.bytes.first(outer.header_bytes + length);
  return datagram;
}

}  // namespace overlane::encap
