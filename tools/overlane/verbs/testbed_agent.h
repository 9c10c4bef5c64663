#pragma once

#include <memory>
#include <string>
#include <vector>

#include "results/finding/finding.h"
#include "scenarios/testbed/agent_pair.h"
#include "tools/overlane/cli/process.h"
#include "tools/overlane/cli/verbs.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace overlane::command {

/// Adds `agent` below `testbed`.
void add_testbed_agent(CLI::App& testbed, Action& chosen);

/// Adds `--token-file`.
CLI::Option* add_token_file(CLI::App& verb, std::string& target);

/// Connects to two agents, as --agents and --token-file name them; if that fails, prints the
/// reason.
Result<std::unique_ptr<testbed::AgentPair>, ExitCode> connect_to_agents(
    const std::vector<std::string>& agents, const std::string& token_file,
    const Interrupt& interrupt);

}  // namespace overlane::command
