#include "bench/engine/options.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace overlane::bench {
namespace {

/// Workloads that the command line selects, and its changes to them.
struct Changes {
  std::vector<std::string> names;
  std::string cpu = "both";
  std::int64_t least_hops = 4'000'000;
  std::optional<std::string> network;
  std::optional<std::uint32_t> nodes, pods, flows;
  std::optional<std::int64_t> packets;
  std::uint32_t threads = 1, partitions = 0;
};

void add_options(CLI::App& program, EngineOptions& options, Changes& changes) {
  program.add_option("NAME", changes.names, "Workloads, or the beginnings of their names; all");
  program.add_option("--cpu", changes.cpu, "Without CPU costs, with them, or both")
      ->check(CLI::IsMember({"off", "on", "both"}));
  program.add_option("--hops", changes.least_hops, "Packet-hops that a workload has at least")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40));
  program.add_option("--network", changes.network, "How pods reach pods of other nodes")
      ->check(CLI::IsMember({"routed", "ipip", "vxlan"}));
  program.add_option("--nodes", changes.nodes, "Nodes")->check(CLI::Range(2, 8192));
  program.add_option("--pods", changes.pods, "Pods of each node")->check(CLI::Range(1, 110));
  program.add_option("--flows", changes.flows, "Flows of all nodes")
      ->check(CLI::Range(1, 100'000'000));
  program.add_option("--packets", changes.packets, "Datagrams of each UDP flow")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40));
  program.add_option("--threads", changes.threads, "Threads of each run")
      ->check(CLI::Range(1, 1024));
  program
      .add_option("--partitions", changes.partitions,
                  "Parts that a run is cut into, though it may not pay; as many as threads")
      ->check(CLI::Range(1, 1024));
  program.add_option("--repeat", options.repeat, "Runs of each workload; the median one counts")
      ->check(CLI::Range(1, 1000));
  program.add_flag("--in-process", options.in_process, "No process for each run, for profilers");
  program.add_flag(
      "--limit", options.limit,
      "Not the engine, but the least that any engine has to do (UDP without CPU costs)");
  program.add_flag("--list", options.list, "Only print the names");
  program
      .add_option_function<std::string>(
          "-o,--output", [&options](const std::string& form) { options.json = form == "json"; },
          "Form of the answer")
      ->check(CLI::IsMember({"text", "json"}));
}

/// Whether `given` is `name` or its beginning up to a hyphen: "routed" selects "routed-10".
bool chooses(std::string_view given, std::string_view name) {
  return name.starts_with(given) && (name.size() == given.size() || name[given.size()] == '-');
}

void change(const Changes& changes, Workload& workload) {
  for (const PodNetwork network : {PodNetwork::Routed, PodNetwork::Ipip, PodNetwork::Vxlan})
    if (changes.network == to_string(network)) workload.network = network;
  workload.nodes = changes.nodes.value_or(workload.nodes);
  workload.pods_per_node = changes.pods.value_or(workload.pods_per_node);
  workload.flows = changes.flows.value_or(workload.flows);
  workload.packets_per_flow = changes.packets.value_or(workload.packets_per_flow);
  workload.threads = changes.threads;
  workload.partitions = changes.partitions;
  if (workload.kind == model::TrafficKind::Udp)
    workload.gap = easy_gap(workload.flows, workload.nodes);
}

Result<std::vector<Workload>, WrongUse> choose(const Changes& changes) {
  std::vector<Workload> chosen = standard_workloads(changes.least_hops);
  for (const std::string& given : changes.names) {
    if (std::ranges::none_of(chosen, [&](const auto& one) { return chooses(given, one.name); })) {
      return fail(WrongUse{fmt::format("there is no workload {}; --list names them\n", given)});
    }
  }
  std::erase_if(chosen, [&](const Workload& workload) {
    if (changes.cpu != "both" && workload.cpu_costs != (changes.cpu == "on")) return true;
    return !changes.names.empty() && std::ranges::none_of(changes.names, [&](const auto& given) {
      return chooses(given, workload.name);
    });
  });
  for (Workload& workload : chosen)
    change(changes, workload);
  return chosen;
}

}  // namespace

Result<EngineOptions, WrongUse> parse_options(std::vector<std::string> arguments) {
  EngineOptions options;
  Changes changes;
  CLI::App program("Measures the packet engine on the workloads it is judged by.",
                   "overlane-bench-engine");
  add_options(program, options, changes);
  std::ranges::reverse(arguments);
  try {
    program.parse(std::move(arguments));
  } catch (const CLI::CallForHelp&) {
    return fail(WrongUse{program.help(), 0});
  } catch (const CLI::ParseError& error) {
    return fail(WrongUse{fmt::format("{}\n", error.what())});
  }
  auto chosen = choose(changes);
  if (!chosen) return fail(std::move(chosen.error()));
  options.workloads = *std::move(chosen);
  if (options.limit)
    std::erase_if(options.workloads, [](const Workload& workload) {
      return workload.cpu_costs || workload.kind != model::TrafficKind::Udp ||
             workload.changes != 0;
    });
  if (options.workloads.empty())
    return fail(WrongUse{"the limit has UDP without CPU costs and without changes only\n"});
  return options;
}

}  // namespace overlane::bench
