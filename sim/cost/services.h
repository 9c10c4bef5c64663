#pragma once

#include <compare>
#include <cstdint>

namespace overlane::cost {

/// What translates a Service's address to that of a pod, on the client's node.
enum class ServiceRouting : std::uint8_t {
  Iptables,  ///< kube-proxy: a new connection is compared with one rule after another.
  Ipvs,      ///< kube-proxy: a hash table.
  Nftables,  ///< kube-proxy: a verdict map.
  Ebpf,      ///< Cilium, at connect() in the client's socket: no cost per packet.
};

/// The Services of a cluster.
struct Services {
  ServiceRouting routing = ServiceRouting::Iptables;
  std::uint32_t count = 1;  ///< At least 1.

  auto operator<=>(const Services&) const = default;
};

}  // namespace overlane::cost
