#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/pages/run_page.h"
#include "scenarios/runner/load/subject.h"
#include "scenarios/runner/runner.h"
#include "topologies/compile/compile.h"
#include "topologies/graph/topology.h"

namespace overlane::command {

// A shoot, or each variant of a scenario, compiled to the states of its nodes and of its VPC. Used
// by verbs that print states or run packets through them (`explain`, `trace`, `testbed`, and
// `overlane-fastpath`). Also makes the picture of the network for pages.

/// A shoot with the states of its nodes and of its VPC.
struct CompiledShoot {
  effective::EffectiveDataplane shoot;
  compile::Compiled states;
};

/// Compiles the shoot with the variant's patch, on the nodes of the shoot as written.
runner::Outcome<CompiledShoot> compile_as(const runner::Subject& subject,
                                          const spec::VariantSpec& variant);

/// Assumptions that affect the states: ranges, numbers, and defaults of the network extension.
/// Omits assumptions about time.
std::vector<model::Assumption> assumed(const runner::Subject& subject,
                                       const effective::EffectiveDataplane& shoot);

/// The variant for --patch: a merge patch (RFC 7386) to the NetworkConfig, as YAML. Fails with a
/// usage failure if `patch` is not exactly one document.
runner::Outcome<spec::VariantSpec> patched_variant(const std::string& patch);

/// A variant with the states of its nodes, or the reason for their absence.
struct CompiledVariant {
  std::string name;
  std::uint16_t pod_mtu = 0;
  std::optional<compile::Compiled> states;
  std::string reason;
};

/// Compiles every variant of the scenario, or of the built-in comparison.
runner::Outcome<std::vector<CompiledVariant>> compile_variants(const runner::Request& request);

/// Compiles the variant with this name, or the shoot as written if `name` is empty. Fails with a
/// usage failure if the name is unknown.
runner::Outcome<CompiledVariant> compile_variant(const runner::Request& request,
                                                 const std::string& name);

/// A picture of network, zones and nodes for a page.
pages::TopologyPicture picture_of(const graph::Topology& topology);

}  // namespace overlane::command
