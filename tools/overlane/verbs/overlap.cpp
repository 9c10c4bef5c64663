#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "results/base/text.h"
#include "results/finding/finding.h"
#include "results/pages/page.h"
#include "results/report/document_text.h"
#include "results/report/formats/findings.h"
#include "tools/overlane/cli/options.h"
#include "tools/overlane/cli/output.h"
#include "tools/overlane/cli/process.h"
#include "tools/overlane/cli/verbs.h"
#include "topologies/check/rule_book.h"
#include "topologies/document/read/read.h"
#include "topologies/document/tree/tree.h"
#include "topologies/overlap/analyze/analyze.h"
#include "topologies/overlap/map/svg.h"
#include "topologies/overlap/remedy/free_ranges.h"
#include "topologies/overlap/report/encode.h"
#include "topologies/overlap/report/overlap_document.h"
#include "topologies/overlap/report/report.h"

namespace overlane::command {

namespace {

/// The options of `overlane overlap`.
struct OverlapOptions {
  struct Named {
    std::string name;
    std::vector<std::string> paths;
  };

  InputOptions input;
  OutputOptions output;
  std::vector<Named> landscapes;
  std::vector<std::string> with;                         ///< Paths of candidates.
  std::vector<std::string> domains;                      ///< RoutingDomains files.
  std::map<std::string, effective::Mode> assumed_modes;  ///< By shoot.
  std::string domain;  ///< Restricts the report to this domain; empty: all.
  bool notes = false;
  bool summary = false;
  bool details = false;  ///< Also impact, packet and action of every pair.
  /// Maximum number of listed pairs per group, and of findings about documents per rule. Not for
  /// JSON and CSV.
  std::size_t pairs = 5;
  std::optional<overlap::Wanted> wanted;
  bool plan = false;
  std::string baseline;  ///< An earlier report; empty: none.
  std::string svg;       ///< Additional files to write; empty: none.
  std::string sarif;
  std::string junit;
  std::string html;
};

using CLI::ValidationError;

/// Splits "NAME=VALUE".
std::pair<std::string, std::string> split(const std::string& option, const std::string& text) {
  const auto equals = text.find('=');
  if (equals == text.npos || equals == 0 || equals + 1 == text.size())
    throw ValidationError(option, fmt::format("\"{}\" is not like NAME=VALUE", text));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

void add_landscape(OverlapOptions& options, const std::string& text) {
  auto [name, path] = split("--landscape", text);
  if (document::one_line(name) != name)
    throw ValidationError("--landscape", "a name is one line of printable characters");
  const auto known = std::ranges::find(options.landscapes, name, &OverlapOptions::Named::name);
  if (known != options.landscapes.end())
    known->paths.push_back(std::move(path));
  else
    options.landscapes.push_back({std::move(name), {std::move(path)}});
}

void add_assumption(OverlapOptions& options, const std::string& text) {
  const auto [shoot, mode] = split("--assume", text);
  if (mode != "routed" && mode != "overlay")
    throw ValidationError("--assume", fmt::format("\"{}\" must be routed or overlay", mode));
  options.assumed_modes[shoot] =
      mode == "routed" ? effective::Mode::Routed : effective::Mode::Overlay;
}

template <typename Number>
std::optional<Number> whole(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.begin(), text.end(), number);
  if (error != std::errc{} || end != text.end()) return std::nullopt;
  return number;
}

/// Parses "3/16" (three ranges of length 16) or "3" (three ranges sized by --nodes).
void set_wanted(OverlapOptions& options, const std::string& text) {
  const auto slash = text.find('/');
  const auto shoots = whole<std::uint32_t>(std::string_view(text).substr(0, slash));
  std::optional<std::uint8_t> length;
  if (slash != text.npos) length = whole<std::uint8_t>(std::string_view(text).substr(slash + 1));
  if (!shoots || *shoots < 1 || *shoots > 1000 || (slash != text.npos && !length) ||
      length.value_or(1) < 1 || length.value_or(1) > 128)
    throw ValidationError("--propose",
                          fmt::format("\"{}\" is not like 3/16: a number of ranges (1 to 1000) "
                                      "and a length",
                                      text));
  if (!options.wanted) options.wanted.emplace();
  options.wanted->shoots = *shoots;
  options.wanted->length = length;
}

void set_pools(OverlapOptions& options, const std::vector<std::string>& texts) {
  if (!options.wanted) options.wanted.emplace();
  for (const std::string& text : texts) {
    const auto pool = IpPrefix::parse(text);
    if (!pool) throw ValidationError("--pools", pool.error());
    if (!options.wanted->pools.empty() &&
        options.wanted->pools.front().is_ipv4() != pool->is_ipv4())
      throw ValidationError("--pools", "IPv4 and IPv6 pools cannot be combined");
    options.wanted->pools.push_back(*pool);
  }
}

using Take = void (*)(OverlapOptions&, const std::string&);

CLI::Option* add_each(CLI::App& verb, const std::string& name, OverlapOptions& options, Take take,
                      const std::string& what) {
  return verb
      .add_option_function<std::vector<std::string>>(
          name,
          [&options, take](const std::vector<std::string>& texts) {
            for (const std::string& text : texts)
              take(options, text);
          },
          what)
      ->allow_extra_args(false);
}

void add_what_if(CLI::App& verb, OverlapOptions& options) {
  verb.add_option("--with", options.with,
                  "What if: report only what changes if these manifests are applied (they replace "
                  "manifests of the same name)")
      ->type_name("PATH")
      ->allow_extra_args(false);
  add_each(verb, "--assume", options, add_assumption,
           "What if: report only what changes if the shoot is routed or has an overlay")
      ->type_name("NAMESPACE/NAME=routed|overlay");
}

void add_remedies(CLI::App& verb, OverlapOptions& options) {
  verb.add_flag(
      "--plan", options.plan,
      "Propose the smallest set of shoots to change so that no error remains, with free pod "
      "ranges");
  CLI::Option* propose = verb.add_option_function<std::string>(
      "--propose", [&options](const std::string& text) { set_wanted(options, text); },
      "Propose free pod and service ranges for N new shoots in the --domain");
  propose->type_name("N[/LENGTH]");
  verb.add_option_function<std::int64_t>(
          "--nodes",
          [&options](std::int64_t nodes) {
            if (!options.wanted) options.wanted.emplace();
            options.wanted->nodes = nodes;
          },
          "Nodes of each new shoot")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000))
      ->needs(propose);
  verb.add_option_function<std::uint32_t>(
          "--max-pods",
          [&options](std::uint32_t pods) {
            if (!options.wanted) options.wanted.emplace();
            options.wanted->max_pods = pods;
          },
          "Maximum number of pods per node (default: the provider's, usually 110)")
      ->type_name("N")
      ->check(CLI::Range(1, 32'768))
      ->needs(propose);
  verb.add_option_function<std::vector<std::string>>(
          "--pools",
          [&options](const std::vector<std::string>& texts) { set_pools(options, texts); },
          "Search these ranges for free ones (default: 100.64.0.0/10 and the private ranges)")
      ->type_name("CIDR,…")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->needs(propose);
}

void add_reports(CLI::App& verb, OverlapOptions& options) {
  verb.add_option("--baseline", options.baseline,
                  "Report only overlaps that are not in this report (written with -o json)")
      ->type_name("FILE");
  verb.add_option("--svg", options.svg,
                  "Write an address map of the routing domain (default: the domain with the worst "
                  "findings) as SVG")
      ->type_name("FILE");
  verb.add_option("--sarif", options.sarif, "Also write the overlaps as SARIF 2.1.0")
      ->type_name("FILE");
  verb.add_option("--junit", options.junit, "Also write the overlaps as JUnit XML")
      ->type_name("FILE");
  verb.add_option("--html", options.html, "Also write the overlaps as one HTML page")
      ->type_name("FILE");
}

overlap::OverlapDocumentOptions document_options(const OverlapOptions& options) {
  return {.most_pairs = options.pairs, .only_summary = options.summary};
}

void add_overlap_options(CLI::App& verb, OverlapOptions& options) {
  add_input_options(verb, options.input);
  add_output_options(verb, options.output, ResultShape::Report);
  add_json_option(verb, options.output);
  verb.get_option("PATH")->required(false);
  verb.get_option("--quiet")->description(
      "Print only findings at or above --fail-on, and those that may hide overlaps, on standard "
      "error");
  add_each(verb, "--landscape", options, add_landscape,
           "Read these manifests as one of several landscapes; names may repeat between landscapes")
      ->type_name("NAME=PATH");
  verb.add_option("--domains", options.domains,
                  "RoutingDomains file: shared networks that manifests do not show")
      ->type_name("FILE")
      ->allow_extra_args(false);
  verb.add_option("--domain", options.domain, "Report only this routing domain")->type_name("KEY");
  verb.add_flag("--notes", options.notes, "Also show harmless overlaps");
  CLI::Option* summary =
      verb.add_flag("--summary", options.summary,
                    "Print only the networks with errors, the plan if requested, and the counts");
  verb.add_flag("--details", options.details,
                "Also print impact, example packet and action of every pair; an HTML page has them")
      ->excludes(summary);
  verb.add_option("--pairs", options.pairs,
                  "Overlaps to show per group, except in json and csv (default 5)")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000));
  add_what_if(verb, options);
  add_remedies(verb, options);
  add_reports(verb, options);
}

/// Whether an unknown field may be a misspelled name of a network or a range. Other unknown fields
/// come from newer releases of Gardener and are irrelevant here.
bool may_hide_overlaps(const Finding& finding) {
  if (finding.rule == "no-free-range" || finding.rule == "network-not-modelled") return true;
  if (finding.rule != "unknown-field") return false;
  return finding.path.find("spec.networking.") != std::string::npos ||
         finding.path.find(".infrastructureConfig.") != std::string::npos ||
         finding.hint.starts_with("did you mean ");
}

/// print_findings() for `overlane overlap`: if `quiet`, also prints the first findings that may
/// hide overlaps, and counts the rest.
void print_overlap_findings(const Findings& findings, bool quiet, Severity fail_on) {
  constexpr std::size_t kMaxShown = 10;
  print_findings(findings, quiet, fail_on);
  if (!quiet) return;
  Findings shown;
  std::size_t more = 0;
  for (const Finding& finding : findings) {
    if (finding.severity >= fail_on || !may_hide_overlaps(finding)) continue;
    if (shown.size() < kMaxShown)
      shown.push_back(finding);
    else
      ++more;
  }
  print_findings(shown, false);
  if (more > 0)
    print_aside(
        fmt::format("… and {} like these that may hide overlaps; run without --quiet to show "
                    "all\n",
                    counted(more, "more finding")));
}

ExitCode write_sarif(const report::FindingSet& set, const OverlapOptions& options) {
  const report::SarifOptions sarif{.version = this_environment().overlane_version,
                                   .rules_url = "",
                                   .root = std::filesystem::current_path().string()};
  return write_json(options.sarif,
                    report::encode_sarif(set, check::RuleBook().sarif_rules(), sarif));
}

/// The overlaps as a page, with the map of addresses unless it is too large for a page.
std::string overlap_page(const overlap::Analysis& analysis, const OverlapOptions& options) {
  constexpr std::size_t kMaxMapBytes = 400 * 1024;
  answer::Document document = overlap_document(analysis.report, document_options(options));
  std::string map = draw_map(analysis.address_map());
  if (map.size() > kMaxMapBytes) {
    map.clear();
    document.sections.push_back(
        {.heading = "",
         .blocks = {answer::Paragraph{
             .text = "The map of addresses is too large for this page: `--svg` writes it."}}});
  }
  return pages::document_page(document, {.svg = std::move(map)});
}

/// Writes the SVG, HTML, SARIF and JUnit files of the options. Stops at the first failure.
ExitCode write_files(const overlap::Analysis& analysis, const OverlapOptions& options) {
  ExitCode code = ExitCode::Clean;
  if (!options.svg.empty()) code = write_text(options.svg, draw_map(analysis.address_map()));
  if (code == ExitCode::Clean && !options.html.empty())
    code = write_text(options.html, overlap_page(analysis, options));
  if (options.sarif.empty() && options.junit.empty()) return code;
  const Findings findings = findings_of(analysis.report);
  report::FindingSet set{.verb = "overlap", .findings = findings};
  for (const overlap::Shoot& shoot : analysis.comparison.inventory.shoots)
    set.subjects.push_back(shoot.object.qualified());
  if (code == ExitCode::Clean && !options.sarif.empty()) code = write_sarif(set, options);
  if (code == ExitCode::Clean && !options.junit.empty())
    code = write_text(options.junit, report::encode_junit(set, options.input.fail_on));
  return code;
}

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
  if (options.notes || options.input.fail_on == Severity::Note)
    request.min_severity = Severity::Note;
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
  const ExitCode code = write_json_beside(options.output, [&] { return encode(report); });
  if (code != ExitCode::Clean) return code;
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
  std::optional<StepsLine> line(std::in_place, !options.input.quiet && stderr_is_terminal());
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

void add_overlap(CLI::App* verb, Action& chosen) {
  auto options = std::make_shared<OverlapOptions>();
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
