#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/base/result.h"
#include "results/finding/finding.h"
#include "topologies/effective/effective_dataplane.h"
#include "topologies/effective/landscape.h"
#include "topologies/effective/network_inputs.h"
#include "topologies/effective/provenance.h"
#include "topologies/manifest/spec/pod_network_spec.h"
#include "topologies/rules/rule.h"

namespace overlane::cni {

// A network extension of Gardener as the derivation sees it: it decodes a NetworkConfig, decides
// the dataplane of each IP family with a reason for every field, and runs its rules.
// NetworkExtension is the type (networking.type), ExtensionInstance is the type applied to one
// shoot. The inputs are those after the provider's admission, which may write an overlay block
// into a new shoot. An instance keeps a reference to its inputs, which must outlive it;
// different instances may be used on different threads.

/// A shoot and its decoded NetworkConfig, for rules about configuration that the extension's
/// admission or reconciliation refuses.
template <typename NetworkConfig>
struct ExtensionInputs {
  const NetworkConfig& config;
  const effective::NetworkInputs& shoot;
};

/// ExtensionInputs with the effective dataplane, for rules about accepted configuration that
/// misbehaves.
template <typename NetworkConfig>
struct ExtensionLintInputs {
  const NetworkConfig& config;
  const effective::NetworkInputs& shoot;
  const effective::EffectiveDataplane& dataplane;
};

/// An update that changes the pod network of a running shoot.
struct SwitchInputs {
  const manifest::PodNetworkSpec& spec;  ///< The shoot after the update.
  const effective::Landscape& landscape;
  const effective::EffectiveDataplane& before;
  const effective::EffectiveDataplane& after;

  /// Whether both dataplanes are known.
  bool is_known() const { return !before.opaque && !after.opaque; }
  bool goes(effective::Mode from, effective::Mode to) const {
    return is_known() && before.dataplane.mode == from && after.dataplane.mode == to;
  }
};

/// A network extension's decisions about a shoot.
struct NetworkDecision {
  effective::NodeAgent agent{};
  std::string row;  ///< See EffectiveDataplane::row.
  /// Dataplane of the primary family. derive::ShootDerivation completes both dataplanes by the
  /// cloud routes, the link MTU and service_routing.
  effective::DecidedDataplane dataplane;
  std::optional<effective::DecidedDataplane> secondary;  ///< Dataplane of the other family, in
                                                         ///< dual-stack.
  effective::Decided<effective::ServiceRouting> service_routing;
  effective::DecidedMasquerade masquerade;
  std::string_view not_modelled_because;   ///< Why the node states are not known; empty if they
                                           ///< are.
  std::vector<effective::Reason> reasons;  ///< Reasons for other inputs, such as a release.
};

/// A network extension applied to one shoot, with the decoded NetworkConfig. It refers to the
/// inputs, which must outlive it.
class ExtensionInstance {
 public:
  virtual ~ExtensionInstance() = default;

  /// Findings of the NetworkConfig's decoder.
  virtual const Findings& config_findings() const = 0;
  /// Decides the dataplane. Requires config_findings() without errors. Fails with
  /// "unsupported-combination" if the dataplane is not known.
  virtual Result<NetworkDecision> decide() const = 0;
  /// Runs the extension's rules about configuration that admission or reconciliation refuses.
  virtual void check(rules::RuleReport& report) const = 0;
  /// Runs the extension's rules about accepted configuration that misbehaves.
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
