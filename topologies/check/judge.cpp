#include "topologies/check/judge.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "topologies/check/silence.h"

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

}  // namespace

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

void append(const Findings& more, Findings& findings) {
  findings.insert(findings.end(), more.begin(), more.end());
}

void finish(CheckReport& report, const document::Stream& stream, const RuleBook& book,
            const Selection& selection) {
  const Silence silence(stream, book, report.findings);
  std::erase_if(report.findings,
                [&](const Finding& finding) { return !selection.wants(book, finding); });
  report.silenced =
      std::erase_if(report.findings, [&](const Finding& one) { return silence.covers(one); });
  sort_by_place(stream, report.findings);
}

}  // namespace overlane::check
