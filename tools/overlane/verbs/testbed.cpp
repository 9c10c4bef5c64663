#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/suite/program.h"
#include "dataplane/kernel/agent/agent.h"
#include "dataplane/kernel/experiment/place.h"
#include "dataplane/kernel/namespaces/process.h"
#include "results/model/run_report_json.h"
#include "results/pages/run_page.h"
#include "results/report/document_text.h"
#include "results/report/run_document.h"
#include "scenarios/calibrate/files.h"
#include "scenarios/testbed/agent_pair.h"
#include "scenarios/testbed/kernel_cluster.h"
#include "scenarios/testbed/measure.h"
#include "tools/overlane/cli/options.h"
#include "tools/overlane/cli/output.h"
#include "tools/overlane/cli/process.h"
#include "tools/overlane/cli/progress_line.h"
#include "tools/overlane/cli/verbs.h"
#include "tools/overlane/verbs/compiled_shoot.h"
#include "tools/overlane/verbs/kernel_comparison.h"
#include "tools/overlane/verbs/suite_runs.h"
#include "tools/overlane/verbs/testbed_switch.h"
#include "tools/overlane/verbs/user_mode_linux.h"

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

/// Adds `--token-file`.
CLI::Option* add_token_file(CLI::App& verb, std::string& target) {
  return verb
      .add_option("--token-file", target,
                  "File with the secret that agents and clients share, 16 bytes or more")
      ->type_name("FILE");
}

/// Adds `agent` below `testbed`.
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

/// Connects to the two agents of --agents with the token of --token-file. On failure, prints the
/// reason.
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

/// Maximum number of nodes. A testbed shows that a mode works; more nodes only take longer.
constexpr std::uint32_t kMaxTestbedNodes = 32;

using KernelPlace = kernel::Place;

/// Executors that run in addition to the kernel.
struct Executors {
  bool sim = false;
  bool fast_path = false;
};

struct TestbedOptions {
  InputOptions input;
  OutputOptions output;
  std::string shoot;
  std::optional<std::uint32_t> nodes;
  std::optional<KernelPlace> place;  ///< Empty: the first place with the required abilities.
  Fabric fabric = Fabric::Model;
  std::string node;
  testbed::MeasureOptions measure;
  double precision_percent = 2;
  Picos slice = milliseconds(500);
  bool segmentation = true;
  Executors executors;
  std::string profile = "namespaces";
  std::string html_file;
  std::string svg_file;
  std::vector<std::string> agents;
  std::string token_file;
  std::string request_file;
  std::string answer_file;
};

/// The command that runs this program inside user-mode Linux.
kernel::InnerCommand this_program() {
  return {std::filesystem::read_symlink("/proc/self/exe"), "testbed", "execute"};
}

std::vector<KernelPlace> places_of(const TestbedOptions& options) {
  if (options.place) return {*options.place};
  return {KernelPlace::Namespaces, KernelPlace::UserModeLinux};
}

ExitCode run_failed(const std::string& message) {
  print_error(message);
  return ExitCode::RunFailed;
}

ExitCode probe(const TestbedOptions& options) {
  std::vector<ProbedPlace> probed;
  for (const KernelPlace place : places_of(options))
    probed.push_back({place, kernel::ask(place, {.probe = true}, this_program())});
  const bool any = std::ranges::any_of(
      probed, [](const ProbedPlace& place) { return place.answer.has_value(); });
  const ExitCode written =
      options.output.format == Format::Json
          ? write_json(options.output, encode(probed))
          : write_text(options.output, print(probed, output_style(options.output)));
  return written == ExitCode::Clean && !any ? ExitCode::RunFailed : written;
}

/// Loads the input and compiles its variants. If the input is rejected, prints the reason.
Result<std::vector<CompiledVariant>, ExitCode> load(const TestbedOptions& options) {
  const runner::Request request{
      .paths = options.input.paths,
      .subject = {.derive = options.input.derive, .shoot = options.shoot, .nodes = options.nodes}};
  auto variants = compile_variants(request);
  if (!variants) return fail(print_failure(variants.error(), options.input.quiet));
  return *std::move(variants);
}

ExitCode print_commands(const TestbedOptions& options) {
  const auto variants = load(options);
  if (!variants) return variants.error();
  const std::string text = commands_text(*variants, options.node);
  if (text.empty()) {
    print_error(fmt::format("no variant has a node \"{}\"", options.node));
    return ExitCode::Usage;
  }
  return write_text(options.output, text);
}

ExitCode run(const TestbedOptions& options) {
  const auto variants = load(options);
  if (!variants) return variants.error();
  const auto too_many = [](const CompiledVariant& variant) {
    return variant.states && variant.states->nodes.size() > kMaxTestbedNodes;
  };
  if (std::ranges::any_of(*variants, too_many)) {
    print_error(fmt::format("more than {} nodes; choose fewer with --nodes", kMaxTestbedNodes));
    return ExitCode::Usage;
  }
  const auto report = run_testbed(*variants, places_of(options), options.fabric, this_program());
  if (!report) return run_failed(report.error());
  const ExitCode written =
      options.output.format == Format::Json
          ? write_json(options.output, encode(*report))
          : write_text(options.output, print(*report, output_style(options.output)));
  if (written != ExitCode::Clean) return written;
  return any_difference(*report) ? ExitCode::Finding : ExitCode::Clean;
}

ExitCode execute(const TestbedOptions& options) {
  const auto done = kernel::answer_files(options.request_file, options.answer_file);
  return done ? ExitCode::Clean : run_failed(done.error());
}

runner::Outcome<model::RunReport> measure_scenario(const TestbedOptions& options,
                                                   const runner::Prepared& prepared,
                                                   runner::Request request,
                                                   const Interrupt& interrupt,
                                                   testbed::Hosts& hosts) {
  request.steering.stop = &interrupt.asked();
  const StatusLine line(!options.input.quiet && stderr_is_terminal());
  testbed::MeasureOptions measured = options.measure;
  measured.precision_ppm = static_cast<std::int64_t>(options.precision_percent * 1e4 + 0.5);
  measured.slice.times.counted =
      std::chrono::milliseconds(options.slice.whole_nanoseconds() / 1'000'000);
  measured.slice.offloads.segmentation = options.segmentation;
  if (options.executors.fast_path)
    measured.fast_path = {
        .program = suite::find_program(folder_of_this_program(), "overlane-fastpath"),
        .inputs = options.input.paths,
        .hugepages = request.environment.hugepages};
  if (options.executors.sim) {
    auto profile = calibrate::load_profile(options.profile);
    if (!profile) return runner::unusable(std::move(profile.error()));
    measured.predict_with = *std::move(profile);
  }
  measured.most_slices = std::max(measured.most_slices, measured.least_slices);
  measured.on_progress = [&](const testbed::MeasureProgress& now) {
    line.show(fmt::format("slice {} of {} to {}: {}, {}", now.slice, now.min, now.max, now.variant,
                          now.traffic));
  };
  return testbed::measure(prepared, request, measured, hosts);
}

/// Runs the measurement inside user-mode Linux.
Parsed<model::RunReport> measure_in_user_mode_linux() {
  const auto result = result_in_user_mode_linux({"--output", "json", "--out"});
  if (!result) return fail(result.error());
  return model::decode_run_report(*result);
}

bool is_host_lost(const model::RunReport& report) {
  return std::ranges::any_of(
      report.findings, [](const Finding& finding) { return finding.rule == testbed::kHostLost; });
}

ExitCode write_report(const model::RunReport& report, const OutputOptions& output) {
  if (output.format == Format::Json) return write_json(output, model::encode(report));
  if (output.format == Format::Csv) return write_text(output, report::run_csv(report));
  const answer::Document document = report::run_document(report);
  if (output.format == Format::Markdown)
    return write_text(output, report::document_markdown(document));
  return write_text(
      output, report::document_text(document, {.style = output_style(output), .with_title = true}));
}

ExitCode write_measured(const model::RunReport& report, const runner::Prepared& prepared,
                        const TestbedOptions& options) {
  print_findings(report.findings, options.input.quiet, options.input.fail_on);
  if (!options.html_file.empty()) {
    const ExitCode written = write_text(
        options.html_file, pages::run_page(report, picture_of(prepared.subject.topology)));
    if (written != ExitCode::Clean) return written;
  }
  if (!options.svg_file.empty()) {
    const ExitCode written = write_text(options.svg_file, pages::variant_bars_svg(report));
    if (written != ExitCode::Clean) return written;
  }
  const ExitCode written = write_report(report, options.output);
  if (written != ExitCode::Clean) return written;
  // The error has already been printed.
  if (is_host_lost(report)) return ExitCode::RunFailed;
  if (model::ending_of(report) == model::Ending::Interrupted) return ExitCode::Interrupted;
  const bool any_measured = std::ranges::any_of(
      report.variants,
      [](const model::VariantResult& variant) { return !variant.traffic.empty(); });
  if (!any_measured) return run_failed("no variant could be measured; the report says why");
  return any_at_or_above(report.findings, options.input.fail_on) ? ExitCode::Finding
                                                                 : ExitCode::Clean;
}

/// The reason why the options cannot be combined with agents; empty if they can.
std::string unusable_with_agents(const TestbedOptions& options) {
  if (options.agents.size() != testbed::kHosts)
    return fmt::format("--agents takes 2 agents, not {}", options.agents.size());
  if (options.nodes.value_or(2) != testbed::kHosts) return "two agents are two nodes: --nodes 2";
  if (options.place) return "--place is for namespaces of one machine, not for agents";
  if (options.executors.sim)
    return "--executor sim,kernel predicts namespaces of one machine, not agents";
  if (options.executors.fast_path)
    return "--executor kernel,fastpath is for one machine, not agents";
  return "";
}

ExitCode measure_over_agents(const TestbedOptions& options, const runner::Prepared& prepared,
                             const runner::Request& request) {
  const Interrupt interrupt;
  const auto pair = connect_to_agents(options.agents, options.token_file, interrupt);
  if (!pair) return pair.error();
  if ((*pair)->is_as_is() && !options.segmentation)
    return end_with(ExitCode::Usage,
                    "--segmentation off needs agents that make pods; these measure the network as "
                    "it is");
  const auto report = measure_scenario(options, prepared, request, interrupt, **pair);
  if (!report) return print_failure(report.error(), options.input.quiet, options.input.fail_on);
  // Agents remove everything when the connection ends, but only here can they report a failure.
  const bool is_connected = !interrupt.asked() && !is_host_lost(*report);
  const auto finished = is_connected ? (*pair)->finish() : Result<void, std::string>();
  const ExitCode written = write_measured(*report, prepared, options);
  return finished ? written : run_failed(finished.error());
}

ExitCode measure(const TestbedOptions& options) {
  runner::Request request{
      .paths = options.input.paths,
      .subject = {.derive = options.input.derive, .shoot = options.shoot, .nodes = options.nodes},
      .seed = options.input.seed,
      .environment = this_environment()};
  if (!options.agents.empty()) {
    if (const std::string why = unusable_with_agents(options); !why.empty())
      return end_with(ExitCode::Usage, why);
    request.subject.nodes = testbed::kHosts;
  }
  const auto prepared = runner::prepare(request);
  if (!prepared) return print_failure(prepared.error(), options.input.quiet, options.input.fail_on);
  if (!options.agents.empty()) return measure_over_agents(options, *prepared, request);
  if (options.place == KernelPlace::UserModeLinux) {
    if (options.executors.fast_path)
      return end_with(ExitCode::Usage, "--executor kernel,fastpath is not for --place uml");
    // Ctrl-C ends this process, and thereby the other kernel.
    const auto report = measure_in_user_mode_linux();
    return report ? write_measured(*report, *prepared, options) : run_failed(report.error());
  }
  const auto host = testbed::ThisHost::open();
  if (!host) return end_with(ExitCode::Usage, host.error() + "; run it as root");
  const Interrupt interrupt;
  const auto report = measure_scenario(options, *prepared, request, interrupt, **host);
  return report ? write_measured(*report, *prepared, options)
                : print_failure(report.error(), options.input.quiet, options.input.fail_on);
}

constexpr std::array kExecutors = {
    Choice<Executors>{"kernel", {}},
    Choice<Executors>{"sim,kernel", {.sim = true}},
    Choice<Executors>{"kernel,fastpath", {.fast_path = true}},
    Choice<Executors>{"sim,kernel,fastpath", {.sim = true, .fast_path = true}},
};
constexpr std::array kOffloads = {Choice<bool>{"on", true}, Choice<bool>{"off", false}};

constexpr std::array kKernelPlaces = {
    Choice<std::optional<KernelPlace>>{"auto", std::nullopt},
    Choice<std::optional<KernelPlace>>{"namespaces", KernelPlace::Namespaces},
    Choice<std::optional<KernelPlace>>{"uml", KernelPlace::UserModeLinux},
};
constexpr std::array kMeasurePlaces = {
    Choice<std::optional<KernelPlace>>{"namespaces", std::nullopt},
    Choice<std::optional<KernelPlace>>{"uml", KernelPlace::UserModeLinux},
};
constexpr std::array kFabrics = {Choice<Fabric>{"model", Fabric::Model},
                                 Choice<Fabric>{"kernel", Fabric::Kernel}};

void add_place(CLI::App& verb, TestbedOptions& options) {
  add_choice(verb, "--place", options.place, kKernelPlaces,
             "The kernel: the running one (namespaces) or user-mode Linux (uml); auto chooses one "
             "that has the devices");
}

void add_subject(CLI::App& verb, TestbedOptions& options) {
  verb.add_option("--shoot", options.shoot, "The shoot to use, if the manifests have several")
      ->type_name("NS/NAME");
  add_nodes_option(verb, options.nodes, 1, kMaxTestbedNodes);
}

using Do = ExitCode (*)(const TestbedOptions&);

/// Adds a verb below `testbed`.
CLI::App* add_sub(CLI::App& testbed, const std::string& name, const std::string& what,
                  const std::shared_ptr<TestbedOptions>& options, Action& chosen, Do action) {
  CLI::App* verb = testbed.add_subcommand(name, what);
  verb->callback([=, &chosen] { chosen = [=] { return action(*options); }; });
  return verb;
}

}  // namespace

void add_testbed(CLI::App* testbed, Action& chosen) {
  auto options = std::make_shared<TestbedOptions>();
  testbed->require_subcommand(1);

  CLI::App* verb = add_sub(
      *testbed, "run",
      "Send packets between pods over Linux kernels and compare the outcomes with the model",
      options, chosen, run);
  add_input_options(*verb, options->input);
  add_output_options(*verb, options->output);
  add_subject(*verb, *options);
  add_place(*verb, *options);
  add_choice(*verb, "--fabric", options->fabric, kFabrics,
             "The network between the nodes: the model of the VPC, or a kernel");

  verb = add_sub(*testbed, "measure",
                 "Measure a scenario's traffic on this machine's kernel, in network namespaces",
                 options, chosen, measure);
  add_input_options(*verb, options->input);
  add_seed_option(*verb, options->input);
  add_output_options(*verb, options->output, ResultShape::Report);
  add_subject(*verb, *options);
  add_choice(*verb, "--place", options->place, kMeasurePlaces,
             "The running kernel, which needs root; or user-mode Linux, which has ipip and whose "
             "times are not those of a machine");
  verb->add_option("--precision", options->precision_percent,
                   "Measure until the 95 % interval of each ratio is within this many percent")
      ->type_name("PERCENT")
      ->capture_default_str()
      ->check(CLI::Range(0.1, 100.0));
  verb->add_option("--least-slices", options->measure.least_slices,
                   "Slices of each traffic of each variant at least")
      ->type_name("N")
      ->capture_default_str()
      ->check(CLI::Range(2u, 10'000u));
  verb->add_option("--most-slices", options->measure.most_slices, "Slices at most")
      ->type_name("N")
      ->capture_default_str()
      ->check(CLI::Range(2u, 10'000u));
  add_time_option(*verb, "--slice", options->slice,
                  "Duration of a slice, behind its warm-up (default: 500ms)",
                  {milliseconds(50), seconds(60)});
  add_choice(*verb, "--segmentation", options->segmentation, kOffloads,
             "Segmentation offload of all devices (GSO, TSO)");
  add_choice(*verb, "--executor", options->executors, kExecutors,
             "kernel measures; sim also predicts each figure with the packet engine; fastpath also "
             "forwards the datagrams with overlane-fastpath");
  verb->add_option("--cost-profile", options->profile,
                   "CostProfile of predictions, as `overlane calibrate --measure` makes it: a file "
                   "or a library name")
      ->type_name("FILE")
      ->capture_default_str();
  verb->add_flag("--cross-check", options->measure.is_cross_checked,
                 "Afterwards let iperf3 and sockperf measure streams and requests, if installed");
  verb->add_flag("--aa", options->measure.is_noise_measured,
                 "Measure the baseline twice: the difference is noise");
  verb->add_option("--html", options->html_file, "Also write the report as one HTML page")
      ->type_name("FILE");
  verb->add_option("--svg", options->svg_file,
                   "Also draw the figures as bars with intervals, and what was predicted as a mark")
      ->type_name("FILE");
  CLI::Option* agents =
      verb->add_option("--agents", options->agents,
                       "Measure between two hosts with `overlane testbed agent`, as nodes 1 and 2")
          ->type_name("ADDRESS:PORT,ADDRESS:PORT")
          ->delimiter(',');
  agents->needs(add_token_file(*verb, options->token_file)->needs(agents));

  add_testbed_agent(*testbed, chosen);
  add_testbed_switch(*testbed, chosen);

  verb =
      add_sub(*testbed, "print", "Print the commands that configure each node on a Linux machine",
              options, chosen, print_commands);
  add_input_options(*verb, options->input);
  add_output_options(*verb, options->output);
  add_subject(*verb, *options);
  verb->add_option("--node", options->node, "Print only this node")->type_name("NAME");

  verb = add_sub(*testbed, "probe", "Show the devices and packet filters that each kernel supports",
                 options, chosen, probe);
  add_output_options(*verb, options->output);
  add_place(*verb, *options);

  verb = add_sub(*testbed, "execute", "What runs inside user-mode Linux", options, chosen, execute);
  verb->group("");
  verb->add_option("REQUEST", options->request_file)->required();
  verb->add_option("ANSWER", options->answer_file)->required();
}

}  // namespace overlane::command
