#pragma once

#include <span>

#include "topologies/effective/network_inputs.h"
#include "topologies/effective/rule.h"

namespace overlane::effective {

/// What an admitted shoot gets, for rules about what disappoints.
struct LintInputs {
  const NetworkInputs& shoot;
  const EffectiveDataplane& dataplane;
};

/// Gardener's own rules, whatever the provider and the network type.
std::span<const Check<NetworkInputs>> gardener_checks();
/// What the providers' admission adds.
std::span<const Check<NetworkInputs>> provider_checks();
/// What is admitted and disappoints, whatever the network type.
std::span<const Check<LintInputs>> lints();

}  // namespace overlane::effective
