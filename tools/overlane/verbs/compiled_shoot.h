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

// A shoot, or each variant of a scenario, compiled to the states of its nodes and its VPC, for
// verbs that look at states or run packets through them (`explain`, `trace`, `testbed`, and
// `overlane-fastpath`), and the picture of its network for pages.

/// A shoot with the states of its nodes and of its VPC.
struct CompiledShoot {
  effective::EffectiveDataplane shoot;
  compile::Compiled states;
};

/// Compiles the shoot with this patch, on the nodes of the shoot as written.
runner::Outcome<CompiledShoot> compile_as(const runner::Subject& subject,
                                          const spec::VariantSpec& variant);

/// Assumptions about the states: ranges, numbers, and defaults of the network extension; none about
/// time.
std::vector<model::Assumption> assumed(const runner::Subject& subject,
                                       const effective::EffectiveDataplane& shoot);

/// The variant for --patch: a merge patch (RFC 7386) to the NetworkConfig, as YAML. A usage failure
/// if `patch` is not one document.
runner::Outcome<spec::VariantSpec> patched_variant(const std::string& patch);

/// A variant with the states of its nodes, or the reason why it has none.
struct CompiledVariant {
  std::string name;
  std::uint16_t pod_mtu = 0;
  std::optional<compile::Compiled> states;
  std::string reason;
};

/// Every variant of the scenario, or of the built-in comparison.
runner::Outcome<std::vector<CompiledVariant>> compile_variants(const runner::Request& request);

/// The variant of that name, or the shoot as written if `name` is empty. An unknown name is a usage
/// failure.
runner::Outcome<CompiledVariant> compile_variant(const runner::Request& request,
                                                 const std::string& name);

/// Network, zones and nodes for a page.
pages::TopologyPicture picture_of(const graph::Topology& topology);

}  // namespace overlane::command
