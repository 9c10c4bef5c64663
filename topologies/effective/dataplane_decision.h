#pragma once

#include "results/finding/result.h"
#include "topologies/effective/overlay_decision.h"

namespace overlane::effective {

/// The dataplane of a pod network and the basis of each of its fields.
struct DataplaneDecision {
  std::string row;
  Dataplane dataplane;
  Basis mode;
  Basis encapsulation;
  Basis backend;
  Basis routes_by;
  Basis encryption;
  Basis pod_mtu;
  Basis overhead;
};

/// What both decisions start from.
struct DataplaneInputs {
  const manifest::ClusterSpec& spec;
  const ProviderRules& rules;
  Stage stage = Stage::Create;
  OverlayDecision overlay;
  std::uint32_t link_mtu = 1500;
  CalicoVersion calico;  ///< Only for calico.
};

/// The row of the truth table T1…T10 of gardener-extension-networking-calico (actuator and chart
/// values together). Combinations that are in no row fail with "unsupported-combination".
Result<DataplaneDecision> decide_calico(const DataplaneInputs& inputs);

/// The row C1…C6 of gardener-extension-networking-cilium's chart values.
Result<DataplaneDecision> decide_cilium(const DataplaneInputs& inputs);

}  // namespace overlane::effective
