#include "dataplane/encap/ip6tnl/pop.h"

namespace overlane::ip6tnl {

encap::Parts parts_of(std::span<std::uint8_t> packet) {
  const auto outer = encap::read_outer_ipv6(packet);
  if (!outer) return encap::refuse(outer.error());
  for (const Family family : {Family::Ipv4, Family::Ipv6}) {
    if (outer->protocol != encap::outer_protocol(Encapsulation::Ip6Tnl, family)) continue;
    return encap::take_inner(*outer, outer->header_bytes, family);
  }
  return encap::refuse(Drop::UnsupportedProtocol);
}

}  // namespace overlane::ip6tnl
