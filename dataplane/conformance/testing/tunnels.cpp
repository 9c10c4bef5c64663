#include "dataplane/conformance/testing/tunnels.h"

#include <fmt/format.h>

namespace overlane::conformance::testing {

IpAddress Tunnel::own_pod() const {
  return pods == Family::Ipv4 ? pod(0) : pod_v6(0);
}
IpAddress Tunnel::far_pod() const {
  return pods == Family::Ipv4 ? pod(1) : pod_v6(1);
}
std::string Tunnel::delivered(std::uint32_t bytes) const {
  return fmt::format("pod {} > {} udp {} ttl 63", far_pod().to_string(), own_pod().to_string(),
                     bytes);
}

const std::vector<Tunnel>& tunnels() {
  static const std::vector<Tunnel> all = {
      {"IPIP", kIpip},     {"sit", kSit, Family::Ipv6},
      {"ip6tnl", kIp6Tnl}, {"ip6tnl with IPv6", kIp6Tnl, Family::Ipv6},
      {"VXLAN", kVxlan},   {"VXLAN over IPv6", kVxlan, Family::Ipv6},
      {"Geneve", kGeneve}, {"Geneve over IPv6", kGeneveV6},
  };
  return all;
}

}  // namespace overlane::conformance::testing
