#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenarios/runner/runner.h"
#include "topologies/compile/compile.h"

namespace overlane::command {

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

}  // namespace overlane::command
