#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/overlane/testbed/compiled_variant.h"
#include "tools/overlane/testbed/report.h"

namespace overlane::command {

/// The set-up commands of every node, or of the named one, with comments.
std::string commands_text(const std::vector<CompiledVariant>& variants, const std::string& node);

/// The VPC between the nodes: forward::forward of the FabricState, or a kernel.
enum class Fabric : std::uint8_t { Model, Kernel };

/// Runs each variant in the first of `places` that has its devices. Fails if no place is available.
Parsed<std::vector<TestbedVariant>> run_testbed(const std::vector<CompiledVariant>& variants,
                                                const std::vector<kernel::Place>& places,
                                                Fabric fabric, const kernel::InnerCommand& inner);

}  // namespace overlane::command
