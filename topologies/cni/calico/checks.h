#pragma once

#include <span>

#include "topologies/cni/calico/config.h"
#include "topologies/effective/rule_tables.h"

namespace overlane::calico {

/// A shoot in the hands of calico's extension.
struct CheckInputs {
  const NetworkConfig& config;
  const effective::NetworkInputs& shoot;
};

/// The same with what comes out.
struct LintInputs {
  const NetworkConfig& config;
  const effective::NetworkInputs& shoot;
  const effective::EffectiveDataplane& dataplane;
};

/// What the extension's admission or reconciliation refuses.
std::span<const effective::Check<CheckInputs>> checks();
/// What is applied and disappoints.
std::span<const effective::Check<LintInputs>> lints();

}  // namespace overlane::calico
