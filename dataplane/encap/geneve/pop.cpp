#include "dataplane/encap/geneve/pop.h"

#include "dataplane/encap/inner_ethernet.h"
#include "dataplane/encap/udp_tunnel.h"

namespace overlane::geneve {
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
bool is_control(const encap::Popped& popped) {
  return (header(popped)[1] & kControl) != 0;
}
bool has_critical_options(const encap::Popped& popped) {
  return (header(popped)[1] & kCritical) != 0;
}
std::span<const std::uint8_t> options(const encap::Popped& popped) {
  return {header(popped) + kHeaderBytes, option_bytes(header(popped)[0])};
}
bool has_ethernet(const encap::Popped& popped) {
  return load_be16(header(popped) + 2) == wire::kEtherTypeBridging;
}
MacAddress inner_destination(const encap::Popped& popped) {
  return encap::mac_at(options(popped).data() + options(popped).size());
}
MacAddress inner_source(const encap::Popped& popped) {
  return encap::mac_at(options(popped).data() + options(popped).size() + 6);
}

}  // namespace overlane::geneve
