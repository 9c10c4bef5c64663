#include "tools/overlane/verbs/testbed_agent.h"

#include <array>
#include <mutex>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "dataplane/kernel/agent/agent.h"
#include "tools/overlane/cli/options.h"
#include "tools/overlane/cli/output.h"

namespace overlane::command {
namespace {

struct AgentVerbOptions {
  std::string listen;
  std::string token_file;
  agent::HostNetwork network = agent::HostNetwork::Pods;
  std::optional<std::string> uplink;
  bool is_once = false;
};

void print_log(std::string_view line) {
  print_aside(fmt::format("overlane: agent: {}\n", line));
}

ExitCode serve(const AgentVerbOptions& options) {
  auto token = agent::Token::read(options.token_file);
  if (!token) return end_with(ExitCode::Usage, token.error());
  auto endpoint = agent::Endpoint::parse(options.listen);
  if (!endpoint) return end_with(ExitCode::Usage, "--listen: " + endpoint.error());
  const Interrupt interrupt;
  std::mutex lines;
  auto started = agent::Agent::start({.listen = *endpoint,
                                      .network = options.network,
                                      .uplink = options.uplink,
                                      .is_once = options.is_once,
                                      .log =
                                          [&](const std::string& line) {
                                            const std::scoped_lock lock(lines);
                                            print_log(line);
                                          }},
                                     *std::move(token));
  if (!started) return end_with(ExitCode::RunFailed, started.error());
  endpoint->port = started->port();
  print_log("listens at " + endpoint->to_string());
  switch (started->serve(interrupt.asked())) {
    case agent::AgentEnd::Measured:
      return ExitCode::Clean;
    case agent::AgentEnd::Lost:
      return ExitCode::RunFailed;
    case agent::AgentEnd::Stopped:
      break;
  }
  return ExitCode::Interrupted;
}

constexpr std::array kHostNetworks = {
    Choice<agent::HostNetwork>{"pods", agent::HostNetwork::Pods},
    Choice<agent::HostNetwork>{"as-is", agent::HostNetwork::AsIs}};

}  // namespace

CLI::Option* add_token_file(CLI::App& verb, std::string& target) {
  return verb
      .add_option("--token-file", target,
                  "File with the secret that agents and clients share, 16 bytes or more")
      ->type_name("FILE");
}

void add_testbed_agent(CLI::App& testbed, Action& chosen) {
  auto options = std::make_shared<AgentVerbOptions>();
  CLI::App* verb = testbed.add_subcommand(
      "agent", "Carry traffic on this host for `overlane testbed measure --agents`");
  verb->callback([=, &chosen] { chosen = [=] { return serve(*options); }; });
  verb->add_option("--listen", options->listen, "Where to wait for clients")
      ->type_name("ADDRESS:PORT")
      ->required();
  add_token_file(*verb, options->token_file)->required();
  add_choice(*verb, "--network", options->network, kHostNetworks,
             "pods: makes pods, routes and tunnels on this host, which needs root; as-is: uses the "
             "host's own address over the network that is there");
  verb->add_option("--uplink", options->uplink,
                   "Device that leads to the other host (default: the one that clients reach)")
      ->type_name("DEVICE");
  verb->add_flag("--once", options->is_once, "End after the first measurement");
}

Result<std::unique_ptr<testbed::AgentPair>, ExitCode> connect_to_agents(
    const std::vector<std::string>& agents, const std::string& token_file,
    const Interrupt& interrupt) {
  const auto token = agent::Token::read(token_file);
  if (!token) return fail(end_with(ExitCode::Usage, token.error()));
  std::array<agent::Endpoint, testbed::kHosts> endpoints;
  for (std::size_t i = 0; i < endpoints.size(); ++i) {
    auto endpoint = agent::Endpoint::parse(agents.at(i));
    if (!endpoint) return fail(end_with(ExitCode::Usage, "--agents: " + endpoint.error()));
    endpoints[i] = *std::move(endpoint);
  }
  auto pair = testbed::AgentPair::connect(endpoints, *token, interrupt.asked());
  if (pair) return *std::move(pair);
  if (interrupt.asked()) return fail(ExitCode::Interrupted);
  return fail(end_with(ExitCode::RunFailed, pair.error()));
}

}  // namespace overlane::command
