#include "dataplane/encap/ip6tnl/pop.h"

namespace overlane::ip6tnl {

Result<encap::Popped, Drop> pop_unusual(std::span<std::uint8_t> packet) {
  const auto outer = encap::read_outer_ipv6(packet);
  if (!outer) return fail(outer.error());
  return pop_outer(*outer);
}

}  // namespace overlane::ip6tnl
