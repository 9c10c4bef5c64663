#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "results/report/csv.h"
#include "results/report/text.h"
#include "scenarios/library/library.h"
#include "scenarios/search/search_loads.h"
#include "tools/overlane/cli/options.h"
#include "tools/overlane/cli/output.h"
#include "tools/overlane/cli/process.h"
#include "tools/overlane/cli/progress_line.h"
#include "tools/overlane/cli/verbs.h"

namespace overlane::command {
namespace {

struct LoadSearchOptions {
  InputOptions input;
  OutputOptions output;
  std::string shoot;
  std::optional<std::uint32_t> nodes;
  search::LoadRequest load;
  SearchOptions search;
};

ExitCode write(const search::LoadReport& report, const OutputOptions& output) {
  if (output.format == Format::Json) return write_json(output, search::encode(report));
  if (output.format == Format::Csv)
    return write_text(output, report::rows_csv(search::encode(report)["variants"], "variant",
                                               {"status"}, "goals"));
  return write_text(output, search::load_table(report, output_style(output)));
}

ExitCode search(const LoadSearchOptions& options) {
  const Interrupt interrupt;
  const runner::Request request{
      .paths = options.input.paths,
      .subject = {.derive = options.input.derive, .shoot = options.shoot, .nodes = options.nodes},
      .seed = options.input.seed,
      .threads = options.input.threads,
      .environment = this_environment(),
      .steering = {.stop = &interrupt.asked()}};
  const auto prepared = runner::prepare(request);
  if (!prepared) return print_failure(prepared.error(), options.input.quiet, options.input.fail_on);
  search::LoadRequest load = options.load;
  load.goals = options.search.goals;
  load.min = options.search.min;
  load.max = options.search.max;
  const StatusLine status(!options.input.quiet && stderr_is_terminal());
  load.on_trial = [&status, trials = 0](const std::string& variant, std::int64_t pps) mutable {
    status.show(
        fmt::format("trial {}: {} at {} packets/s", ++trials, variant, report::count_text(pps)));
  };
  const auto report = search::search_loads(*prepared, request, load);
  status.erase();
  if (!report) return print_failure(report.error(), options.input.quiet, options.input.fail_on);
  print_findings(report->findings, options.input.quiet, options.input.fail_on);
  const ExitCode written = write(*report, options.output);
  if (written != ExitCode::Clean) return written;
  if (interrupt.asked()) return ExitCode::Interrupted;
  return any_at_or_above(report->findings, options.input.fail_on) ? ExitCode::Finding
                                                                  : ExitCode::Clean;
}

}  // namespace

void add_search(CLI::App* verb, Action& chosen) {
  auto options = std::make_shared<LoadSearchOptions>();
  options->search.goals = options->load.goals;
  add_input_options(*verb, options->input);
  suggest(verb->get_option("PATH"), [] { return library::names_of_kind("Scenario"); });
  add_seed_option(*verb, options->input);
  add_output_options(*verb, options->output, ResultShape::Rows);
  verb->add_option("--shoot", options->shoot, "The shoot to run, if the manifests have several")
      ->type_name("NS/NAME");
  add_nodes_option(*verb, options->nodes, 2, 5000);
  verb->add_option("--traffic", options->load.traffic,
                   "The paced UDP traffic whose rate is searched, if the Scenario has several")
      ->type_name("NAME");
  verb->add_option("--seeds", options->search.goals.trials,
                   "Trials at one load at most, each with a seed derived from the first")
      ->type_name("N")
      ->check(CLI::Range(1u, spec::kMaxRepetitions));
  add_search_options(*verb, options->search);
  verb->callback([options, &chosen] { chosen = [options] { return search(*options); }; });
}

}  // namespace overlane::command
