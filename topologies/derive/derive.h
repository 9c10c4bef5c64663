#pragma once

#include <functional>
#include <optional>

#include "results/finding/result.h"
#include "topologies/derive/extensions.h"
#include "topologies/document/tree/tree.h"
#include "topologies/effective/landscape.h"
#include "topologies/manifest/spec/pod_network_spec.h"

namespace overlane::derive {

/// `--stage`: Auto takes an object with uid, resourceVersion or status, or a Network or Cluster of
/// a seed, as live, and everything else as about to be created.
enum class StageChoice { Auto, Create, Live };

/// What the caller knows beyond the documents.
struct DeriveOptions {
  StageChoice stage = StageChoice::Auto;
  effective::Landscape landscape;
  DeclarativeExtensions declarative;  ///< Network types that files describe.
  /// Errors that do not end the judging of a shoot, because nobody wants to know of them.
  std::function<bool(const Finding&)> overlooks;

  DeriveOptions() = default;
  DeriveOptions(StageChoice choice) : stage(choice) {}  // NOLINT: mostly there is nothing else
};

/// The stage that `choice` means for an object.
effective::Stage stage_of(const manifest::PodNetworkSpec& spec, StageChoice choice);

/// What the pods of `spec` really get, every field with its reason. Fails with the rule
/// "not-admitted" where Gardener's admission would refuse the manifest, "unsupported-combination"
/// where this program does not know the answer. A network type that it does not know gives an
/// opaque EffectiveDataplane with the finding "unsupported-cni". Where a manifest lacks what
/// admission demands, the answer assumes a usual value, and its findings say so in a warning.
Result<effective::EffectiveDataplane> derive(const manifest::PodNetworkSpec& spec,
                                             const DeriveOptions& options);

/// The same with a merge patch (RFC 7386) laid over the NetworkConfig first: "what if". An absent
/// `patch` changes nothing.
Result<effective::EffectiveDataplane> derive(const manifest::PodNetworkSpec& spec,
                                             const DeriveOptions& options,
                                             const document::Value& patch);

/// All that the rules about one shoot say of it.
struct Examination {
  Result<effective::EffectiveDataplane> network;  ///< What derive() returns.
  /// Each of its own rule: what admission refuses, what it misses, and what disappoints, down to
  /// notes.
  Findings findings;
};

/// derive() for those who want every finding by its own rule, not an answer. What disappoints is
/// looked for only where nothing is refused.
Examination examine(const manifest::PodNetworkSpec& spec, const DeriveOptions& options);

/// What the network extension says about the NetworkConfig alone, for parts of shoots that cannot
/// be examined. Nothing for a network type that is not known.
Findings judge_config(const manifest::PodNetworkSpec& spec, const DeriveOptions& options);

/// Why the network extension cannot even decode the NetworkConfig of `spec`, patched so: a finding
/// "not-admitted".
std::optional<Finding> undecodable_config(const manifest::PodNetworkSpec& spec,
                                          const DeriveOptions& options,
                                          const document::Value& patch);

}  // namespace overlane::derive
