#pragma once

#include <cstdint>

#include "results/finding/result.h"
#include "topologies/cni/calico/config.h"
#include "topologies/effective/network_inputs.h"

namespace overlane::calico {

/// One row of the truth table, T1 to T10 for IPv4-only shoots and D1 to D4 with IPv6
/// (docs/reference/effective-dataplane.md).
struct Row {
  const char* name;
  effective::Mode mode;
  effective::Encapsulation encapsulation;
  bool cross_subnet;
  effective::Backend backend;
  effective::RoutesBy routes_by;  ///< CloudRouteTable stands for the provider's native routes.
  std::uint32_t overhead;         ///< Bytes that the encapsulation adds.
  std::uint32_t mtu_cut;          ///< Bytes that Felix takes off for the tunnels it keeps enabled.
  const char* consequence;
};

struct Choice {
  const Row* row = nullptr;
  effective::Basis basis;
};

/// The row that the extension's order of decisions leads to. Fails with "unsupported-combination"
/// where none is known.
Result<Choice> choose_row(const NetworkConfig& config, const effective::NetworkInputs& inputs);

}  // namespace overlane::calico
