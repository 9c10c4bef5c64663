#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenarios/runner/runner.h"
#include "tools/overlane/testbed_report.h"

namespace overlane::command {

/// A variant of the input with the states of its nodes, or why it has none.
struct CompiledVariant {
  std::string name;
  std::uint16_t pod_mtu = 0;
  std::optional<compile::Compiled> states;
  std::string reason;
};

runner::Outcome<std::vector<CompiledVariant>> compile_variants(const runner::Request& request);

/// The set-up of every node, or of the one of that name, headed by comments.
std::string commands_text(const std::vector<CompiledVariant>& variants, const std::string& node);

/// What the VPC between the nodes is: forward::forward of the FabricState, or a kernel as well.
enum class Fabric : std::uint8_t { Model, Kernel };

/// Runs each variant in the first of `places` that has its devices. Fails when no place is to be
/// had at all.
Parsed<std::vector<TestbedVariant>> run_testbed(const std::vector<CompiledVariant>& variants,
                                                const std::vector<kernel::Place>& places,
                                                Fabric fabric, const kernel::InnerCommand& inner);

}  // namespace overlane::command
