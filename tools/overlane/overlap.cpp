#include <algorithm>
#include <iterator>
#include <memory>
#include <set>
#include <variant>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/overlane/inputs.h"
#include "tools/overlane/output.h"
#include "tools/overlane/overlap_files.h"
#include "tools/overlane/overlap_options.h"
#include "tools/overlane/overlap_text.h"
#include "tools/overlane/verbs.h"
#include "topologies/document/read.h"
#include "topologies/document/spelling.h"
#include "topologies/overlap/baseline.h"
#include "topologies/overlap/encode.h"
#include "topologies/overlap/find.h"
#include "topologies/overlap/read.h"
#include "topologies/witness/overlap_witness.h"

namespace overlane::command {
namespace {

using overlap::Baseline;
using overlap::Inventory;
using overlap::OverlapReport;
using overlap::Positions;
using overlap::Scene;

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

/// Why the question makes no sense with these inputs; empty: it does.
std::string objection(const OverlapOptions& options, const Inventory& inventory,
                      const Positions& positions) {
  const auto unknown = [](std::string_view what, const std::string& name,
                          const std::vector<std::string_view>& known) {
    return fmt::format("there is no {} {} among the inputs; {}", what, name,
                       document::did_you_mean(name, known));
  };
  std::vector<std::string_view> shoots;
  std::vector<std::string> names;
  for (const overlap::Shoot& shoot : inventory.shoots)
    names.push_back(shoot.object.qualified());
  shoots.assign(names.begin(), names.end());
  for (const auto& [name, mode] : options.assumed_modes)
    if (std::ranges::find(names, name) == names.end()) return unknown("shoot", name, shoots);
  std::vector<std::string_view> keys;
  for (const overlap::Domain& domain : positions.domains)
    keys.push_back(domain.key);
  std::vector<std::string> connections;
  for (const domains::Connection& connection : inventory.declared.connections)
    connections.push_back("connection/" + connection.name);
  keys.insert(keys.end(), connections.begin(), connections.end());
  if (!options.domain.empty() && std::ranges::find(keys, options.domain) == keys.end())
    return unknown("routing domain", options.domain, keys);
  return "";
}

bool concerns(const OverlapOptions& options, const std::string& domain) {
  return options.domain.empty() || options.domain == domain;
}

/// Leaves out what else is about other domains than the one that was asked for.
void narrow(const OverlapOptions& options, OverlapReport& report) {
  std::erase_if(report.budgets, [&](const overlap::RouteBudget& budget) {
    return !concerns(options, budget.routing_domain);
  });
  if (report.plan)
    std::erase_if(*report.plan, [&](const overlap::PlanStep& step) {
      return !concerns(options, step.routing_domain);
    });
}

/// The domain that new shoots are to be put into: the one that is named, or the only one there is.
const overlap::Domain* domain_for_proposals(const OverlapOptions& options,
                                            const Positions& positions) {
  if (options.domain.empty())
    return positions.domains.size() == 1 ? &positions.domains.front() : nullptr;
  const auto named = std::ranges::find(positions.domains, options.domain, &overlap::Domain::key);
  return named == positions.domains.end() ? nullptr : &*named;
}

void propose(const OverlapOptions& options, const Inventory& inventory, const Positions& positions,
             OverlapReport& report) {
  const overlap::Domain* domain = domain_for_proposals(options, positions);
  if (!options.wanted || domain == nullptr) return;
  const auto number = static_cast<std::uint32_t>(domain - positions.domains.data());
  report.proposals = overlap::FreeRanges(inventory, positions, number).propose(*options.wanted);
  if (report.proposals.size() < options.wanted->shoots)
    report.findings.push_back(
        {.rule = "no-free-range",
         .severity = Severity::Warning,
         .message = fmt::format("{}: only {} of {} ranges are free", domain->key,
                                report.proposals.size(), options.wanted->shoots),
         .hint = "ask for smaller ones, or name more space with --pools"});
}

/// Looked for no more than this many: each takes about a millisecond.
constexpr std::size_t kMostWitnesses = 200;

void add_witnesses(const overlap::LandscapeReader& reader, const Inventory& inventory,
                   OverlapReport& report) {
  const std::vector<overlap::Overlap*> overlaps = witness::to_be_witnessed(report, kMostWitnesses);
  std::set<std::string> names;
  for (const overlap::Overlap* overlap : overlaps)
    names.insert({overlap->a.shoot, overlap->b.shoot});
  std::vector<const overlap::Shoot*> shoots;
  for (const overlap::Shoot& shoot : inventory.shoots)
    if (names.contains(shoot.name())) shoots.push_back(&shoot);
  if (!shoots.empty()) witness::add_witnesses(overlaps, reader.derive(shoots));
}

OverlapReport find(const OverlapOptions& options, const overlap::LandscapeReader& reader,
                   const Inventory& inventory, const Positions& positions,
                   const std::vector<Scene>& scenes, const Baseline* baseline) {
  overlap::FindOptions find{.domain = options.domain};
  if (options.notes) find.least = Severity::Note;
  OverlapReport report = overlap::find_overlaps(inventory, positions, scenes, find);
  if (options.plan)
    report.plan = overlap::plan(inventory, positions, scenes, options.input.fail_on);
  propose(options, inventory, positions, report);
  narrow(options, report);
  if (baseline != nullptr) baseline->leave_out_known(report);
  add_witnesses(reader, inventory, report);
  return report;
}

ExitCode write(const OverlapReport& report, const OverlapOptions& options) {
  if (options.output.format == Format::Json) return write_json(options.output, encode(report));
  if (options.output.format == Format::Csv) return write_text(options.output, encode_csv(report));
  return write_text(options.output,
                    overlap_text(report, options.pairs, output_style(options.output)));
}

bool fails(const OverlapReport& report, Severity threshold) {
  const auto weighs = [&](const overlap::Group& group) {
    return group.meaning.severity >= threshold;
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

ExitCode run_overlap(const OverlapOptions& options) {
  std::optional<Baseline> baseline;
  if (!options.baseline.empty()) {
    auto read = read_baseline(options.baseline);
    if (!read) {
      print_findings({read.error()}, options.input.quiet);
      return ExitCode::NoInput;
    }
    baseline = std::move(*read);
  }
  Findings unread;
  overlap::LandscapeReader reader(read_landscapes(options),
                                  {.derive = options.input.derive,
                                   .declared = read_declared(options, unread),
                                   .assumed_modes = options.assumed_modes,
                                   .threads = options.input.threads});
  Inventory inventory = reader.read();
  append(unread, inventory.findings);
  if (inventory.shoots.empty()) {
    print_findings(inventory.findings, options.input.quiet);
    print_error("no shoot among the inputs can be compared");
    return ExitCode::NoInput;
  }
  const Positions positions = overlap::locate(inventory);
  std::string wrong = objection(options, inventory, positions);
  if (wrong.empty() && options.wanted && domain_for_proposals(options, positions) == nullptr)
    wrong = "--propose needs --domain, the routing domain that the new shoots are to be in";
  if (!wrong.empty()) {
    print_error(wrong);
    return ExitCode::Usage;
  }
  const std::vector<Scene> scenes = overlap::scenes(inventory, positions);
  const OverlapReport report =
      find(options, reader, inventory, positions, scenes, baseline ? &*baseline : nullptr);
  print_findings(report.findings, options.input.quiet);
  ExitCode written = write_files(report, {inventory, positions, scenes}, options);
  if (written == ExitCode::Clean) written = write(report, options);
  if (written != ExitCode::Clean) return written;
  return fails(report, options.input.fail_on) ? ExitCode::Finding : ExitCode::Clean;
}

}  // namespace

void add_overlap(CLI::App& program, Action& chosen) {
  auto options = std::make_shared<OverlapOptions>();
  CLI::App* verb = program.add_subcommand(
      "overlap", "Address ranges that meet, across all shoots given, and what comes of it");
  add_overlap_options(*verb, *options);
  verb->callback([options, &chosen] {
    if (options->input.paths.empty() && options->landscapes.empty() && options->with.empty())
      throw CLI::RequiredError("PATH");
    chosen = [options] { return run_overlap(*options); };
  });
}

}  // namespace overlane::command
