#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dataplane/node/state/node_state.h"
#include "tools/overlane/cli/options.h"
#include "tools/overlane/cli/verbs.h"

namespace CLI {
class App;
}

namespace overlane::fastpath {

/// Selects a node of a shoot.
struct SubjectOptions {
  command::InputOptions input;
  std::string shoot;    ///< "namespace/name".
  std::string variant;  ///< Empty: as written.
  std::string node;     ///< Empty: the first.
  std::optional<std::uint32_t> nodes;
};

void add_subject_options(CLI::App& verb, SubjectOptions& options);

/// The state of the selected node. Prints an error and returns its exit code if the input is
/// invalid or has no such node.
Result<std::shared_ptr<const node::NodeState>, command::ExitCode> load_node(
    const SubjectOptions& options);

}  // namespace overlane::fastpath
