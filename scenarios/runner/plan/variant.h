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

/// Adds one Service with port 80 for each pod that traffic reaches through a Service, so that the
/// pattern determines the endpoints. Addresses are from the shoot's service range, after those of
/// the API server and the cluster DNS. Fails with `impossible-topology` if the range is too small.
Result<void> add_services(const Prepared& prepared, const effective::EffectiveDataplane& shoot,
                          Family family, compile::Compiled& states);

/// The paths that traffic needs, one per pair of pods and protocol, and the number of blocked ones.
struct Delivery {
  std::size_t paths = 0;
  std::size_t blocked = 0;
  std::string first_block;  ///< "node-1 to node-2: no-route (…)".
};

/// Sends one packet, small enough for every MTU, along each path.
Delivery probe(const compile::Compiled& states, const std::vector<run::TrafficGroup>& traffic);

/// The first path with a path MTU black hole: small packets are delivered, the traffic's large ones
/// are dropped without an ICMP error to the sender. A finding `path-mtu-black-hole` without a
/// location: a warning, or a note if TCP probes for the MTU. `mtu_probing` overrides the traffic's.
std::optional<Finding> find_black_hole(const compile::Compiled& states,
                                       const std::vector<run::TrafficGroup>& traffic,
                                       std::uint32_t pod_mtu,
                                       std::optional<std::uint8_t> mtu_probing);

/// The dataplane of the shoot with this variant's changes, in the zones of the shoot as written. It
/// is derived only if the variant changes something.
Result<effective::EffectiveDataplane> variant_dataplane(const Subject& subject,
                                                        const spec::VariantSpec& variant);
Result<effective::EffectiveDataplane> variant_dataplane(const DerivedSubject& subject,
                                                        const spec::VariantSpec& variant);

/// One variant of a scenario, ready to run.
struct LaidOut {
  model::VariantResult variant;                ///< Without measurements.
  Family family = Family::Ipv4;                ///< Family of its pods' traffic.
  std::optional<std::uint8_t> mtu_probing;     ///< Overrides the traffic's.
  std::optional<run::Network> network;         ///< Empty: not runnable; `variant` has the reason.
  std::vector<model::Assumption> assumptions;  ///< Only of this variant.
  std::vector<run::TimedChange> changes;       ///< The scenario's events.
  std::vector<run::NodeJoin> joins;            ///< RunOptions::joins.
  Findings findings;
};

/// The scenario's traffic between the pods' addresses of this family, which must exist.
std::vector<run::TrafficGroup> traffic_in(const Prepared& prepared, Family family);

LaidOut lay_out(const Prepared& prepared, const spec::VariantSpec& variant);

}  // namespace overlane::runner
