#include "dataplane/encap/sit/pop.h"

namespace overlane::sit {

Result<encap::Popped, Drop> pop_unusual(std::span<std::uint8_t> packet) {
  const auto outer = encap::read_outer_ipv4(packet);
  if (!outer) return fail(outer.error());
  return encap::pop_ipv4(Encapsulation::Sit, Family::Ipv6, *outer);
}

}  // namespace overlane::sit
