#include "topologies/overlap/report/network_errors.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "results/report/text.h"
#include "topologies/overlap/report/group_index.h"

namespace overlane::overlap {
namespace {

constexpr std::size_t kMaxLines = 10;  // Per section.

/// The errors of one urgency in one domain.
struct DomainErrors {
  std::string_view domain;
  std::uint64_t overlaps = 0;
  std::uint64_t unlisted_shoots = 0;  ///< Of groups with unlisted pairs.
  std::uint64_t exceeded_quotas = 0;
  std::optional<std::uint64_t> creations;          ///< Node creations until the first conflict.
  std::map<std::string_view, std::int64_t> nodes;  ///< By shoot.
};

std::string line_of(const DomainErrors& place) {
  std::vector<std::string> parts;
  if (place.overlaps > 0) {
    std::int64_t nodes = 0;
    for (const auto& [shoot, its] : place.nodes)
      nodes += its;
    const bool are_known = place.unlisted_shoots == 0 && nodes > 0;
    const auto shoots = std::max<std::uint64_t>(place.nodes.size(), place.unlisted_shoots);
    parts.push_back(fmt::format(
        "{} involving {}{}", report::counted_text(place.overlaps, "overlap"),
        report::counted_text(shoots, "shoot"),
        are_known
            ? fmt::format(" ({})", report::counted_text(static_cast<std::uint64_t>(nodes), "node"))
            : ""));
  }
  if (place.creations)
    parts.push_back(*place.creations == 0
                        ? "when a shoot wakes up"
                        : "earliest after " +
                              report::counted_text(*place.creations, "node creation"));
  if (place.exceeded_quotas > 0)
    parts.push_back(report::counted_text(place.exceeded_quotas, "route quota") + " exceeded");
  return fmt::format("{}: {}", place.domain, fmt::join(parts, ", "));
}

class NetworkErrors {
 public:
  explicit NetworkErrors(const OverlapReport& report) : report_(report), index_(report.groups) {}

  std::vector<answer::Section> list() {
    add("errors now", Urgency::Now);
    add("errors later", Urgency::Later);
    add_manifests();
    add_routes();
    return std::move(sections_);
  }

 private:
  void add_lines(std::string_view heading, std::vector<std::string> lines, std::string_view more) {
    if (lines.empty()) return;
    if (lines.size() > kMaxLines) {
      const std::string rest = "… and " + report::counted_text(lines.size() - kMaxLines, more);
      lines.resize(kMaxLines);
      lines.push_back(rest);
    }
    sections_.push_back(
        {.heading = std::string(heading), .blocks = {answer::List{std::move(lines)}}});
  }

  /// Adds the domains with errors of this urgency, by time to conflict, then in the report's order.
  void add(std::string_view label, Urgency urgency) {
    std::vector<DomainErrors> places;
    std::map<std::string_view, std::size_t> numbers;
    const auto at = [&](std::string_view domain) -> DomainErrors& {
      const auto [known, is_new] = numbers.emplace(domain, places.size());
      if (is_new) places.push_back({.domain = domain});
      return places[known->second];
    };
    std::set<std::size_t> groups;
    for (const Overlap& overlap : report_.overlaps) {
      if (overlap.impact.severity != Severity::Error || overlap.urgency != urgency) continue;
      DomainErrors& place = at(overlap.routing_domain);
      ++place.overlaps;
      if (urgency == Urgency::Later) {
        const std::uint64_t creations = overlap.creations_until_impact();
        place.creations = std::min(place.creations.value_or(creations), creations);
      }
      for (const End* end : {&overlap.a, &overlap.b})
        if (!end->shoot.empty()) place.nodes[end->shoot] = end->nodes;
      const auto group = index_.of(overlap);
      if (!group || !groups.insert(*group).second) continue;
      const Group& its = report_.groups[*group];
      if (its.urgency != urgency || its.listed == its.pairs) continue;
      place.overlaps += its.pairs - its.listed;
      place.unlisted_shoots = std::max(place.unlisted_shoots, its.shoots);
    }
    if (urgency == Urgency::Now)
      for (const RouteBudget& budget : report_.budgets)
        if (budget.finding && budget.finding->severity == Severity::Error &&
            !budget.waits_for_creation())
          ++at(budget.routing_domain).exceeded_quotas;
    std::ranges::stable_sort(places, {}, &DomainErrors::creations);
    std::vector<std::string> lines;
    for (const DomainErrors& place : places)
      lines.push_back(line_of(place));
    add_lines(label, std::move(lines), "more network");
  }

  void add_manifests() {
    std::vector<std::string> lines;
    std::set<std::string_view> seen;
    for (const Overlap& overlap : report_.overlaps) {
      if (overlap.impact.severity != Severity::Error || overlap.urgency != Urgency::NotCreated)
        continue;
      for (const End* end : {&overlap.a, &overlap.b})
        if (!end->created && seen.insert(end->shoot).second)
          lines.push_back(fmt::format("{}: {} of {}", end->place.to_string(), to_string(end->role),
                                      end->shoot));
    }
    for (const RouteBudget& budget : report_.budgets) {
      if (!budget.finding || budget.finding->severity != Severity::Error ||
          !budget.waits_for_creation())
        continue;
      for (const auto& [shoot, place] : budget.not_created)
        lines.push_back(fmt::format("{}: nodes of {} exceed the route quota of {}",
                                    place.to_string(), shoot, budget.routing_domain));
    }
    add_lines("do not apply", std::move(lines), "more manifest");
  }

  /// The fullest route tables of those whose quota suffices.
  void add_routes() {
    constexpr std::size_t kMaxTables = 3;
    std::vector<std::string> lines;
    for (const RouteBudget& budget : report_.budgets) {
      if (!budget.quota || budget.finding || lines.size() == kMaxTables) continue;
      lines.push_back(fmt::format("{}: {} to {} of {} routes{}", budget.routing_domain,
                                  budget.minimum, budget.maximum, *budget.quota,
                                  budget.quota_assumed ? " (quota assumed)" : ""));
    }
    add_lines("routes", std::move(lines), "");
  }

  const OverlapReport& report_;
  GroupIndex index_;
  std::vector<answer::Section> sections_;
};

}  // namespace

std::vector<answer::Section> network_errors(const OverlapReport& report) {
  return NetworkErrors(report).list();
}

}  // namespace overlane::overlap
