#pragma once

#include <optional>

#include "results/finding/result.h"
#include "topologies/document/tree.h"
#include "topologies/effective/effective_dataplane.h"
#include "topologies/manifest/cluster_spec.h"

namespace overlane::effective {

/// `--stage`: Auto takes an object with uid, resourceVersion or status, or a Network or Cluster of
/// a seed, as live, and everything else as about to be created.
enum class StageChoice { Auto, Create, Live };

/// What the caller knows beyond the documents.
struct DeriveOptions {
  StageChoice stage = StageChoice::Auto;
  /// Calico's release; nothing: the one that Gardener's extension ships.
  std::optional<CalicoVersion> calico;

  DeriveOptions() = default;
  DeriveOptions(StageChoice choice) : stage(choice) {}  // NOLINT: mostly there is nothing else
};

/// What the pods of `spec` really get, every field with its reason. Fails with the rule
/// "not-admitted" where Gardener's admission would refuse the manifest, "unsupported-ip-family"
/// and "unsupported-combination" where this program does not know the answer.
Result<EffectiveDataplane> derive(const manifest::ClusterSpec& spec, const DeriveOptions& options);

/// The same with a merge patch (RFC 7386) laid over the NetworkConfig first: "what if". An absent
/// `patch` changes nothing.
Result<EffectiveDataplane> derive(const manifest::ClusterSpec& spec, const DeriveOptions& options,
                                  const document::Value& patch);

}  // namespace overlane::effective
