#include "tools/overlane/overlap/options.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "topologies/document/tree/source_text.h"

namespace overlane::command {
namespace {

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

/// "3/16": three ranges of length 16; "3": three ranges sized by --nodes.
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
  verb.add_flag("--plan", options.plan,
                "Propose the smallest set of shoots to change so that no error remains, with free "
                "ranges for them");
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

}  // namespace

overlap::OverlapDocumentOptions document_options(const OverlapOptions& options) {
  return {.most_pairs = options.pairs, .only_summary = options.summary};
}

void add_overlap_options(CLI::App& verb, OverlapOptions& options) {
  add_input_options(verb, options.input);
  add_output_options(verb, options.output, ResultShape::Overlaps);
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

}  // namespace overlane::command
