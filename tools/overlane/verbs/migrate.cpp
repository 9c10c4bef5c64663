#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "results/pages/page.h"
#include "results/report/csv.h"
#include "results/report/document_text.h"
#include "results/report/formats/svg.h"
#include "scenarios/library/library.h"
#include "scenarios/migration/assess.h"
#include "scenarios/spec/optional_fields.h"
#include "tools/overlane/cli/options.h"
#include "tools/overlane/cli/output.h"
#include "tools/overlane/cli/progress_line.h"
#include "tools/overlane/cli/verbs.h"
#include "tools/overlane/verbs/migration_document.h"
#include "tools/overlane/verbs/migration_replay.h"
#include "tools/overlane/verbs/timelines.h"

namespace overlane::command {
namespace {

struct MigrateOptions {
  InputOptions input;
  OutputOptions output;
  migration::LoadRequest load;
  migration::Target to{};
  Picos max_outage;
  bool show_steps = false;
  std::string svg;
  std::string html;
  std::string perfetto;
};

/// A row for each strategy and class of connections. `impacts` has their texts.
std::string strategies_csv(nlohmann::ordered_json migration) {
  nlohmann::ordered_json& strategies = migration["strategies"];
  for (auto& strategy : strategies) {
    strategy["recommended"] = strategy.at("name") == migration.at("recommended");
    auto texts = nlohmann::ordered_json::array();
    for (const auto& impact : strategy.at("impacts"))
      texts.push_back(impact.at("what"));
    strategy["impacts"] = std::move(texts);
  }
  return report::rows_csv(
      strategies, "strategy",
      {"availability", "verdict", "duration_ns", "window_ns", "verdict_as_assumed", "reason",
       "longest_outage_as_assumed_ns", "longest_outage_at_worst_ns", "impacts", "recommended"},
      "outages");
}

/// Writes the requested files, then the result. Stops at the first failure.
ExitCode write(const MigrateOptions& options, const migration::Assessment& assessment,
               const migration::EvaluationOptions& evaluation_options) {
  const answer::Document document = migration_document(assessment);
  if (!options.svg.empty()) {
    const ExitCode drawn = write_text(
        options.svg, report::chart_svg(course_chart(assessment.loaded(), assessment.best())));
    if (drawn != ExitCode::Clean) return drawn;
  }
  if (!options.html.empty()) {
    const pages::Replay replay = migration_replay(assessment, evaluation_options.seed);
    const ExitCode paged =
        write_text(options.html, pages::document_page(document, {.replay = &replay}));
    if (paged != ExitCode::Clean) return paged;
  }
  if (!options.perfetto.empty()) {
    const ExitCode written =
        write_text(options.perfetto, migration_timeline(assessment.decisive.evaluation));
    if (written != ExitCode::Clean) return written;
  }
  const auto encoded = [&] { return migration::encode(assessment, evaluation_options); };
  const ExitCode code = write_json_beside(options.output, encoded);
  if (code != ExitCode::Clean) return code;
  if (options.output.format == Format::Json) return write_json(options.output, encoded());
  if (options.output.format == Format::Csv)
    return write_text(options.output, strategies_csv(encoded()));
  if (options.output.format == Format::Markdown)
    return write_text(options.output, report::document_markdown(document, options.show_steps));
  return write_text_beside(options.output, {options.svg, options.html, options.perfetto},
                           report::document_text(document, {.style = output_style(options.output),
                                                            .with_details = options.show_steps}));
}

/// Assesses a migration and shows the progress on a terminal, unless `quiet`.
runner::Outcome<migration::Assessment> assess(const migration::LoadRequest& request,
                                              migration::EvaluationOptions options, bool quiet) {
  StepsLine steps(!quiet && stderr_is_terminal());
  options.progress = [&steps](std::size_t done, std::size_t count) {
    if (done == 0) steps.begin("simulating", "runs");
    steps.advance(done, count);
  };
  return migration::assess(request, options);
}

ExitCode migrate(const MigrateOptions& options) {
  migration::LoadRequest request = options.load;
  request.paths = options.input.paths;
  request.subject.derive = options.input.derive;
  request.settings = options.input.migration_settings;
  const migration::EvaluationOptions evaluation_options{.seed = options.input.seed.value_or(1),
                                                        .threads = options.input.threads};
  const auto assessment = assess(request, evaluation_options, options.input.quiet);
  if (!assessment)
    return print_failure(assessment.error(), options.input.quiet, options.input.fail_on);
  const migration::Loaded& loaded = assessment->loaded();
  if (!shares_terminal(options.output))
    print_findings(loaded.findings, options.input.quiet, options.input.fail_on);
  const ExitCode written = write(options, *assessment, evaluation_options);
  if (written != ExitCode::Clean) return written;
  const bool is_go = assessment->verdict() == migration::MigrationVerdict::Go;
  return is_go && !any_at_or_above(loaded.findings, options.input.fail_on) ? ExitCode::Clean
                                                                           : ExitCode::Finding;
}

/// "dns (queries to CoreDNS fail), …".
std::string impact_words() {
  std::string words;
  for (const migration::ImpactFacts& one : migration::kImpacts)
    words += fmt::format("{}{} ({})", words.empty() ? "" : ", ", one.name, one.meaning);
  return words;
}

}  // namespace

void add_migrate(CLI::App* verb, Action& chosen) {
  auto options = std::make_shared<MigrateOptions>();
  options->input.takes_migration_settings = true;
  add_input_options(*verb, options->input);
  add_seed_option(*verb, options->input);
  add_output_options(*verb, options->output, ResultShape::Report);
  add_json_option(*verb, options->output);
  add_choice(*verb, "--to", options->to, migration::kTargets,
             "The dataplane mode to switch to, if no Scenario says it");
  CLI::Option* to = verb->get_option("--to");
  verb->add_option("--shoot", options->load.subject.shoot,
                   "The shoot to switch, if the manifests have several")
      ->type_name("NS/NAME");
  add_nodes_option(*verb, options->load.subject.nodes, 2, migration::kMaxSimulatedNodes)
      ->description("Number of nodes (default: the minimum and the maximum of the workers)");
  CLI::Option* strategy =
      verb->add_option(
              "--strategy", options->load.strategies,
              "A strategy to simulate, or a MigrationStrategy file; repeatable (default: all "
              "that suit the switch)")
          ->type_name("NAME")
          ->delimiter(',');
  suggest(strategy, [] {
    std::vector<std::string> names;
    for (const migration::Strategy& one : migration::strategies())
      names.emplace_back(one.name);
    return names;
  });
  suggest(verb->get_option("PATH"), [] { return library::names_of_kind("Scenario"); });
  CLI::Option* disturb =
      verb->add_option(
              "--disturb", options->load.disturb,
              "What happens in the middle of the switch: rollback@TIME (the Shoot is changed "
              "back), scale-up@TIME (a node joins), worker-roll@TIME (all machines are "
              "replaced) or hibernate@TIME (and woken up later)")
          ->type_name("WHAT@TIME");
  suggest(disturb, [] {
    std::vector<std::string> words;
    for (const auto& [name, kind] : migration::kDisturbances)
      words.push_back(fmt::format("{}@120s", name));
    return words;
  });
  verb->add_option(
          "--runs", options->load.runs,
          "Number of runs of each strategy, with seeds derived from the first (default: 10)")
      ->type_name("N")
      ->check(CLI::Range(std::uint32_t{1}, spec::kMaxRuns));
  CLI::Option* max_outage =
      add_time_option(*verb, "--max-outage", options->max_outage,
                      "The longest outage of a connection that counts as a go, such as 90s or 2m; "
                      "a number alone is in seconds",
                      {.max = spec::kMaxSwitchDuration, .unit = "s"});
  CLI::Option* accept =
      verb->add_option_function<std::vector<std::string>>(
              "--accept",
              [options](const std::vector<std::string>& texts) {
                const auto accepted =
                    migration::parse_accepted(fmt::format("{}", fmt::join(texts, ",")));
                if (!accepted) throw CLI::ValidationError("--accept", accepted.error());
                options->load.accepted = *accepted;
              },
              "Impacts that do not count against a go, separated by commas: " + impact_words())
          ->type_name("IMPACT,…")
          ->take_all();
  suggest(accept, [] {
    std::vector<std::string> names;
    for (const migration::ImpactFacts& one : migration::kImpacts)
      names.emplace_back(one.name);
    return names;
  });
  verb->add_flag("--show-steps", options->show_steps,
                 "Also print over time which pairs of nodes are interrupted, and what each "
                 "component does");
  verb->add_option("--svg", options->svg,
                   "Also draw the recommended strategy over time: interrupted pairs of each node, "
                   "and what each component does")
      ->type_name("FILE");
  verb->add_option("--html", options->html,
                   "Also write the switch as one HTML page: strategies, course, steps")
      ->type_name("FILE");
  verb->add_option("--perfetto", options->perfetto,
                   "Also write the strategies over time as trace events, for ui.perfetto.dev")
      ->type_name("FILE");
  verb->callback([options, to, max_outage, &chosen] {
    if (!to->empty()) options->load.to = options->to;
    if (!max_outage->empty()) options->load.max_outage = options->max_outage;
    refuse_two_results(options->output, {options->svg, options->html, options->perfetto});
    chosen = [options] { return migrate(*options); };
  });
}

}  // namespace overlane::command
