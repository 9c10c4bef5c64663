#include "dataplane/encap/ip6tnl/pop.h"

#include "dataplane/encap/outer_rules.h"

namespace overlane::ip6tnl {

Result<encap::Popped, Drop> pop(std::span<std::uint8_t> packet) {
  const auto outer = encap::read_outer_ipv6(packet);
  if (!outer) return fail(outer.error());
  for (const Family family : {Family::Ipv4, Family::Ipv6}) {
    if (outer->protocol == encap::outer_protocol(Encapsulation::Ip6Tnl, family)) {
      return encap::take_inner(*outer, outer->header_bytes, family);
    }
  }
  return fail(Drop::UnsupportedProtocol);
}

}  // namespace overlane::ip6tnl
