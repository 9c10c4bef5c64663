#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/finding/finding.h"
#include "results/model/run_report.h"
#include "scenarios/migration/inputs/load.h"
#include "scenarios/migration/inputs/request.h"
#include "topologies/effective/effective_dataplane.h"

namespace overlane::migration {

/// A fact with two plausible values that no document gives, for example whether OpenStack's
/// networks use OVN. `overlane migrate` simulates both values. Its verdict names the fact if the
/// two results differ.
struct UncertainFact {
  model::Assumption assumption;
  std::string holds;    ///< The assumed value as a clause: "the network does not use OVN".
  std::string check;    ///< What to inspect, in short: "`ip -4 address show` on a node".
  std::string command;  ///< The whole command that finds the value.
  std::string reading;  ///< How to read the output of `command`.
  /// The setting that records the assumed value: "landscape.openstack.ovn=false".
  std::string setting;
  std::string setting_otherwise;  ///< The setting that records the other value.
  /// Whether the assumed value is the first of the two in `assumption.range`.
  bool assumes_first = true;
  /// The switch with the other value; nothing if no packet between nodes arrives with that value.
  std::optional<Loaded> otherwise;
};

/// Returns the uncertain facts that concern the switch.
std::vector<UncertainFact> uncertain_facts(const Loaded& loaded);

/// Returns the known problems of a switch that is not simulated, as notes of the rule
/// `known-hazard`, each with its source. How long the problems last is not known.
Findings known_hazards(const effective::EffectiveDataplane& shoot, Target to);

}  // namespace overlane::migration
