#include "dataplane/encap/vxlan/pop.h"

#include "dataplane/encap/inner_ethernet.h"
#include "dataplane/encap/udp_tunnel.h"

namespace overlane::vxlan {
namespace {

const std::uint8_t* header(const encap::Popped& popped) {
  return popped.headers.data() + popped.outer_bytes + encap::kUdpBytes;
}

}  // namespace

Result<encap::Popped, Drop> pop_unusual(std::span<std::uint8_t> packet, const Accepts& accepts) {
  const auto outer = encap::read_outer(packet);
  if (!outer) return fail(outer.error());
  return pop_outer(*outer, accepts);
}

std::uint32_t vni(const encap::Popped& popped) {
  return load_be24(header(popped) + 4);
}
MacAddress inner_destination(const encap::Popped& popped) {
  return encap::mac_at(header(popped) + kHeaderBytes);
}
MacAddress inner_source(const encap::Popped& popped) {
  return encap::mac_at(header(popped) + kHeaderBytes + 6);
}

}  // namespace overlane::vxlan
