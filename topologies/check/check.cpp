#include "topologies/check/check.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "results/finding/finding_json.h"
#include "topologies/check/silence.h"
#include "topologies/explain/extensions.h"
#include "topologies/manifest/manifest_set.h"

namespace overlane::check {
namespace {

/// Whether one of two field paths leads to the other's field or into it.
bool meet(const std::string& a, const std::string& b) {
  const auto [shorter, longer] =
      std::minmax(a, b, [](const auto& x, const auto& y) { return x.size() < y.size(); });
  if (!longer.starts_with(shorter)) return false;
  return shorter.empty() || longer.size() == shorter.size() || longer[shorter.size()] == '.' ||
         longer[shorter.size()] == '[';
}

bool took_part(const ObjectName& object, const manifest::ClusterSpec& spec) {
  return object == spec.object ||
         std::ranges::find(spec.sources, object, &manifest::Source::object) != spec.sources.end();
}

/// What the rules about one shoot say. A field that could not be read counts as absent there, so
/// what they say of it and of what holds it is left out, and so is what merely disappoints.
Findings judge(const manifest::ClusterSpec& spec, const Findings& decoded,
               const explain::DeriveOptions& derive) {
  Findings findings = explain::examine(spec, derive).findings;
  std::vector<std::string> unread;
  for (const Finding& finding : decoded)
    if (finding.severity == Severity::Error && took_part(finding.object, spec))
      unread.push_back(finding.path);
  std::erase_if(findings, [&](const Finding& finding) {
    if (unread.empty()) return false;
    return finding.severity < Severity::Error ||
           std::ranges::any_of(unread,
                               [&](const std::string& path) { return meet(path, finding.path); });
  });
  return findings;
}

/// Files as they were given, each from its first line on.
void sort_by_place(const document::Stream& stream, Findings& findings) {
  std::map<std::string, std::size_t> rank;
  for (const document::Tree& tree : stream.documents)
    rank.emplace(tree.root().place().file, rank.size());
  for (const Finding& finding : findings)
    rank.emplace(finding.place.file, rank.size());
  std::ranges::stable_sort(findings, {}, [&](const Finding& finding) {
    return std::tuple(rank.at(finding.place.file), finding.place.line, finding.place.column);
  });
}

std::string counted(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

std::size_t CheckReport::count(Severity severity) const {
  return static_cast<std::size_t>(std::ranges::count(findings, severity, &Finding::severity));
}

CheckReport check(const document::Stream& stream, const CheckOptions& options) {
  const RuleBook book;
  document::Stream manifests = stream;
  explain::DeriveOptions derive = options.derive;
  explain::take_network_providers(manifests, derive.described);
  manifest::ManifestSet set = manifest::decode(manifests, manifest::Detail::All);

  CheckReport report{.shoots = {}, .findings = set.findings};
  const Silence silence(manifests, book, report.findings);
  for (const manifest::ClusterSpec& spec : set.clusters) {
    report.shoots.push_back({spec.object, spec.place});
    const Findings findings = judge(spec, set.findings, derive);
    report.findings.insert(report.findings.end(), findings.begin(), findings.end());
  }
  for (const manifest::ClusterSpec& fragment : set.fragments) {
    const Findings findings = explain::judge_config(fragment, derive);
    report.findings.insert(report.findings.end(), findings.begin(), findings.end());
  }
  std::erase_if(report.findings,
                [&](const Finding& finding) { return !options.selection.wants(book, finding); });
  report.silenced =
      std::erase_if(report.findings, [&](const Finding& one) { return silence.covers(one); });
  sort_by_place(stream, report.findings);
  return report;
}

std::string summary(const CheckReport& report) {
  std::string text = fmt::format("{}, {}, {}", counted(report.shoots.size(), "shoot"),
                                 counted(report.count(Severity::Error), "error"),
                                 counted(report.count(Severity::Warning), "warning"));
  if (const std::size_t notes = report.count(Severity::Note)) text += ", " + counted(notes, "note");
  if (report.silenced > 0) text += fmt::format(", {} silenced by annotations", report.silenced);
  return text;
}

nlohmann::ordered_json encode(const CheckReport& report) {
  return {{"schema_version", 1},
          {"kind", "CheckReport"},
          {"findings", overlane::encode(report.findings)},
          {"summary",
           {{"shoots", report.shoots.size()},
            {"errors", report.count(Severity::Error)},
            {"warnings", report.count(Severity::Warning)},
            {"notes", report.count(Severity::Note)},
            {"silenced", report.silenced}}}};
}

}  // namespace overlane::check
