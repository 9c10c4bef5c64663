#pragma once

#include <functional>
#include <optional>

#include "results/finding/finding.h"
#include "topologies/derive/extensions.h"
#include "topologies/document/tree/tree.h"
#include "topologies/effective/landscape.h"
#include "topologies/manifest/spec/pod_network_spec.h"

namespace overlane::derive {

/// `--stage`: Auto treats an object with uid, resourceVersion or status, or a Network or Cluster of
/// a seed, as live, and everything else as about to be created.
enum class StageChoice { Auto, Create, Live };

/// The caller's knowledge beyond the documents.
struct DeriveOptions {
  StageChoice stage = StageChoice::Auto;
  effective::Landscape landscape;
  DeclarativeExtensions declarative;  ///< Network types of NetworkProvider files.
  /// Errors that the caller ignores: they do not end the examination of a shoot.
  std::function<bool(const Finding&)> overlooks;

  DeriveOptions() = default;
  DeriveOptions(StageChoice choice) : stage(choice) {}  // NOLINT: mostly there is nothing else
};

/// The stage that `choice` means for an object.
effective::Stage stage_of(const manifest::PodNetworkSpec& spec, StageChoice choice);

/// The effective dataplane of `spec`, every field with its reason. Fails with the rule
/// "not-admitted" where Gardener's admission would refuse the manifest, and
/// "unsupported-combination" where the dataplane is not known. A network type that is not modelled
/// gives an opaque EffectiveDataplane with the finding "unsupported-cni". Where a manifest lacks a
/// field that admission requires, the result assumes a usual value and has a warning.
Result<effective::EffectiveDataplane> derive(const manifest::PodNetworkSpec& spec,
                                             const DeriveOptions& options);

/// The same after a merge patch (RFC 7386) of the NetworkConfig. An absent `patch` changes nothing.
Result<effective::EffectiveDataplane> derive(const manifest::PodNetworkSpec& spec,
                                             const DeriveOptions& options,
                                             const document::Value& patch);

/// The findings of all rules about one shoot.
struct Examination {
  Result<effective::EffectiveDataplane> network;  ///< The result of derive().
  /// All severities: what admission refuses, fields that it requires, and accepted configuration
  /// that misbehaves.
  Findings findings;
};

/// derive() with every finding under its own rule. Lints run only if no rule refuses the shoot.
Examination examine(const manifest::PodNetworkSpec& spec, const DeriveOptions& options);

/// Findings of the network extension about the NetworkConfig alone, for parts of shoots that cannot
/// be examined. Empty for a network type that is not modelled.
Findings judge_config(const manifest::PodNetworkSpec& spec, const DeriveOptions& options);

/// Why the network extension cannot decode the patched NetworkConfig of `spec`: a finding
/// "not-admitted".
std::optional<Finding> undecodable_config(const manifest::PodNetworkSpec& spec,
                                          const DeriveOptions& options,
                                          const document::Value& patch);

}  // namespace overlane::derive
