#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "results/finding/finding.h"
#include "scenarios/runner/load/prepare.h"
#include "sim/run/inputs/network.h"
#include "sim/run/inputs/run_options.h"
#include "sim/run/run.h"
#include "topologies/compile/compile.h"

namespace overlane::runner {

// One variant of a scenario, from its configuration to a network that can run. lay_out() derives
// the dataplane of the variant, compiles the states of its nodes, adds Services, and checks that
// the paths of the traffic deliver packets.

/// Adds one Service with port 80 for each pod that traffic reaches through a Service, so that the
/// traffic pattern determines the endpoints. Its addresses are in the shoot's service range, after
/// those of the API server and the cluster DNS. Fails with `impossible-topology` if the range is
/// too small.
Result<void> add_services(const Prepared& prepared, const effective::EffectiveDataplane& shoot,
                          Family family, compile::Compiled& states);

/// The number of paths that traffic needs (one per pair of pods and protocol), and the number of
/// blocked paths.
struct Delivery {
  std::size_t paths = 0;
  std::size_t blocked = 0;
  std::string first_block;  ///< "node-1 to node-2: no-route (…)".
};

/// Sends one packet, small enough for every MTU, along each path.
Delivery probe(const compile::Compiled& states, const std::vector<run::TrafficGroup>& traffic);

/// Returns a finding `path-mtu-black-hole`, without a location, about the first path with a path
/// MTU black hole: small packets are delivered, and large packets of the traffic are dropped
/// without an ICMP error to the sender. The finding is a warning, or a note if TCP probes for the
/// MTU. `mtu_probing` overrides the value of the traffic.
std::optional<Finding> find_black_hole(const compile::Compiled& states,
                                       const std::vector<run::TrafficGroup>& traffic,
                                       std::uint32_t pod_mtu,
                                       std::optional<std::uint8_t> mtu_probing);

/// Returns the dataplane of the shoot with the changes of the variant, in the zones of the shoot as
/// written. Derives it only if the variant changes something.
Result<effective::EffectiveDataplane> variant_dataplane(const Subject& subject,
                                                        const spec::VariantSpec& variant);
Result<effective::EffectiveDataplane> variant_dataplane(const DerivedSubject& subject,
                                                        const spec::VariantSpec& variant);

/// One variant of a scenario, ready to run.
struct LaidOut {
  model::VariantResult variant;                ///< The result so far, without measurements.
  Family family = Family::Ipv4;                ///< IP family of the traffic of pods.
  std::optional<std::uint8_t> mtu_probing;     ///< Overrides the value of the traffic.
  std::optional<run::Network> network;         ///< Empty: not runnable; `variant` has the reason.
  std::vector<model::Assumption> assumptions;  ///< Assumptions of this variant only.
  std::vector<run::TimedChange> changes;       ///< The scenario's events.
  std::vector<run::NodeJoin> joins;            ///< RunOptions::joins.
  Findings findings;
};

/// Returns the scenario's traffic between the pods' addresses of this family, which must exist.
std::vector<run::TrafficGroup> traffic_in(const Prepared& prepared, Family family);

LaidOut lay_out(const Prepared& prepared, const spec::VariantSpec& variant);

}  // namespace overlane::runner
