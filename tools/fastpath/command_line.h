#pragma once

#include <memory>
#include <optional>
#include <string>

#include "dataplane/dpdk/io/eal.h"
#include "dataplane/node/state/node_state.h"
#include "results/finding/finding.h"
#include "tools/overlane/cli/options.h"
#include "tools/overlane/cli/verbs.h"

namespace CLI {
class App;
}

// The verbs of `overlane-fastpath`, and the options that several verbs share: the node of a shoot
// whose role the program takes, and the cores and the memory for DPDK.
namespace overlane::fastpath {

/// Adds `bench`, which measures the rate of the node's core for frames that the program generates.
void add_bench(CLI::App& program, command::Action& chosen);
/// Adds `forward`, which forwards between real ports until it is stopped.
void add_forward(CLI::App& program, command::Action& chosen);
/// Adds `search`, which finds the largest loads that the node forwards with a loss within the
/// goals.
void add_search(CLI::App& program, command::Action& chosen);
/// Adds `verify`, which sends a capture through a node and compares the result with the reference.
void add_verify(CLI::App& program, command::Action& chosen);

/// Selects a node of a shoot.
struct SubjectOptions {
  command::InputOptions input;
  std::string shoot;    ///< "namespace/name".
  std::string variant;  ///< Empty: the shoot as written.
  std::string node;     ///< Empty: the first node.
  std::optional<std::uint32_t> nodes;
};

void add_subject_options(CLI::App& verb, SubjectOptions& options);

/// Returns the state of the selected node. If the input is invalid or has no such node, prints an
/// error and returns its exit code.
Result<std::shared_ptr<const node::NodeState>, command::ExitCode> load_node(
    const SubjectOptions& options);

/// Adds --cores, --memory and --no-hugepages to a verb. `cores` describes the use of the cores.
void add_eal_options(CLI::App& verb, dpdk::EalOptions& options, const std::string& cores);

}  // namespace overlane::fastpath
