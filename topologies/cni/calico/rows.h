#pragma once

#include <cstdint>
#include <string_view>

#include "results/finding/finding.h"
#include "topologies/cni/calico/config.h"
#include "topologies/effective/network_inputs.h"

namespace overlane::calico {

/// A row of the truth table: T1 to T10 for IPv4-only shoots, D1 to D4 with IPv6
/// (docs/reference/effective-dataplane.md).
enum class RowId : std::uint8_t { T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, D1, D2, D3, D4 };

/// "T1".
std::string_view to_string(RowId id);

struct Row {
  RowId id;
  effective::Mode mode;
  effective::Encapsulation encapsulation;
  bool cross_subnet;
  effective::Backend backend;
  effective::RoutesBy routes_by;  ///< CloudRouteTable stands for the provider's native routes.
  std::uint32_t overhead;         ///< Bytes that the encapsulation adds.
  std::uint32_t mtu_cut;          ///< Bytes that Felix subtracts for enabled tunnels.
  const char* consequence;
};

struct Choice {
  const Row* row = nullptr;
  effective::Provenance basis;
};

/// The row that the extension's order of decisions leads to. Fails with "unsupported-combination"
/// where none is known.
Result<Choice> choose_row(const NetworkConfig& config, const effective::NetworkInputs& inputs);

}  // namespace overlane::calico
