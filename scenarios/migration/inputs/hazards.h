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

/// A fact with two plausible values that no document gives, such as whether OpenStack's networks
/// are OVN's. `overlane migrate` simulates both, and its verdict names the fact where they differ.
struct UncertainFact {
  model::Assumption assumption;
  std::string holds;    ///< The assumed value as a clause: "the network does not use OVN".
  std::string check;    ///< What to look at, short: "`ip -4 address show` on a node".
  std::string command;  ///< The whole command that finds the value.
  std::string reading;  ///< How to read its output.
  std::string setting;  ///< Records the assumed value: "landscape.openstack.ovn=false".
  /// The first of the two values in `assumption.range` is the assumed one.
  bool assumes_first = true;
  /// The switch with the other value; nothing: no packet between nodes arrives then.
  std::optional<Loaded> otherwise;
};

/// The facts that concern this switch.
std::vector<UncertainFact> uncertain_facts(const Loaded& loaded);

/// What is known to go wrong in a switch that is not simulated, as notes of the rule
/// `known-hazard`, each with its source. For how long is not known.
Findings known_hazards(const effective::EffectiveDataplane& shoot, Target to);

}  // namespace overlane::migration
