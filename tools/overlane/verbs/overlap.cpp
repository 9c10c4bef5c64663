#include <memory>
#include <optional>
#include <utility>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "results/report/document_markdown.h"
#include "results/report/document_text.h"
#include "tools/overlane/cli/inputs.h"
#include "tools/overlane/cli/output.h"
#include "tools/overlane/cli/verbs.h"
#include "tools/overlane/overlap/options.h"
#include "tools/overlane/overlap/outputs.h"
#include "topologies/document/read/read.h"
#include "topologies/overlap/analyze/analyze.h"
#include "topologies/overlap/report/encode.h"
#include "topologies/overlap/report/overlap_document.h"

namespace overlane::command {
namespace {

using overlap::OverlapReport;

std::vector<overlap::Landscape> read_landscapes(const OverlapOptions& options, StepsLine& line) {
  const unsigned threads = options.input.threads;
  std::vector<overlap::Landscape> landscapes;
  for (const auto& [name, paths] : options.landscapes)
    landscapes.push_back({name, read_all(paths, threads, &line), {}});
  if (!options.input.paths.empty() || !options.with.empty())
    landscapes.push_back({"", read_all(options.input.paths, threads, &line), {}});
  if (!options.with.empty()) landscapes.back().candidates = read_all(options.with, threads, &line);
  return landscapes;
}

Result<overlap::Baseline> read_baseline(const std::string& file) {
  const auto tree = document::read_one(file);
  if (tree) return overlap::Baseline::decode(*tree);
  Finding unread = tree.error();
  unread.hint = overlap::rule("invalid-baseline").remedy;  // The file is not a manifest.
  return fail(std::move(unread));
}

Result<overlap::Request> read_request(const OverlapOptions& options, StepsLine& line) {
  overlap::Request request{.landscapes = {},
                           .declarations = {},
                           .derive = options.input.derive,
                           .assumed_modes = options.assumed_modes,
                           .domain = options.domain,
                           .baseline = {},
                           .plan = options.plan,
                           .plan_for = options.input.fail_on,
                           .wanted = options.wanted,
                           .threads = options.input.threads};
  if (options.notes || options.input.fail_on == Severity::Note) request.least = Severity::Note;
  if (!options.baseline.empty()) {
    auto baseline = read_baseline(options.baseline);
    if (!baseline) return fail(std::move(baseline.error()));
    request.baseline = *std::move(baseline);
  }
  for (const std::string& file : options.domains)
    request.declarations.push_back(read_all({file}, options.input.threads));
  request.landscapes = read_landscapes(options, line);
  line.begin("reading shoots", "documents");
  request.progress = [&line](std::uint64_t done, std::uint64_t of) {
    if (of == 0) line.begin("comparing", "");
    if (of > 0) line.advance(done, of);
  };
  return request;
}

ExitCode refuse(const overlap::Refusal& refusal, const InputOptions& input) {
  print_overlap_findings(refusal.findings, input.quiet, input.fail_on);
  print_error(refusal.message);
  return refusal.reason == overlap::Refusal::Reason::NoShoots ? ExitCode::NoInput : ExitCode::Usage;
}

ExitCode write(const OverlapReport& report, const OverlapOptions& options) {
  if (options.output.format == Format::Json) return write_json(options.output, encode(report));
  if (options.output.format == Format::Csv) return write_text(options.output, encode_csv(report));
  const answer::Document document = overlap_document(report, document_options(options));
  if (options.output.format == Format::Markdown)
    return write_text(options.output, report::document_markdown(document, options.details));
  return write_text_beside(
      options.output, {options.sarif, options.junit, options.svg, options.html},
      report::document_text(
          document, {.style = output_style(options.output), .with_details = options.details}));
}

ExitCode run_overlap(const OverlapOptions& options) {
  std::optional<StepsLine> line(std::in_place, !options.input.quiet && errors_are_seen());
  auto request = read_request(options, *line);
  if (!request) line.reset();
  if (!request) {
    print_findings({request.error()}, options.input.quiet, options.input.fail_on);
    return ExitCode::NoInput;
  }
  const auto analysis = overlap::analyze(*std::move(request));
  line.reset();
  if (!analysis) return refuse(analysis.error(), options.input);
  const OverlapReport& report = analysis->report;
  if (options.summary || !shares_terminal(options.output))
    print_overlap_findings(report.findings, options.input.quiet, options.input.fail_on);
  ExitCode written = write_files(*analysis, options);
  if (written == ExitCode::Clean) written = write(report, options);
  if (written != ExitCode::Clean) return written;
  return report.any_at_or_above(options.input.fail_on) ? ExitCode::Finding : ExitCode::Clean;
}

}  // namespace

void add_overlap(CLI::App& program, Action& chosen) {
  auto options = std::make_shared<OverlapOptions>();
  CLI::App* verb =
      program.add_subcommand("overlap", "Find overlapping CIDRs across shoots and their impact");
  add_overlap_options(*verb, *options);
  verb->callback([options, &chosen] {
    if (options->input.paths.empty() && options->landscapes.empty() && options->with.empty())
      throw CLI::RequiredError("PATH");
    const Format format = options->output.format;
    if (options->summary && (format == Format::Json || format == Format::Csv))
      throw CLI::ValidationError("--summary", "json and csv have no summary; give -o markdown");
    refuse_two_results(options->output,
                       {options->sarif, options->junit, options->svg, options->html});
    chosen = [options] { return run_overlap(*options); };
  });
}

}  // namespace overlane::command
