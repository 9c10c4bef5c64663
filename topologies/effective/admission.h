#pragma once

#include <optional>

#include "results/finding/finding.h"
#include "topologies/effective/addressing.h"
#include "topologies/effective/overlay_decision.h"

namespace overlane::effective {

/// What the admission checks look at.
struct AdmissionInputs {
  const manifest::ClusterSpec& spec;
  const ProviderRules& rules;
  const OverlayDecision& overlay;
  const Addressing& addressing;
};

/// The first rule of core Gardener, the provider or the network extension that refuses the
/// manifest: a finding "not-admitted", or "unsupported-ip-family" (a warning) for what Gardener
/// admits but this program does not model yet.
std::optional<Finding> refused_by_admission(const AdmissionInputs& inputs);

/// What is admitted but will disappoint: ranges that overlap assumed ones, more workers than pod
/// slices, an MTU that does not fit, a left-over vxlan switch.
Findings oddities(const AdmissionInputs& inputs, const EffectiveDataplane& dataplane);

}  // namespace overlane::effective
