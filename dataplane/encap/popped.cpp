#include "dataplane/encap/popped.h"

namespace overlane::encap {
namespace {

IpAddress address(std::span<const std::uint8_t> header, bool second) {
  if (header[0] >> 4 == 4) return Ipv4Address{load_be32(header.data() + (second ? 16 : 12))};
  const std::uint8_t* at = header.data() + (second ? 24 : 8);
  IpAddress ipv6;
  ipv6.high = load_be64(at);
  ipv6.low = load_be64(at + 8);
  return ipv6;
}

}  // namespace

IpAddress Popped::source() const {
  return address(headers, false);
}
IpAddress Popped::destination() const {
  return address(headers, true);
}

Parts take_inner(const OuterPacket& outer, std::size_t offset, Family family) {
  const std::span<std::uint8_t> rest = outer.bytes.subspan(offset);
  const std::uint32_t length = whole_bytes(rest, family);
  if (length == 0) return refuse(Drop::Malformed);
  const std::uint8_t* at = rest.data();
  const std::uint32_t tos =
      family == Family::Ipv4 ? PlainIp<Family::Ipv4>::tos(at) : PlainIp<Family::Ipv6>::tos(at);
  const Ecn before = ecn_of(static_cast<std::uint8_t>(tos));
  const auto after = inner_ecn(before, ecn_of(outer.tos));
  if (!after) return refuse(Drop::EcnCorrupted);
  if (*after != before) set_ecn(rest.data(), family, *after);
  return {.outer_bytes = outer.header_bytes,
          .header_bytes = static_cast<std::uint32_t>(offset),
          .inner_bytes = length,
          .inner_family = family};
}

}  // namespace overlane::encap
