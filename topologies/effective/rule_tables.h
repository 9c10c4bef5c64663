#pragma once

#include "topologies/effective/network_inputs.h"
#include "topologies/effective/rule.h"

namespace overlane::effective {

/// What an admitted shoot gets, for rules about what disappoints.
struct LintInputs {
  const NetworkInputs& shoot;
  const EffectiveDataplane& dataplane;
};

/// Gardener's own rules, whatever the provider and the network type.
RuleTables<NetworkInputs> gardener_checks();
/// What the providers' admission adds.
RuleTables<NetworkInputs> provider_checks();
/// What admission demands and an explanation can do without: an assumed value stands in for it.
RuleTables<NetworkInputs> omission_checks();
/// What is admitted and disappoints, whatever the network type.
RuleTables<LintInputs> lints();

}  // namespace overlane::effective
