#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/overlane/cli/inputs.h"
#include "tools/overlane/cli/output.h"
#include "tools/overlane/cli/verbs.h"
#include "tools/overlane/overlap/answer.h"
#include "tools/overlane/overlap/diagnostics.h"
#include "tools/overlane/overlap/files.h"
#include "tools/overlane/overlap/options.h"
#include "tools/overlane/overlap/text.h"
#include "tools/overlane/overlap/validation.h"
#include "topologies/check/check.h"
#include "topologies/document/read/read.h"
#include "topologies/overlap/compare/what_if.h"
#include "topologies/overlap/report/encode.h"

namespace overlane::command {
namespace {

using overlap::Baseline;
using overlap::Inventory;
using overlap::OverlapReport;

void append(const Findings& more, Findings& findings) {
  findings.insert(findings.end(), more.begin(), more.end());
}

std::vector<overlap::Landscape> read_landscapes(const OverlapOptions& options) {
  const unsigned threads = options.input.threads;
  std::vector<overlap::Landscape> landscapes;
  for (const auto& [name, paths] : options.landscapes)
    landscapes.push_back({name, read_all(paths, threads), {}});
  if (!options.input.paths.empty() || !options.with.empty())
    landscapes.push_back(
        {"", read_all(options.input.paths, threads), read_all(options.with, threads)});
  return landscapes;
}

/// The files of --domains; what is wrong with them goes to `findings`.
std::vector<domains::DeclarationFile> read_declared(const OverlapOptions& options,
                                                    Findings& findings) {
  std::vector<domains::DeclarationFile> declared;
  for (const std::string& file : options.domains) {
    auto files = domains::decode_all(read_all({file}, options.input.threads));
    if (files)
      std::ranges::move(*files, std::back_inserter(declared));
    else
      append(files.error(), findings);
  }
  return declared;
}

/// The shoots that can meet others.
std::vector<const overlap::Shoot*> members_of(
    const std::vector<overlap::ComparisonScope>& comparison_scopes) {
  std::vector<const overlap::Shoot*> members;
  for (const overlap::ComparisonScope& comparison_scope : comparison_scopes)
    for (const overlap::Owner& owner : comparison_scope.owners)
      if (owner.shoot != nullptr) members.push_back(owner.shoot);
  return members;
}

ExitCode write(const OverlapReport& report, const OverlapOptions& options) {
  if (options.output.format == Format::Json) return write_json(options.output, encode(report));
  if (options.output.format == Format::Csv) return write_text(options.output, encode_csv(report));
  return write_text_beside(options.output, {options.sarif, options.junit, options.svg},
                           overlap_text(report, options.pairs, output_style(options.output)));
}

bool fails(const OverlapReport& report, Severity threshold) {
  const auto weighs = [&](const overlap::Group& group) {
    return group.impact.severity >= threshold;
  };
  return any_at_or_above(report.all_findings(), threshold) ||
         std::ranges::any_of(report.groups, weighs);
}

Result<Baseline> read_baseline(const std::string& file) {
  const auto tree = document::read_one(file);
  if (tree) return Baseline::decode(*tree);
  Finding unread = tree.error();
  unread.hint = overlap::rule("invalid-baseline").remedy;  // Instead of what to do about manifests.
  return fail(std::move(unread));
}

/// The landscape without what the question changes.
std::unique_ptr<Compared> read_as_it_is(std::vector<overlap::Landscape> landscapes,
                                        overlap::ReadOptions read_options,
                                        Inventory& as_it_would_be) {
  const auto modes = std::exchange(read_options.assumed_modes, {});
  for (overlap::Landscape& landscape : landscapes)
    landscape.candidates = {};
  Inventory as_it_is =
      overlap::LandscapeReader(std::move(landscapes), std::move(read_options)).read();
  overlap::mark_asked_about(modes, as_it_is, as_it_would_be);
  return std::make_unique<Compared>(std::move(as_it_is));
}

ExitCode run_overlap(const OverlapOptions& options) {
  std::optional<Baseline> baseline;
  if (!options.baseline.empty()) {
    auto read = read_baseline(options.baseline);
    if (!read) {
      print_findings({read.error()}, options.input.quiet, options.input.fail_on);
      return ExitCode::NoInput;
    }
    baseline = std::move(*read);
  }
  Findings unread;
  const overlap::ReadOptions read_options{.derive = options.input.derive,
                                          .declared = read_declared(options, unread),
                                          .assumed_modes = options.assumed_modes,
                                          .threads = options.input.threads};
  std::vector<overlap::Landscape> landscapes = read_landscapes(options);
  auto again = options.asks_what_if() ? landscapes : std::vector<overlap::Landscape>();
  if (!options.with.empty())  // Candidates are of the last one.
    append(check::refused_updates(again.back().documents, again.back().candidates,
                                  options.input.derive),
           unread);
  overlap::LandscapeReader reader(std::move(landscapes), read_options);
  Inventory inventory = reader.read();
  append(unread, inventory.findings);
  if (const std::string_view lacking = lack(options, inventory); !lacking.empty()) {
    print_overlap_findings(inventory.findings, options.input.quiet, options.input.fail_on);
    print_error(lacking);
    return ExitCode::NoInput;
  }
  std::unique_ptr<Compared> as_it_is;
  if (options.asks_what_if()) as_it_is = read_as_it_is(std::move(again), read_options, inventory);
  const Compared compared(std::move(inventory));
  if (const std::string wrong = objection(options, compared); !wrong.empty()) {
    print_error(wrong);
    return ExitCode::Usage;
  }
  reader.keep_only(members_of(compared.comparison_scopes));
  const OverlapReport report =
      answer(options, reader, compared, as_it_is.get(), baseline ? &*baseline : nullptr);
  print_overlap_findings(report.findings, options.input.quiet, options.input.fail_on);
  ExitCode written = write_files(report, compared, options);
  if (written == ExitCode::Clean) written = write(report, options);
  if (written != ExitCode::Clean) return written;
  return fails(report, options.input.fail_on) ? ExitCode::Finding : ExitCode::Clean;
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
    refuse_two_results(options->output, {options->sarif, options->junit, options->svg});
    chosen = [options] { return run_overlap(*options); };
  });
}

}  // namespace overlane::command
