#pragma once

#include "topologies/effective/network_inputs.h"
#include "topologies/rules/rule.h"

namespace overlane::rules {

/// An admitted shoot and its dataplane, for rules about accepted configuration that misbehaves.
struct LintInputs {
  const effective::NetworkInputs& shoot;
  const effective::EffectiveDataplane& dataplane;
};

/// Gardener's own rules, for every provider and network type.
RuleTables<effective::NetworkInputs> gardener_checks();
/// Rules of the providers' admission.
RuleTables<effective::NetworkInputs> provider_checks();
/// Fields that admission requires and for which an explanation assumes a value.
RuleTables<effective::NetworkInputs> omission_checks();
/// Configuration that is admitted, but misbehaves, with every network type.
RuleTables<LintInputs> lints();

}  // namespace overlane::rules
