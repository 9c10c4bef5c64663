#pragma once

#include "topologies/effective/network_inputs.h"
#include "topologies/rules/rule.h"

namespace overlane::rules {

/// What an admitted shoot gets, for rules about what disappoints.
struct LintInputs {
  const effective::NetworkInputs& shoot;
  const effective::EffectiveDataplane& dataplane;
};

/// Gardener's own rules, whatever the provider and the network type.
RuleTables<effective::NetworkInputs> gardener_checks();
/// What the providers' admission adds.
RuleTables<effective::NetworkInputs> provider_checks();
/// What admission demands and an explanation can do without: an assumed value stands in for it.
RuleTables<effective::NetworkInputs> omission_checks();
/// What is admitted and disappoints, whatever the network type.
RuleTables<LintInputs> lints();

}  // namespace overlane::rules
