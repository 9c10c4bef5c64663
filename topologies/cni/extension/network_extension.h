#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "results/finding/result.h"
#include "topologies/cni/extension/dataplane_decision.h"
#include "topologies/cni/extension/masquerade_decision.h"
#include "topologies/effective/network_inputs.h"
#include "topologies/rules/rule.h"

namespace overlane::cni {

/// What a network extension makes of a shoot.
struct NetworkDecision {
  effective::NodeAgent agent = effective::NodeAgent::CalicoNode;
  DataplaneDecision dataplane;                 ///< Of the primary family.
  std::optional<DataplaneDecision> secondary;  ///< Of the other one, in dual-stack.
  effective::Decided<effective::ServiceRouting> service_routing;
  MasqueradeDecision masquerade;
  std::string_view
      not_modelled_because;  ///< Why it is not known what the nodes have; empty: it is.
  std::vector<effective::Reason> reasons;  ///< Of what else it went by, such as a release.
};

/// One shoot in a network extension's hands, its NetworkConfig decoded. It refers to the inputs
/// that it was made from.
class ExtensionInstance {
 public:
  virtual ~ExtensionInstance() = default;

  /// What is wrong with the NetworkConfig by itself, by the rules of its decoder.
  virtual const Findings& config_findings() const = 0;
  /// Call only without an error among these. Fails with "unsupported-combination" where the answer
  /// is not known.
  virtual Result<NetworkDecision> decide() const = 0;
  /// Runs the extension's own rules about what admission or reconciliation refuses …
  virtual void check(rules::RuleReport& report) const = 0;
  /// … and those about what the result disappoints with.
  virtual void lint(const effective::EffectiveDataplane& dataplane,
                    rules::RuleReport& report) const = 0;
};

/// A network extension of Gardener: one value of networking.type.
class NetworkExtension {
 public:
  virtual ~NetworkExtension() = default;

  virtual std::string_view type() const = 0;
  virtual std::unique_ptr<const ExtensionInstance> open(
      const effective::NetworkInputs& inputs) const = 0;
  /// The rules that ExtensionInstance runs.
  virtual std::vector<const rules::Rule*> rules() const = 0;
};

}  // namespace overlane::cni
