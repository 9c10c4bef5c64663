#include "tools/overlane/verbs/testbed_switch.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <memory>
#include <optional>
#include <tuple>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dataplane/kernel/namespaces/network_namespace.h"
#include "results/pages/page.h"
#include "results/report/document_text.h"
#include "results/report/text.h"
#include "scenarios/migration/outages/outages.h"
#include "scenarios/replay/replay.h"
#include "scenarios/replay/switch_replay.h"
#include "scenarios/runner/plan/plan.h"
#include "tools/overlane/cli/options.h"
#include "tools/overlane/cli/output.h"
#include "tools/overlane/cli/process.h"
#include "tools/overlane/cli/progress_line.h"
#include "tools/overlane/verbs/migration_document.h"
#include "tools/overlane/verbs/user_mode_linux.h"

// `overlane testbed switch`: a switch of the pod network in real time beside its prediction.

namespace overlane::command {
namespace {

using answer::Detail;
using answer::Section;
using answer::Tone;
using replay::ComparedConnection;
using replay::ComparedFigures;
using replay::ComparedPair;
using replay::Observation;
using replay::SwitchReplay;

constexpr std::uint32_t kDefaultNodes = 4;
constexpr std::uint32_t kMaxReplayedNodes = 12;

struct SwitchOptions {
  InputOptions input;
  OutputOptions output;
  migration::LoadRequest load;
  migration::Target to{};
  std::string strategy = "today";
  bool is_in_user_mode_linux = false;
  bool has_bird = false;
  Picos longest = seconds(900);
  std::string observed;
  std::string save;
  std::string html;
};

/// "none", "3.2 s", or "3.1 to 3.4 s".
std::string range_text(Picos min, Picos max) {
  const auto text = [](Picos time) { return time == Picos{} ? "none" : time_text(time); };
  return text(min) == text(max) ? text(min) : fmt::format("{} to {}", text(min), text(max));
}
std::string range_text(std::uint64_t min, std::uint64_t max) {
  return min == max ? fmt::to_string(min) : fmt::format("{} to {}", min, max);
}

answer::Table figures_table(const SwitchReplay& result) {
  answer::Table table{
      .title = "traffic between nodes",
      .columns = {{"interrupted pairs"}, {"predicted"}, {"longest"}, {"predicted"}}};
  for (const ComparedFigures& one : result.figures) {
    const auto& [traffic, observed, min, max] = one;
    table.rows.push_back({.label = std::string(to_string(traffic)),
                          .cells = {{.text = fmt::to_string(observed.interrupted)},
                                    {.text = range_text(min.interrupted, max.interrupted)},
                                    {.text = range_text(observed.longest, observed.longest)},
                                    {.text = range_text(min.longest, max.longest)}}});
    if (observed.lasting + max.lasting > 0)
      table.rows.back().explanation = fmt::format("without end: {}, predicted {}", observed.lasting,
                                                  range_text(min.lasting, max.lasting));
  }
  return table;
}

/// "2.1 s", or "2.1 s (longest 1.2 s), lasts".
std::string text_of(const replay::Interrupted& interrupted) {
  if (interrupted.total == Picos{}) return "none";
  std::string text = time_text(interrupted.total);
  if (interrupted.longest != interrupted.total)
    text += fmt::format(" (longest {})", time_text(interrupted.longest));
  return interrupted.lasts ? text + ", lasts" : text;
}

/// The pairs that are not as predicted, those with the largest difference first.
Section differing_pairs(const SwitchReplay& result) {
  Section section{.heading = "pairs that differ from the prediction"};
  if (!result.pairs) return section;
  std::vector<ComparedPair> pairs;
  std::ranges::copy_if(result.pairs->pairs, std::back_inserter(pairs),
                       [](const ComparedPair& pair) { return !pair.agrees(); });
  std::ranges::stable_sort(pairs, std::ranges::greater{}, &ComparedPair::off_by);
  if (pairs.empty()) return section;
  constexpr std::size_t kMaxPairs = 12;
  const auto& nodes = result.observation.nodes;
  answer::Table table{.title = "interrupted for", .columns = {{"observed"}, {"predicted"}}};
  for (const ComparedPair& pair : std::span(pairs).first(std::min(kMaxPairs, pairs.size())))
    table.rows.push_back({.label = fmt::format("{}, {} to {}", to_string(pair.traffic),
                                               nodes[pair.from], nodes[pair.to]),
                          .cells = {{.text = text_of(pair.observed), .tone = Tone::Bad},
                                    {.text = text_of(pair.predicted)}}});
  section.blocks.emplace_back(std::move(table));
  if (pairs.size() > kMaxPairs)
    section.blocks.emplace_back(answer::Paragraph{
        .text = fmt::format("{} more; -o json lists all pairs", pairs.size() - kMaxPairs)});
  return section;
}

/// The connections of one kind in a row; nothing if there are none.
std::optional<answer::TableRow> connections_row(const SwitchReplay& result, std::string_view label,
                                                replay::Traffic traffic,
                                                kernel::ConnectionUse use) {
  std::uint64_t count = 0, ended = 0, predicted = 0;
  Picos longest;
  migration::TcpPause pause;
  bool has_pause = false;
  for (const ComparedConnection& one : result.pairs->connections) {
    if (one.observed.use != use || one.observed.traffic != traffic) continue;
    ++count;
    ended += one.observed.failure.empty() && one.observed.is_answered ? 0 : 1;
    predicted += one.is_predicted_to_end ? 1 : 0;
    longest = std::max(longest, one.observed.longest_wait);
    if (!one.pause) continue;
    has_pause = true;
    pause.min = std::max(pause.min, one.pause->min);
    pause.max = std::max(pause.max, one.pause->max);
  }
  if (count == 0) return std::nullopt;
  return answer::TableRow{.label = std::string(label),
                          .cells = {{.text = fmt::to_string(count)},
                                    {.text = fmt::to_string(ended)},
                                    {.text = fmt::to_string(predicted)},
                                    {.text = time_text(longest)},
                                    {.text = has_pause ? range_text(pause.min, pause.max) : ""}}};
}

/// The connections that are not as predicted.
answer::List differing_connections(const SwitchReplay& result) {
  constexpr std::size_t kMaxConnections = 12;
  answer::List list;
  const auto& nodes = result.observation.nodes;
  for (const ComparedConnection& one : result.pairs->connections) {
    if (one.agrees() || list.items.size() == kMaxConnections) continue;
    const replay::ConnectionRecord& observed = one.observed;
    std::string text = fmt::format("{}, {}, {} to {}: waits {}, {}", to_string(observed.traffic),
                                   to_string(observed.use), nodes[observed.client],
                                   nodes[observed.server], time_text(observed.longest_wait),
                                   !observed.failure.empty() ? observed.failure
                                   : observed.is_answered    ? "survives"
                                                             : "is not answered at the end");
    text += one.is_predicted_to_end ? "; predicted to end" : "; predicted to survive";
    if (one.pause) text += ", pause " + range_text(one.pause->min, one.pause->max);
    list.items.push_back(std::move(text));
  }
  return list;
}

Section connections(const SwitchReplay& result) {
  using kernel::ConnectionUse;
  using replay::Traffic;
  Section section;
  if (!result.pairs || result.pairs->connections.empty()) return section;
  section.heading = "connections";
  answer::Table table{
      .columns = {{"connections"}, {"ended"}, {"predicted"}, {"longest wait"}, {"predicted"}}};
  for (const auto& [label, traffic, use] :
       {std::tuple("between pods, with requests", Traffic::PodToPod, ConnectionUse::Requests),
        std::tuple("between pods, idle", Traffic::PodToPod, ConnectionUse::Idle),
        std::tuple("between pods, streams", Traffic::PodToPod, ConnectionUse::Stream),
        std::tuple("by NodePorts, with requests", Traffic::NodePort, ConnectionUse::Requests)})
    if (auto row = connections_row(result, label, traffic, use))
      table.rows.push_back(*std::move(row));
  section.blocks.emplace_back(std::move(table));
  if (answer::List differing = differing_connections(result); !differing.items.empty())
    section.blocks.emplace_back(std::move(differing));
  return section;
}

/// The share of interrupted pairs over time, and the steps of components if there are any.
answer::Chart chart(const SwitchReplay& result, const std::string& title,
                    const std::vector<migration::Outage>& outages,
                    const std::vector<migration::Step>& steps = {}) {
  constexpr std::uint32_t kColumns = 120;
  const Observation& observation = result.observation;
  const auto seconds_of = [](Picos time) { return static_cast<double>(time.count) / 1e12; };
  const migration::TimeColumns columns =
      migration::columns_between(observation.begin, observation.end, kColumns);
  answer::Chart chart{.title = title,
                      .shade = "pairs with other nodes that is interrupted",
                      .axis = "after the change of the Shoot",
                      .begin = seconds_of(columns.begin),
                      .end = seconds_of(columns.end())};
  const auto nodes = static_cast<std::uint32_t>(observation.nodes.size());
  auto shares = share_by_node(outages, nodes, columns);
  for (std::uint32_t node = 0; node < nodes; ++node)
    chart.rows.push_back({observation.nodes[node], std::move(shares[node])});
  add_lanes(steps, chart);
  return chart;
}

/// Both heat maps of each kind of traffic that anything interrupts; on a page that of the first
/// kind is open. Then the steps of both.
std::vector<Section> courses(const SwitchReplay& result) {
  std::vector<Section> sections;
  for (const ComparedFigures& one : result.figures) {
    if (one.observed.interrupted + one.max.interrupted == 0) continue;
    sections.push_back(
        {.heading = fmt::format("over time: {}", to_string(one.traffic)),
         .blocks = {chart(result, "observed", as_outages(result.observation, one.traffic)),
                    chart(result, "predicted", outages_of(result.predicted.front(), one.traffic))},
         .detail = sections.empty() ? Detail::Always : Detail::PageOnly});
  }
  const Observation& observation = result.observation;
  const migration::SwitchResult& predicted = result.predicted.front();
  answer::Facts facts;
  for (const migration::Step& step : observation.events)
    facts.facts.push_back({time_text(step.at), fmt::format("{}: {}", step.component, step.what)});
  if (facts.facts.empty()) return sections;
  sections.push_back(
      {.heading = "what happened",
       .blocks = {chart(result, "observed", as_outages(observation, replay::Traffic::PodToPod),
                        observation.events),
                  chart(result, "predicted", predicted.outages, predicted.steps), std::move(facts)},
       .detail = Detail::PageOnly});
  return sections;
}

answer::Document document_of(const SwitchReplay& result) {
  const Observation& observation = result.observation;
  answer::Document document{
      .title = "Switch of the pod network beside its prediction",
      .overview = {.origin = "measured",
                   .subject = switch_text(result.loaded) + ", strategy " + result.strategy,
                   .highlights = {}}};
  Section head;
  head.blocks.emplace_back(answer::VerdictLine{.word = result.agrees() ? "agrees" : "differs",
                                               .tone = result.agrees() ? Tone::Good : Tone::Bad,
                                               .text = result.headline()});
  head.blocks.emplace_back(
      answer::Paragraph{.text = switch_text(result.loaded) + ", strategy " + result.strategy});
  const std::string kernel =
      observation.kernel.empty() ? "" : fmt::format(", kernel {}", observation.kernel);
  answer::Facts facts{
      {{"observed",
        fmt::format("{}{}, from {} to {} after the change of the Shoot", observation.place, kernel,
                    time_text(observation.begin), time_text(observation.end))},
       {"exact to", fmt::format("{} between probes",
                                report::duration_text(observation.interval.whole_nanoseconds()))}}};
  if (observation.seed)
    facts.facts.push_back(
        {"late by",
         fmt::format("{} at most, from the time of an action until its "
                     "changes are in force",
                     report::duration_text(observation.latest_action.whole_nanoseconds()))});
  else
    facts.facts.push_back(
        {"predicted", fmt::format("the range of {} seeds", result.predicted.size())});
  head.blocks.emplace_back(std::move(facts));
  document.sections.push_back(std::move(head));
  document.sections.push_back({.blocks = {figures_table(result)}});
  document.sections.push_back(differing_pairs(result));
  document.sections.push_back(connections(result));
  if (!result.left_out.empty())
    document.sections.push_back({.heading = "left out", .blocks = {answer::List{result.left_out}}});
  for (Section& section : courses(result))
    document.sections.push_back(std::move(section));
  std::erase_if(document.sections, [](const Section& section) { return section.blocks.empty(); });
  return document;
}

ExitCode write(const SwitchOptions& options, const SwitchReplay& result) {
  if (!options.save.empty()) {
    const ExitCode saved = write_json(options.save, encode(result.observation));
    if (saved != ExitCode::Clean) return saved;
  }
  const answer::Document document = document_of(result);
  if (!options.html.empty()) {
    const ExitCode paged = write_text(options.html, pages::document_page(document));
    if (paged != ExitCode::Clean) return paged;
  }
  const ExitCode written =
      options.output.format == Format::Json
          ? write_json(options.output, encode(result))
          : write_text_beside(
                options.output, {options.save, options.html},
                report::document_text(document, {.style = output_style(options.output)}));
  if (written != ExitCode::Clean) return written;
  return result.agrees() ? ExitCode::Clean : ExitCode::Finding;
}

Parsed<Observation> read_observation(const std::string& file) {
  std::ifstream stream(file);
  if (!stream) return fail(fmt::format("{}: cannot be read", file));
  const auto json = nlohmann::ordered_json::parse(stream, nullptr, false);
  if (json.is_discarded()) return fail(fmt::format("{}: not JSON", file));
  auto read = replay::decode_observation(json);
  if (!read) return fail(fmt::format("{}: {}", file, read.error()));
  return read;
}

/// Puts an observed switch beside its prediction: that of the replay's seed, or those of the seeds
/// of `overlane migrate`.
ExitCode compare_observed(const SwitchOptions& options, migration::Loaded loaded,
                          const migration::Strategy& strategy, Observation observation) {
  std::vector<migration::SwitchResult> predicted;
  const std::uint64_t first = observation.seed.value_or(options.input.seed.value_or(1));
  for (const std::uint64_t seed :
       runner::repetition_seeds(first, observation.seed ? 1 : loaded.runs))
    predicted.push_back(
        simulate(loaded.transition, strategy, loaded.timing, seed,
                 {.watched = migration::Watched::AllTraffic, .disturbance = loaded.disturbance}));
  return write(options, replay::beside_prediction(std::move(loaded), strategy,
                                                  std::move(observation), std::move(predicted)));
}

/// Replays the switch on this kernel, or inside user-mode Linux.
Parsed<Observation> observe(const SwitchOptions& options, const replay::ReplayPlan& plan,
                            const Interrupt& interrupt) {
  if (options.is_in_user_mode_linux) {
    const auto json =
        result_in_user_mode_linux({"--output", "json", "--out", "/dev/null", "--save"});
    if (!json) return fail(json.error());
    auto observation = replay::decode_observation(*json);
    if (observation) observation->place = "user-mode Linux";
    return observation;
  }
  if (const auto able = kernel::NetworkNamespace::make(); !able)
    return fail(able.error() + "; run it as root");
  const auto kernel = replay::kernel_for(plan);
  if (!kernel) return fail(kernel.error());
  const StatusLine line(!options.input.quiet && stderr_is_terminal());
  return replay::replay(plan, *kernel,
                        {.has_bird = options.has_bird,
                         .stop = &interrupt.asked(),
                         .on_progress = [&](Picos now, Picos end) {
                           line.show(fmt::format("{} of {} after the change of the Shoot",
                                                 time_text(now), time_text(end)));
                         }});
}

ExitCode replay_switch(const SwitchOptions& options, migration::Loaded loaded,
                       const migration::Strategy& strategy) {
  auto plan = replay::plan_replay(std::move(loaded), strategy, options.input.seed.value_or(1));
  if (!plan) return end_with(ExitCode::NoInput, "this switch cannot be replayed: " + plan.error());
  if (const Picos time = plan->end - plan->begin; time > options.longest)
    return end_with(
        ExitCode::Usage,
        fmt::format("the replay takes {}, longer than --longest {}; shorten durations with --set "
                    "migration.NAME=TIME, or raise --longest",
                    time_text(time), time_text(options.longest)));
  if (const std::string why = obstacle_to_bird(*plan); options.has_bird && !why.empty())
    return end_with(ExitCode::Usage, "--routes bird: " + why);
  const Interrupt interrupt;
  auto observation = observe(options, *plan, interrupt);
  if (!observation) {
    if (interrupt.asked()) return ExitCode::Interrupted;
    return end_with(ExitCode::RunFailed, observation.error());
  }
  std::vector<migration::SwitchResult> predicted;
  predicted.push_back(std::move(plan->predicted));
  SwitchReplay result = replay::beside_prediction(std::move(plan->loaded), strategy,
                                                  *std::move(observation), std::move(predicted));
  result.left_out = plan->left_out;
  return write(options, result);
}

ExitCode run(const SwitchOptions& options) {
  migration::LoadRequest request = options.load;
  request.paths = options.input.paths;
  request.subject.derive = options.input.derive;
  request.settings = options.input.migration_settings;
  request.strategies = {options.strategy};
  std::optional<Observation> observed;
  if (!options.observed.empty()) {
    auto read = read_observation(options.observed);
    if (!read) return end_with(ExitCode::NoInput, read.error());
    observed = *std::move(read);
    request.subject.nodes = static_cast<std::uint32_t>(observed->nodes.size());
  } else if (!request.subject.nodes) {
    request.subject.nodes = kDefaultNodes;
  }
  auto loaded = migration::load(request);
  if (!loaded) return print_failure(loaded.error(), options.input.quiet, options.input.fail_on);
  if (!shares_terminal(options.output))
    print_findings(loaded->findings, options.input.quiet, options.input.fail_on);
  const migration::Strategy strategy = loaded->strategies.front();
  return observed ? compare_observed(options, *std::move(loaded), strategy, *std::move(observed))
                  : replay_switch(options, *std::move(loaded), strategy);
}

constexpr std::array kRouteWriters = {Choice<bool>{"replay", false}, Choice<bool>{"bird", true}};
constexpr std::array kSwitchPlaces = {Choice<bool>{"namespaces", false}, Choice<bool>{"uml", true}};

}  // namespace

void add_testbed_switch(CLI::App& testbed, Action& chosen) {
  auto options = std::make_shared<SwitchOptions>();
  CLI::App* verb = testbed.add_subcommand(
      "switch",
      "Switch the pod network of real kernels in real time, and compare with the prediction");
  options->input.takes_migration_settings = true;
  add_input_options(*verb, options->input);
  add_seed_option(*verb, options->input);
  add_output_options(*verb, options->output);
  add_choice(*verb, "--to", options->to, migration::kTargets,
             "The dataplane mode to switch to, if no Scenario says it");
  CLI::Option* to = verb->get_option("--to");
  verb->add_option("--shoot", options->load.subject.shoot,
                   "The shoot to switch, if the manifests have several")
      ->type_name("NS/NAME");
  add_nodes_option(*verb, options->load.subject.nodes, 2, kMaxReplayedNodes)
      ->description(fmt::format("Number of nodes (default: {})", kDefaultNodes));
  verb->add_option("--strategy", options->strategy, "A strategy, or a MigrationStrategy file")
      ->type_name("NAME")
      ->capture_default_str();
  verb->add_option("--disturb", options->load.disturb,
                   "rollback@TIME: the Shoot is changed back in the middle of the switch")
      ->type_name("WHAT@TIME");
  add_choice(*verb, "--place", options->is_in_user_mode_linux, kSwitchPlaces,
             "The nodes' kernel: the running one, which needs root, or user-mode Linux, which has "
             "ipip");
  add_choice(
      *verb, "--routes", options->has_bird, kRouteWriters,
      "What writes BIRD's routes: the replay, or, where they need no tunnel, Debian's bird2");
  add_time_option(*verb, "--longest", options->longest,
                  "Refuse a switch that takes longer in real time (default: 15m)",
                  {.min = seconds(1), .max = seconds(24 * 3600), .unit = "s"});
  CLI::Option* observed = verb->add_option(
      "--observed", options->observed,
      "Do not switch anything; compare with what was observed, as --save writes it or of a real "
      "shoot");
  observed->type_name("FILE");
  verb->add_option("--save", options->save, "Also write what was observed as JSON")
      ->type_name("FILE")
      ->excludes(observed);
  verb->add_option("--html", options->html,
                   "Also write one HTML page with the heat maps of both, and what happened when")
      ->type_name("FILE");
  verb->callback([options, to, &chosen] {
    if (!to->empty()) options->load.to = options->to;
    refuse_two_results(options->output, {options->save, options->html});
    chosen = [options] { return run(*options); };
  });
}

}  // namespace overlane::command
