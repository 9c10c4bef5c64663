#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/model/run_report.h"
#include "scenarios/spec/topology_file.h"
#include "sim/fabric/limits.h"
#include "sim/host/machine.h"
#include "topologies/effective/effective_dataplane.h"
#include "topologies/effective/landscape.h"
#include "topologies/manifest/spec/pod_network_spec.h"

namespace overlane::runner {

// The machines of the nodes and the limits of the fabric, and the values that no given document
// sets. A run reports each assumed value with its plausible range, source and tag, so that readers
// can judge the result.

/// Collects the values that no given document sets.
class Assumptions {
 public:
  Assumptions() = default;
  /// Starts with the shoot's assumed values that all variants share: ranges, sizes and link MTU
  /// (not results of a variant's configuration), and IPv6 ranges.
  Assumptions(const effective::EffectiveDataplane& shoot,
              const std::vector<model::Assumption>& ranges)
      : list_(ranges) {
    for (const effective::Reason& reason : shoot.reasons) {
      const bool of_variant =
          reason.field.starts_with("dataplane") && reason.field != "dataplane.link_mtu";
      if (reason.assumed && !of_variant) {
        add(std::string(reason.field), reason.value, "",
            fmt::format("{} ({})", reason.because, reason.source), "default");
      }
    }
  }

  void add(std::string parameter, std::string value, std::string range, std::string source,
           std::string tag) {
    list_.push_back({std::move(parameter), std::move(value), std::move(range), std::move(source),
                     std::move(tag)});
  }

  const std::vector<model::Assumption>& list() const { return list_; }

 private:
  std::vector<model::Assumption> list_;
};

/// The profile of the provider that the documents name.
const provider::Profile& provider_profile(const manifest::PodNetworkSpec& spec);

/// Adds IPv6 ranges to the shoot's status if the cloud chooses them and no document gives them, as
/// the cloud's controller would: from the documentation prefix (RFC 3849). Returns the assumptions;
/// none for providers that do not choose ranges.
std::vector<model::Assumption> assume_ipv6_ranges(manifest::PodNetworkSpec& spec);

/// What connects a provider's nodes if no document says so.
cost::Wire usual_wire(const effective::EffectiveDataplane& shoot, Assumptions& assumptions);

/// The machine of each node. A Topology wins over the CloudProfile, which wins over what the cloud
/// publishes of the machine type; a value that none of them has is assumed. A Topology that gives
/// the NIC describes the whole network of its machines: nothing published about it counts then.
host::Machine machine(const spec::MachineSpec& asked, cost::Wire wire,
                      const effective::EffectiveDataplane& shoot, Assumptions& assumptions);

/// The fabric's limits for such machines: from the file, the landscape, the machine type or the
/// provider. None between namespaces.
fabric::Limits limits(const spec::VpcSpec& vpc, const spec::ShootSpec& shoot,
                      const host::Machine& machine, const effective::EffectiveDataplane& effective,
                      const effective::Landscape& landscape, Assumptions& assumptions);

/// The machine for the report; nothing for namespaces, which have neither NICs nor machine types.
std::optional<model::NodeMachine> machine_facts(const spec::MachineSpec& asked, cost::Wire wire,
                                                const effective::NodeMachine& node,
                                                const host::Machine& machine,
                                                const fabric::Limits& limits);

}  // namespace overlane::runner
