#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "dataplane/kernel/experiment/place.h"
#include "results/report/column_table.h"
#include "tools/overlane/verbs/compiled_shoot.h"
#include "topologies/kernel_trace/reach.h"

namespace overlane::command {

// The comparison of `overlane testbed` between the model and a Linux kernel. It writes the model's
// node states to network namespaces, sends packets from each pod to each other pod, and compares
// the arriving packets with the model. A kernel::Place is a place with such a kernel; each variant
// runs in the first place that has its devices.

/// The result of one variant on the kernel.
struct TestbedVariant {
  std::string name;
  std::optional<kernel::Place> place;  ///< Empty: not run, for `reason`.
  std::string reason;
  std::vector<std::string> nodes;  ///< Names of nodes, by number.
  testbed::Reach reach;
};

/// Whether kernel and model differ for any packet.
bool any_difference(const std::vector<TestbedVariant>& report);

/// A place with a kernel, and its abilities.
struct ProbedPlace {
  kernel::Place place;
  Parsed<kernel::Answer> answer;
};

nlohmann::ordered_json encode(const std::vector<TestbedVariant>& report);
nlohmann::ordered_json encode(const std::vector<ProbedPlace>& probed);
std::string print(const std::vector<TestbedVariant>& report, report::Style style);
std::string print(const std::vector<ProbedPlace>& probed, report::Style style);

/// The set-up commands of every node, or of the named one, with comments.
std::string commands_text(const std::vector<CompiledVariant>& variants, const std::string& node);

/// The implementation of the VPC between the nodes: forward::forward of the FabricState, or a
/// kernel.
enum class Fabric : std::uint8_t { Model, Kernel };

/// Runs each variant in the first of `places` that has its devices. Fails if no place is available.
Parsed<std::vector<TestbedVariant>> run_testbed(const std::vector<CompiledVariant>& variants,
                                                const std::vector<kernel::Place>& places,
                                                Fabric fabric, const kernel::InnerCommand& inner);

}  // namespace overlane::command
