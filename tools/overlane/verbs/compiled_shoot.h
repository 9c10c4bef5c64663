#pragma once

#include <string>

#include "scenarios/runner/load/subject.h"
#include "topologies/compile/compile.h"

namespace overlane::command {

/// A shoot with the states of its nodes and of its VPC.
struct CompiledShoot {
  effective::EffectiveDataplane shoot;
  compile::Compiled states;
};

/// Compiles the shoot with this patch, on the nodes of the shoot as written.
runner::Outcome<CompiledShoot> compile_as(const runner::Subject& subject,
                                          const spec::Variant& variant);

/// Assumptions about the states: ranges, numbers, and defaults of the network extension; none about
/// time.
std::vector<model::Assumption> assumed(const runner::Subject& subject,
                                       const effective::EffectiveDataplane& shoot);

/// The variant for --patch: a merge patch (RFC 7386) to the NetworkConfig, as YAML. A usage failure
/// if `patch` is not one document.
runner::Outcome<spec::Variant> patched_variant(const std::string& patch);

}  // namespace overlane::command
