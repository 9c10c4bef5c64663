#include "dataplane/encap/sit/pop.h"

#include "dataplane/encap/ip_in_ipv4.h"

namespace overlane::sit {

Result<encap::Popped, Drop> pop(std::span<std::uint8_t> packet) {
  return encap::pop_ipv4(Encapsulation::Sit, Family::Ipv6, packet);
}

}  // namespace overlane::sit
