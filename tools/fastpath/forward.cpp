#include "tools/fastpath/forward.h"

#include <memory>

#include <CLI/CLI.hpp>

#include "dataplane/adjacency/burst.h"
#include "tools/fastpath/eal_options.h"
#include "tools/fastpath/forward_loop.h"
#include "tools/overlane/cli/output.h"

namespace overlane::fastpath {
namespace {

/// A hundred days, the limit of the clock.
constexpr Picos kMaxTime = seconds(100 * 86'400);

command::ExitCode forward(ForwardOptions options) {
  if (options.output.format == command::Format::Json) {
    command::print_error("reports come one by one: -o jsonl");
    return command::ExitCode::Usage;
  }
  const auto signals = Signals::take();
  if (!signals) {
    command::print_error(signals.error());
    return command::ExitCode::RunFailed;
  }
  auto state = load_node(options.subject);
  if (!state) return state.error();
  options.eal.devices = {options.pods, options.uplink};
  if (!options.host.empty()) options.eal.devices.push_back(options.host);
  return run_forwarding(options, std::move(*state), *signals);
}

void add_ports(CLI::App& verb, ForwardOptions& options) {
  const auto port = [&verb](const char* name, std::string& device, const char* what) {
    return verb.add_option(name, device, what)->type_name("DEVICE");
  };
  port("--pods", options.pods,
       "The port that the node's pods are behind: a PCI address, or a virtual device such as "
       "net_af_packet0,iface=veth0")
      ->required();
  port("--uplink", options.uplink, "The port to the other nodes")->required();
  port("--host", options.host, "The port to the node's own network stack");
}

}  // namespace

void add_forward(CLI::App& program, command::Action& chosen) {
  auto options = std::make_shared<ForwardOptions>();
  CLI::App* verb = program.add_subcommand(
      "forward", "Forwards between ports as a node of a shoot does, until it is stopped");
  add_subject_options(*verb, options->subject);
  add_ports(*verb, *options);
  command::add_time_option(*verb, "--every", options->report_every,
                           "Also report the counters so often; a number alone is in seconds",
                           {Picos{}, kMaxTime, "s"});
  command::add_time_option(*verb, "--for", options->run_for,
                           "Stop by itself after so long; a number alone is in seconds",
                           {Picos{}, kMaxTime, "s"});
  command::add_time_option(*verb, "--idle", options->idle,
                           "Sleep so long when no packet came: spares the core, costs latency; a "
                           "number alone is in microseconds",
                           {Picos{}, milliseconds(100), "us"});
  verb->add_option("--burst", options->burst, "Packets received at once")
      ->check(CLI::Range(std::size_t{1}, adjacency::kBurst));
  verb->add_option("--buffers", options->buffers, "Packet buffers of all ports together")
      ->check(CLI::Range(1024, 1 << 22));
  add_eal_options(*verb, options->eal,
                  "The logical cores that do it: with several the first one has the slow path, and "
                  "each other one a queue of each port");
  command::add_output_options(*verb, options->output, command::ResultShape::Records);
  verb->callback([options, &chosen] { chosen = [options] { return forward(*options); }; });
}

}  // namespace overlane::fastpath
