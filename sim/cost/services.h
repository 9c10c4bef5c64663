#pragma once

#include <compare>
#include <cstdint>

namespace overlane::cost {

/// What turns a Service's address into that of a pod, on the client's node.
enum class ServiceRouting : std::uint8_t {
  Iptables,  ///< kube-proxy: a new connection is compared with one rule after the other.
  Ipvs,      ///< kube-proxy: a hash table.
  Nftables,  ///< kube-proxy: a verdict map.
  Ebpf,      ///< At connect(), in the client's socket (Cilium), so that packets need nothing.
};

/// The Services of a cluster.
struct Services {
  ServiceRouting routing = ServiceRouting::Iptables;
  std::uint32_t count = 1;  ///< At least 1.

  auto operator<=>(const Services&) const = default;
};

}  // namespace overlane::cost
