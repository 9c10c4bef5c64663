#include "bench/engine/program.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <sys/wait.h>
#include <tuple>
#include <type_traits>
#include <unistd.h>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/engine/limit.h"

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
  bool fast = false;
};

void add_options(CLI::App& program, EngineOptions& options, Changes& changes) {
  program.add_option("NAME", changes.names, "Workloads, or the beginnings of their names; all");
  program.add_option("--cpu", changes.cpu, "Without CPU costs, with them, or both")
      ->check(CLI::IsMember({"off", "on", "both"}));
  program.add_option("--hops", changes.least_hops, "Packet-hops that a workload has at least")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40));
  program.add_option("--network", changes.network, "How pods reach pods of other nodes")
      ->check(CLI::IsMember({"routed", "ipip", "vxlan"}));
  program.add_option("--nodes", changes.nodes, "Nodes")->check(CLI::Range(2, 16'384));
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
  program.add_flag("--fast", changes.fast,
                   "Leave out the events of datagrams whose times can be computed directly");
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
  workload.fast = changes.fast;
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

namespace {

#ifdef NDEBUG
constexpr bool kAssertions = false;
#else
constexpr bool kAssertions = true;
#endif

constexpr double kMillion = 1e6;

std::string_view network_of(const Workload& workload) {
  return workload.between_nodes ? "nodes" : to_string(workload.network);
}

}  // namespace

std::string text_head() {
  return fmt::format(
      "{:<13} {:<6} {:>3} {:>5} {:>8} {:>11} {:>10} {:>11} {:>7} {:>8} {:>8} {:>8} {:>8} "
      "{:>8} {:>9} {:>6} {:>7} {:>9}\n",
      "workload", "net", "cpu", "nodes", "flows", "hops", "packets", "events", "ev/pkt", "prep s",
      "setup s", "loop s", "Mhops/s", "Mpkts/s", "ns/pkt", "core %", "RSS MB", "checked");
}

std::string text_line(const Line& line) {
  const Workload& workload = line.workload;
  const Figures& figures = line.figures;
  return fmt::format(
      "{:<13} {:<6} {:>3} {:>5} {:>8} {:>11} {:>10} {:>11} {:>7.2f} {:>8.3f} {:>8.3f} {:>8.3f} "
      "{:>8.3f} {:>8.3f} {:>9.1f} {:>6.0f} {:>7.0f} {:>9}\n",
      workload.name, network_of(workload), workload.cpu_costs ? "on" : "off", workload.nodes,
      workload.flows, figures.packet_hops, figures.packets, figures.events,
      figures.events_per_packet(), figures.prepare_seconds, figures.setup_seconds,
      figures.loop_seconds, figures.packet_hops_per_second() / kMillion,
      figures.packets_per_second() / kMillion, figures.ns_per_packet(), 100 * figures.core_share,
      figures.peak_rss_mb, figures.byte_path_checked);
}

std::string json(const std::vector<Line>& lines) {
  nlohmann::ordered_json report = {{"schema_version", 1},
                                   {"kind", "EngineBenchmark"},
                                   {"assertions", kAssertions},
                                   {"workloads", nlohmann::ordered_json::array()}};
  for (const auto& [workload, figures] : lines) {
    report["workloads"].push_back({{"name", workload.name},
                                   {"network", network_of(workload)},
                                   {"kind", to_string(workload.kind)},
                                   {"cpu_costs", workload.cpu_costs},
                                   {"nodes", workload.nodes},
                                   {"pods_per_node", workload.pods_per_node},
                                   {"flows", workload.flows},
                                   {"packet_hops", figures.packet_hops},
                                   {"packets_delivered", figures.packets},
                                   {"packets_dropped", figures.dropped},
                                   {"events", figures.events},
                                   {"events_per_packet", figures.events_per_packet()},
                                   {"prepare_seconds", figures.prepare_seconds},
                                   {"setup_seconds", figures.setup_seconds},
                                   {"loop_seconds", figures.loop_seconds},
                                   {"packet_hops_per_second", figures.packet_hops_per_second()},
                                   {"packets_per_second", figures.packets_per_second()},
                                   {"ns_per_packet", figures.ns_per_packet()},
                                   {"core_share", figures.core_share},
                                   {"peak_rss_mb", figures.peak_rss_mb},
                                   {"byte_path_checked", figures.byte_path_checked}});
  }
  return report.dump(1) + "\n";
}

namespace {

static_assert(std::is_trivially_copyable_v<Figures>);

int answer(Measure how, const Workload& workload, int out) {
  const auto figures = how(workload);
  if (!figures) {
    fmt::print(stderr, "{}: {}\n", workload.name, figures.error());
    return 1;
  }
  return write(out, &*figures, sizeof *figures) == sizeof *figures ? 0 : 1;
}

}  // namespace

Parsed<Figures> measure_in_child(Measure how, const Workload& workload) {
  int ends[2];
  if (pipe(ends) != 0) return fail("no pipe");
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) return fail("no process");
  if (child == 0) {
    close(ends[0]);
    _exit(answer(how, workload, ends[1]));
  }
  close(ends[1]);
  Figures figures;
  const bool answered = read(ends[0], &figures, sizeof figures) == sizeof figures;
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (answered && status == 0) return figures;
  if (WIFSIGNALED(status)) return fail(fmt::format("ended by signal {}", WTERMSIG(status)));
  return fail("failed");
}

namespace {

/// The figures that do not depend on the clock.
auto facts(const Figures& figures) {
  return std::tuple(figures.packet_hops, figures.packets, figures.dropped, figures.events,
                    figures.byte_path_checked);
}

/// The run with the median loop time. Fails if two runs differ in more than time.
Parsed<Figures> median(const Workload& workload, const EngineOptions& options) {
  std::vector<Figures> runs;
  for (int run = 0; run < options.repeat; ++run) {
    const Measure how = options.limit ? measure_limit : measure;
    const auto figures = options.in_process ? how(workload) : measure_in_child(how, workload);
    if (!figures) return fail(figures.error());
    if (!runs.empty() && facts(runs.front()) != facts(*figures))
      return fail("two runs of the same have done different things");
    runs.push_back(*figures);
  }
  const auto middle = runs.begin() + static_cast<std::ptrdiff_t>((runs.size() - 1) / 2);
  std::ranges::nth_element(runs, middle, {}, &Figures::loop_seconds);
  return *middle;
}

}  // namespace

int run_program(const EngineOptions& options, const Output& output) {
  if (options.list) {
    for (const Workload& workload : options.workloads)
      output(fmt::format("{}{}\n", workload.name, workload.cpu_costs ? " with CPU costs" : ""));
    return 0;
  }
  std::vector<Line> lines;
  bool failed = false;
  if (!options.json) output(text_head());
  for (const Workload& workload : options.workloads) {
    const auto figures = median(workload, options);
    if (!figures) {
      fmt::print(stderr, "overlane-bench-engine: error: {}: {}\n", workload.name, figures.error());
      failed = true;
      continue;
    }
    lines.push_back({workload, *figures});
    if (!options.json) output(text_line(lines.back()));
  }
  if (options.json) output(json(lines));
  return failed ? 1 : 0;
}

}  // namespace overlane::bench
