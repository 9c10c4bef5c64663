#include "dataplane/encap/ip_in_ipv4/ip_in_ipv4.h"

namespace overlane::encap {

Parts parts_of_ipv4(std::span<std::uint8_t> packet, std::uint8_t protocol, Family family) {
  const auto outer = read_outer_ipv4(packet);
  if (!outer) return refuse(outer.error());
  if (outer->protocol != protocol) return refuse(Drop::UnsupportedProtocol);
  return take_inner(*outer, outer->header_bytes, family);
}

}  // namespace overlane::encap
