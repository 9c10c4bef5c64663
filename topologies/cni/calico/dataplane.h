#pragma once

#include <cstdint>
#include <string_view>

#include "results/base/result.h"
#include "results/finding/finding.h"
#include "topologies/cni/calico/config.h"
#include "topologies/effective/effective_dataplane.h"
#include "topologies/effective/network_inputs.h"

namespace overlane::calico {

// The dataplane that networking-calico derives from a NetworkConfig: overlay or routed, the
// encapsulation, the writer of routes to pods, MTUs, encryption and masquerading. The extension
// decides by the key overlay.enabled first, then by vxlan, backend and pool mode; the combinations
// are the rows T1 to T10 and D1 to D4 of the truth table, and a combination outside it is an error,
// never a guess. Each value carries its Provenance: why, from which file, and whether it is
// assumed. All functions are pure.

/// A row of the truth table: T1 to T10 for IPv4-only shoots, D1 to D4 with IPv6
/// (docs/reference/effective-dataplane.md).
enum class RowId : std::uint8_t { T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, D1, D2, D3, D4 };

/// "T1".
std::string_view to_string(RowId id);

/// The dataplane of calico-node for each IP family.
struct Dataplanes {
  RowId row{};
  effective::DecidedDataplane primary;
  std::optional<effective::DecidedDataplane> secondary;  ///< Set in dual-stack.
  std::string_view not_modelled_because;  ///< See cni::NetworkDecision::not_modelled_because.
};

/// Derives the dataplanes by the rows of the truth table of gardener-extension-networking-calico
/// (actuator and chart values together): T1…T10 for IPv4 shoots, D1…D4 for shoots with IPv6.
/// Combinations without a row fail with "unsupported-combination".
Result<Dataplanes> decide_dataplanes(const NetworkConfig& config,
                                     const effective::NetworkInputs& inputs,
                                     effective::CalicoVersion version);

/// The value of snatToUpstreamDNS, which the chart reads only if overlay.enabled is false.
effective::Decided<bool> decide_dns_snat(const NetworkConfig& config,
                                         const effective::NetworkInputs& inputs);

/// Masquerading by natOutgoing of the pools: a pod's packet to an address outside all pools gets
/// the node's address.
effective::DecidedMasquerade decide_masquerade(const NetworkConfig& config,
                                               const effective::NetworkInputs& inputs);

}  // namespace overlane::calico
