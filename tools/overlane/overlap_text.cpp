#include "tools/overlane/overlap_text.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "results/report/text.h"

namespace overlane::command {
namespace {

using overlap::End;
using overlap::Group;
using overlap::Overlap;
using overlap::OverlapReport;
using report::count_text;
using report::kReportWidth;
using report::wrapped;

std::string counted(std::uint64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count_text(static_cast<std::int64_t>(count)), what,
                     count == 1 ? "" : "s");
}

bool belongs_to(const Overlap& overlap, const Group& group) {
  return overlap.meaning.rule == group.meaning.rule && overlap.kind == group.kind &&
         overlap.sure == group.sure && overlap.meaning.severity == group.meaning.severity &&
         (group.routing_domain.empty() || overlap.routing_domain == group.routing_domain);
}

std::string end_text(const End& end) {
  return fmt::format("{} {} {}{}", end.owner, to_string(end.role), end.cidr.to_string(),
                     end.assumed ? " (assumed)" : "");
}

std::string until_text(const Overlap& overlap) {
  if (!overlap.nodes_until_conflict && !overlap.creations_until_conflict) return "";
  if (overlap.nodes_until_conflict == 0u || overlap.creations_until_conflict == 0u)
    return "node slices meet now";
  std::string text = "node slices meet";
  if (overlap.nodes_until_conflict)
    text += fmt::format(" {} from now", counted(*overlap.nodes_until_conflict, "node"));
  if (overlap.creations_until_conflict &&
      overlap.creations_until_conflict != overlap.nodes_until_conflict)
    text += fmt::format("{} after {}", overlap.nodes_until_conflict ? ", or" : "",
                        counted(*overlap.creations_until_conflict, "more created node"));
  return text;
}

std::string places_text(const Overlap& overlap) {
  std::string text;
  for (const End* end : {&overlap.a, &overlap.b}) {
    const std::string place = end->place.to_string();
    if (place.empty() || text == place) continue;
    text += text.empty() ? place : " and " + place;
  }
  return text;
}

std::string pair_text(const Overlap& overlap) {
  std::string text = fmt::format("    {} x {}\n", end_text(overlap.a), end_text(overlap.b));
  const std::string until = until_text(overlap);
  const std::string places = places_text(overlap);
  if (!until.empty() || !places.empty())
    text +=
        fmt::format("      {}{}{}\n", until, until.empty() || places.empty() ? "" : "; ", places);
  return text;
}

std::string group_text(const Group& group, const std::vector<const Overlap*>& overlaps,
                       std::size_t most_pairs) {
  const Overlap* first = overlaps.empty() ? nullptr : overlaps.front();
  std::string text =
      wrapped(fmt::format("  {}: ", to_string(group.meaning.severity)),
              fmt::format("{}: {} of {}{} [{}]", group.meaning.rule->title,
                          counted(group.pairs, "overlap"), counted(group.shoots, "shoot"),
                          group.sure ? "" : ", if their networks are one", group.meaning.rule->id),
              kReportWidth);
  (void)first;
  std::size_t shown = 0;
  for (const Overlap* overlap : overlaps) {
    if (shown == most_pairs) break;
    text += pair_text(*overlap);
    ++shown;
  }
  if (group.pairs > shown)
    text += fmt::format("    … and {}\n", counted(group.pairs - shown, "more overlap"));
  if (first != nullptr) text += wrapped("    what happens: ", first->consequence, kReportWidth);
  text += wrapped("    what to do: ", group.meaning.rule->remedy, kReportWidth);
  return text;
}

}  // namespace

std::string overlap_text(const OverlapReport& report, std::size_t most_pairs, report::Style style) {
  std::string text;
  std::vector<std::string_view> domains;
  for (const Group& group : report.groups)
    if (group.listed > 0 && std::ranges::find(domains, group.routing_domain) == domains.end())
      domains.push_back(group.routing_domain);
  for (const std::string_view domain : domains) {
    text += report::heading_text(domain.empty() ? "each shoot by itself" : domain, style) + '\n';
    for (const Group& group : report.groups) {
      if (group.routing_domain != domain || group.listed == 0) continue;
      std::vector<const Overlap*> overlaps;
      for (const Overlap& overlap : report.overlaps)
        if (belongs_to(overlap, group)) overlaps.push_back(&overlap);
      text += group_text(group, overlaps, most_pairs) + '\n';
    }
  }
  text += fmt::format("{} in {}: {}, {}", counted(report.shoots, "shoot"),
                      counted(report.domains, "network"),
                      counted(report.count(Severity::Error), "error"),
                      counted(report.count(Severity::Warning), "warning"));
  if (const std::uint64_t notes = report.count(Severity::Note))
    text += fmt::format(", {}", counted(notes, "harmless overlap"));
  return text + '\n';
}

}  // namespace overlane::command
