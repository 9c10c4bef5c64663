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

}  // namespace overlane::encap
