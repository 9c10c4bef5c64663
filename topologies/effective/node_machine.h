#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "topologies/manifest/spec/pod_network_spec.h"
#include "topologies/provider/machines/machine_types.h"

namespace overlane::effective {

// The machine type of a shoot's nodes and what is known of it. A CloudProfile or
// NamespacedCloudProfile says how many cores a type has (`spec.machineTypes[].cpu`); everything
// else comes from what the cloud publishes (topologies/provider/machines). A missing figure is
// missing here: whoever needs one chooses a default and says so.

struct NodeMachine {
  /// The type of the worker pool with the largest minimum of nodes, the first one of several.
  /// Empty: no pool names a type.
  std::string type;
  std::string pool;  ///< Name of that worker pool.
  SourceLocation place;
  std::vector<std::string> other_types;  ///< Of the other pools, in order of first use.
  std::optional<std::uint32_t> cores;
  std::string cores_source;       ///< Document of `cores`.
  bool cores_by_profile = false;  ///< `cores` is the input's CloudProfile's.
  std::optional<provider::KnownMachine> published;

  /// "Amazon EC2, 2026-08-02": where published figures come from; empty if there are none.
  std::string published_in() const;
};

/// `provider`: `spec.provider.type`; may be empty.
NodeMachine node_machine(const manifest::PodNetworkSpec& spec, std::string_view provider);

/// "2 cores, 750 Mbit/s sustained, 10 Gbit/s in bursts".
std::string describe_machine(const NodeMachine& machine);

/// "750 Mbit/s", "3.125 Gbit/s".
std::string mbps_text(std::uint64_t mbps);

}  // namespace overlane::effective
