#pragma once

#include <span>
#include <string>
#include <vector>

#include "dataplane/kernel/namespaces/network_namespace.h"
#include "dataplane/kernel/set_up/command.h"
#include "results/finding/finding.h"

namespace overlane::kernel {

/// Runs the commands in order inside `node`, with as few processes as their order allows:
/// neighbours of one program become one batch, sysctls are written directly. "netns world" in them
/// means `world`. Stops at the first that fails; the message holds its line and what the program
/// said.
Result<void, std::string> run_commands(std::span<const Command> commands,
                                       const NetworkNamespace& node, const NetworkNamespace& world);

/// A namespace without IPv6, whose own chatter would reach the nodes beside it.
Parsed<NetworkNamespace> make_silent_namespace();

}  // namespace overlane::kernel
