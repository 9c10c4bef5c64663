#pragma once

#include "topologies/effective/effective_dataplane.h"
#include "topologies/live/observed.h"
#include "topologies/manifest/spec/pod_network_spec.h"
#include "topologies/rules/rule.h"

namespace overlane::live {

/// A shoot as its manifest makes it, and as its cluster shows it.
struct LiveInputs {
  const manifest::PodNetworkSpec& spec;
  const effective::EffectiveDataplane& expected;
  const Observed& observed;

  /// Whether no document gives the value of this field of `expected`.
  bool assumes(std::string_view field) const;
};

/// Where the two differ. Findings are about the shoot, at the places of what was observed.
Findings compare(const LiveInputs& inputs);

/// The rules that compare() runs, and those of decode_observed().
std::vector<const rules::Rule*> rules();

}  // namespace overlane::live
