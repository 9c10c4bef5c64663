#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/overlane/testbed/compiled_variant.h"
#include "tools/overlane/testbed/report.h"

namespace overlane::command {

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
