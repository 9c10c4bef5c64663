#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "dataplane/node/state/world.h"
#include "results/finding/finding.h"
#include "results/model/run_report.h"
#include "scenarios/spec/events.h"
#include "sim/run/inputs/network.h"
#include "sim/run/inputs/run_options.h"

namespace overlane::runner {

// The events of a scenario as changes of the states of one variant. plan_events() translates each
// event, in the order of time, against the states that hold at its time.

/// Returns the changes of a world as text, one line each: "node-2 stops", and the removed and added
/// lines of each state, "node-2 - default via 10.250.0.1 dev eth0".
std::vector<std::string> lines_of(const node::World& before, const node::World& after,
                                  const node::WorldChange& change);

/// The events of a scenario as changes of one variant's states.
struct PlannedEvents {
  std::vector<run::TimedChange> changes;  ///< By time.
  std::vector<run::NodeJoin> joins;       ///< RunOptions::joins.
  /// Notes `event-without-effect` about events that change nothing in this variant, for example the
  /// removal of a cloud route that an overlay does not need. Warnings `event-refused` about routes
  /// that the cloud would refuse and pods for which a pod CIDR has no room.
  Findings findings;
  std::vector<model::Step> steps;  ///< Only if requested (`show_steps`).
};

/// Returns the nodes as the CNI's agents configure them if they detect this link MTU; empty if no
/// dataplane can be derived for this MTU.
using ConfiguredNodes = std::function<std::vector<node::NodeState>(std::uint32_t link_mtu)>;

PlannedEvents plan_events(const std::vector<spec::Event>& events, const run::Network& network,
                          const ConfiguredNodes& configured, const std::string& variant,
                          bool show_steps);

/// Returns the events in the form of a report.
std::vector<model::Event> describe(const std::vector<spec::Event>& events);

}  // namespace overlane::runner
