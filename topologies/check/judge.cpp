#include "topologies/check/judge.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

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

bool took_part(const ObjectName& object, const manifest::PodNetworkSpec& spec) {
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

Findings judge(const manifest::PodNetworkSpec& spec, const Findings& decoded,
               const derive::DeriveOptions& derive) {
  Findings findings = derive::examine(spec, derive).findings;
  std::vector<std::string> unread;
  bool ended = false;
  for (const Finding& finding : decoded) {
    if (finding.severity < Severity::Error || !took_part(finding.object, spec)) continue;
    unread.push_back(finding.path);
    ended = ended || !derive.overlooks || !derive.overlooks(finding);
  }
  std::erase_if(findings, [&](const Finding& finding) {
    return (ended && finding.severity < Severity::Error) ||
           std::ranges::any_of(unread,
                               [&](const std::string& path) { return meet(path, finding.path); });
  });
  return findings;
}

void append(const Findings& more, Findings& findings) {
  findings.insert(findings.end(), more.begin(), more.end());
}

void finish(CheckReport& report, const document::Stream& stream, const Choice& choice) {
  append(choice.findings(), report.findings);
  std::set<ObjectName> in_part;
  const auto hide = [&](const Finding& finding) {
    if (choice.hides_lost_value(finding)) in_part.insert(finding.object);
    if (!choice.wants(finding)) {
      if (choice.is_unusable(finding)) ++report.left_out;
      return true;
    }
    if (!choice.silences(finding)) return false;
    report.silenced.push_back(finding);
    return true;
  };
  std::erase_if(report.findings, hide);
  report.judged_in_part = in_part.size();
  sort_by_place(stream, report.findings);
  sort_by_place(stream, report.silenced);
}

}  // namespace overlane::check
