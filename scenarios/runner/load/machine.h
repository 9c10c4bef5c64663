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

// The machines of the nodes, the limits of the fabric, and the values that no document sets. A run
// reports each assumed value with its plausible range, source and tag, so that readers can judge
// the result.

/// The list of assumed values: values that no document sets.
class Assumptions {
 public:
  Assumptions() = default;
  /// Starts with the assumed values of the shoot that all variants share: ranges, sizes, link MTU
  /// and IPv6 ranges. Values that follow from the configuration of a variant are left out.
  Assumptions(const effective::EffectiveDataplane& shoot,
              const std::vector<model::Assumption>& ranges)
      : list_(ranges) {
    for (const effective::Reason& reason : shoot.reasons) {
      const bool of_variant =
          reason.field.starts_with("dataplane") && reason.field != "dataplane.link_mtu";
      if (reason.assumed && !of_variant) {
        const bool is_mtu = reason.field == "dataplane.link_mtu" && shoot.other_mtu;
        add(std::string(reason.field), reason.value,
            is_mtu ? fmt::format("{} or {}", shoot.other_mtu->link, reason.value) : "",
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

/// Returns the profile of the provider that the documents name.
const provider::Profile& provider_profile(const manifest::PodNetworkSpec& spec);

/// Adds IPv6 ranges from the documentation prefix (RFC 3849) to the shoot's status if the cloud
/// chooses the ranges and no document gives them. Returns the assumptions; none for providers that
/// do not choose ranges.
std::vector<model::Assumption> assume_ipv6_ranges(manifest::PodNetworkSpec& spec);

/// Returns the kind of wire between the provider's nodes if no document gives one.
cost::Wire default_wire(const effective::EffectiveDataplane& shoot, Assumptions& assumptions);

/// Returns the machine of each node. A value comes from the Topology, else from the CloudProfile,
/// else from the published figures of the machine type; otherwise it is assumed. A Topology that
/// gives the NIC describes the whole network of its machines, so that published network figures are
/// not used. The kernel decides whether Calico's VXLAN device has offloads.
host::Machine machine(const spec::ShootSpec& topology_shoot, cost::Wire wire,
                      const effective::EffectiveDataplane& shoot, Assumptions& assumptions);

/// Returns the fabric's limits for such machines, from the Topology file, the landscape, the
/// machine type or the provider. There are no limits between namespaces.
fabric::Limits limits(const spec::VpcSpec& vpc, const spec::ShootSpec& shoot,
                      const host::Machine& machine, const effective::EffectiveDataplane& effective,
                      const effective::Landscape& landscape, Assumptions& assumptions);

/// The assumed hashes of the NIC that decide which core receives a tunnel's packets; those that the
/// Topology gives are absent.
struct AssumedRss {
  std::optional<model::Assumption> of_ipip;
  std::optional<model::Assumption> of_udp_tunnels;  ///< VXLAN and Geneve.

  /// The assumption that matters with this encapsulation.
  const std::optional<model::Assumption>& of(effective::Encapsulation encapsulation) const;
};

/// Returns the assumed hashes of the machine. None if all packets have one core.
AssumedRss assumed_rss(const spec::MachineSpec& asked, cost::Wire wire,
                       const effective::EffectiveDataplane& shoot, const host::Machine& machine);

/// Returns the machine for the report. Nothing for namespaces, which have neither NICs nor machine
/// types.
std::optional<model::NodeMachine> machine_facts(const spec::MachineSpec& asked, cost::Wire wire,
                                                const effective::NodeMachine& node,
                                                const host::Machine& machine,
                                                const fabric::Limits& limits);

}  // namespace overlane::runner
