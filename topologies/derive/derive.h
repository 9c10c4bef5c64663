#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "results/base/result.h"
#include "results/finding/finding.h"
#include "topologies/cni/extension/network_extension.h"
#include "topologies/document/syntax/parse.h"
#include "topologies/document/tree/tree.h"
#include "topologies/effective/landscape.h"
#include "topologies/manifest/spec/pod_network_spec.h"

namespace overlane::derive {

// The derivation: from a shoot's manifest to its effective dataplane. It follows Gardener: the
// provider's admission first, then the network extension's decoder and decisions; rules report
// what would be refused and what misbehaves. derive() fails where admission would refuse the
// shoot; examine() lists every finding under its own rule; outline() gives ranges and mode only,
// for comparisons of many shoots. All functions are pure and may be called on several threads
// with shared options.

/// The network types of NetworkProvider files, in addition to the coded ones (cni::profiles()).
using DeclarativeExtensions = std::vector<std::shared_ptr<const cni::NetworkExtension>>;

/// The extension of this networking.type; nullptr if none is known.
const cni::NetworkExtension* extension_of(std::string_view type,
                                          const DeclarativeExtensions& declarative);

/// Whether the document is of kind NetworkProvider.
bool describes_network(const document::Tree& tree);
/// Removes the documents of kind NetworkProvider from the stream and adds their network types. An
/// invalid one, or one of a known type, becomes a finding of the stream.
void take_network_providers(document::Stream& stream, DeclarativeExtensions& declarative);

/// The command line's `--stage`. Auto treats an object with uid, resourceVersion or status, or a
/// Network or Cluster of a seed, as live, and everything else as about to be created.
enum class StageChoice { Auto, Create, Live };

/// Inputs of a derivation besides the documents.
struct DeriveOptions {
  StageChoice stage = StageChoice::Auto;
  effective::Landscape landscape;
  DeclarativeExtensions declarative;  ///< Network types of NetworkProvider files.
  /// Returns true for errors that the caller ignores: they do not end the examination of a shoot.
  /// Empty: no error is ignored. Called on the thread of the derivation.
  std::function<bool(const Finding&)> overlooks;

  DeriveOptions() = default;
  DeriveOptions(StageChoice choice) : stage(choice) {}  // NOLINT: mostly there is nothing else
};

/// The stage that `choice` means for an object.
effective::Stage stage_of(const manifest::PodNetworkSpec& spec, StageChoice choice);

/// The effective dataplane of `spec`, every field with its reason. Fails with the rule
/// "not-admitted" where Gardener's admission would refuse the manifest, and
/// "unsupported-combination" where the dataplane is not known. A network type that is not modelled
/// gives an opaque EffectiveDataplane with the finding "unsupported-cni". If a manifest lacks a
/// field that admission requires, the result assumes a common value and has a warning.
Result<effective::EffectiveDataplane> derive(const manifest::PodNetworkSpec& spec,
                                             const DeriveOptions& options);

/// derive() after a merge patch (RFC 7386) of the NetworkConfig. An absent `patch` changes nothing.
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

/// Findings of the network extension about the NetworkConfig alone, for partial shoots, which
/// cannot be examined. Empty for a network type that is not modelled.
Findings judge_config(const manifest::PodNetworkSpec& spec, const DeriveOptions& options);

/// The finding "not-admitted" if the network extension cannot decode the NetworkConfig of `spec`
/// after the merge patch `patch`; nothing if it can.
std::optional<Finding> undecodable_config(const manifest::PodNetworkSpec& spec,
                                          const DeriveOptions& options,
                                          const document::Value& patch);

/// The part of derive()'s result that a comparison of many shoots needs: ranges and dataplane mode,
/// without reasons, checks and lints. A shoot that admission would refuse also has an outline.
struct Outline {
  effective::Stage stage = effective::Stage::Create;
  effective::Provider provider{};
  effective::Families families;
  effective::Addressing addressing;  ///< Refers to the spec, which must outlive it.
  effective::Decided<effective::RoutingDomain> routing_domain;
  Findings config_errors;  ///< Errors of decoding the NetworkConfig, except ignored ones.
  /// Absent where the network type is not modelled, its NetworkConfig cannot be decoded or its
  /// effect is not known.
  std::optional<cni::NetworkDecision> network;
};

Outline outline(const manifest::PodNetworkSpec& spec, const DeriveOptions& options);

}  // namespace overlane::derive
