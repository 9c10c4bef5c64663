#include "dataplane/encap/ipip/pop.h"

namespace overlane::ipip {

Result<encap::Popped, Drop> pop_unusual(std::span<std::uint8_t> packet) {
  const auto outer = encap::read_outer_ipv4(packet);
  if (!outer) return fail(outer.error());
  return encap::pop_ipv4(Encapsulation::Ipip, Family::Ipv4, *outer);
}

}  // namespace overlane::ipip
