#include <memory>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "tools/overlane/inputs.h"
#include "tools/overlane/output.h"
#include "tools/overlane/overlap_text.h"
#include "tools/overlane/verbs.h"
#include "topologies/overlap/encode.h"
#include "topologies/overlap/find.h"
#include "topologies/overlap/read.h"

namespace overlane::command {
namespace {

struct OverlapVerb {
  InputOptions input;
  OutputOptions output;
  std::vector<std::string> with;
  bool notes = false;
  std::size_t pairs = 10;
};

ExitCode run_overlap(const OverlapVerb& options) {
  std::vector<overlap::Landscape> landscapes(1);
  landscapes.front().documents = read_all(options.input.paths, options.input.threads);
  if (!options.with.empty())
    landscapes.front().candidates = read_all(options.with, options.input.threads);
  const overlap::Inventory inventory =
      overlap::read_inventory(std::move(landscapes), options.input.derive, options.input.threads);
  overlap::FindOptions find;
  if (options.notes) find.least = Severity::Note;
  const overlap::OverlapReport report = overlap::find_overlaps(inventory, find);
  print_findings(report.findings, options.input.quiet);
  const ExitCode written =
      options.output.format == Format::Json
          ? write_json(options.output, encode(report))
          : write_text(options.output,
                       overlap_text(report, options.pairs, output_style(options.output)));
  if (written != ExitCode::Clean) return written;
  if (inventory.shoots.empty()) return ExitCode::NoInput;
  bool failed = any_at_or_above(report.findings, options.input.fail_on);
  for (const overlap::Group& group : report.groups)
    failed = failed || group.meaning.severity >= options.input.fail_on;
  return failed ? ExitCode::Finding : ExitCode::Clean;
}

}  // namespace

void add_overlap(CLI::App& program, Action& chosen) {
  auto options = std::make_shared<OverlapVerb>();
  CLI::App* verb = program.add_subcommand(
      "overlap", "Address ranges that meet, across all shoots given, and what comes of it");
  add_input_options(*verb, options->input);
  add_output_options(*verb, options->output);
  verb->add_option("--with", options->with, "Manifests of shoots that somebody wants to create")
      ->type_name("PATH")
      ->allow_extra_args(false);
  verb->add_flag("--notes", options->notes, "Show what is harmless, too");
  verb->add_option("--pairs", options->pairs, "How many overlaps of a kind the table shows")
      ->type_name("N");
  verb->callback([options, &chosen] { chosen = [options] { return run_overlap(*options); }; });
}

}  // namespace overlane::command
