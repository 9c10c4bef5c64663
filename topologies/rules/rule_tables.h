#pragma once

#include "topologies/effective/network_inputs.h"
#include "topologies/rules/rule.h"

// The tables of this folder, for every CNI: rules of the providers' admission, rules of Gardener's
// validation, fields that admission requires and a result assumes if they are missing, and lints
// (accepted configuration that misbehaves). topologies/derive runs the checks on the decoded
// manifest, and the lints only if an effective dataplane could be derived. A CNI has tables of its
// own in topologies/cni.
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
