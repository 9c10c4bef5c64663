#include "dataplane/encap/ipip/pop.h"

#include "dataplane/encap/ip_in_ipv4.h"

namespace overlane::ipip {

Result<encap::Popped, Drop> pop(std::span<std::uint8_t> packet) {
  return encap::pop_ipv4(Encapsulation::Ipip, Family::Ipv4, packet);
}

}  // namespace overlane::ipip
