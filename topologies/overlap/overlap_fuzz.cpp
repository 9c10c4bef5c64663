// Fuzzes whole landscapes. The reported overlaps are correct for each pair and the counts add up;
// search() finds the result of a comparison of all pairs; neither the order of documents nor a
// second copy of them changes the result.

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "topologies/document/testing/same_tree.h"
#include "topologies/manifest/objects/object_head.h"
#include "topologies/overlap/inventory/inventory.h"
#include "topologies/overlap/map/svg.h"
#include "topologies/overlap/report/encode.h"
#include "topologies/overlap/report/find.h"
#include "topologies/overlap/report/report.h"
#include "topologies/overlap/testing/quadratic.h"

namespace overlane::overlap {
namespace {

using document::Stream;
using document::testing::require;

constexpr std::size_t kMaxListed = 6;
/// Largest landscape for a comparison of all pairs within one input.
constexpr std::size_t kMaxEntries = 200;

/// A landscape and its report.
struct ReportedLandscape : Comparison {
  explicit ReportedLandscape(const Stream& stream) : Comparison(read(stream)) {}

  static Inventory read(const Stream& stream) {
    std::vector<Landscape> landscapes;
    landscapes.push_back({"", stream, {}});
    return LandscapeReader(std::move(landscapes), {.threads = 1}).read();
  }

  OverlapReport report =
      find_overlaps(*this, {.most_listed = kMaxListed, .min_severity = Severity::Note});
};

void require_true(const Overlap& overlap) {
  const End& a = overlap.a;
  const End& b = overlap.b;
  require(a.cidr.overlaps(b.cidr), "the ranges overlap");
  require(overlap.intersection.length() == std::max(a.cidr.length(), b.cidr.length()) &&
              a.cidr.contains(overlap.intersection) && b.cidr.contains(overlap.intersection),
          "the intersection is what both have");
  require(b.shoot.empty() || (!a.shoot.empty() && a.shoot <= b.shoot), "a is before b by name");
  require(overlap.kind == kind_of(a.role, b.role), "the kind names the roles");
  require(!overlap.routing_domain.empty() && !overlap.consequence.empty(), "all is said");
  const bool is_known = overlap.impact.sure && !a.assumed && !b.assumed;
  require(is_known || overlap.impact.severity <= Severity::Warning,
          "what is not known is a warning at most");
}

void require_urgency(const Overlap& overlap) {
  require(overlap.nodes_until_conflict.has_value() == overlap.creations_until_conflict.has_value(),
          "both numbers are known or none");
  const bool in_routes =
      has_routes(overlap.a.dataplane_mode) || has_routes(overlap.b.dataplane_mode);
  require(in_routes || !overlap.nodes_until_conflict, "only pod CIDRs in routes come to meet");
  const bool exists = overlap.a.created && overlap.b.created;
  require(exists == (overlap.urgency != Urgency::NotCreated), "what exists is told apart");
  const bool is_far = overlap.creations_until_conflict.value_or(0) > 0;
  require(is_far || overlap.urgency != Urgency::Later, "what is to come is some nodes away");
  const bool deletes = overlap.impact.rule->id == std::string_view("overlap-routes-contested");
  require(!is_far || overlap.urgency != Urgency::Now || deletes,
          "what is some nodes away does no harm now");
}

void require_sums(const OverlapReport& report) {
  std::vector<std::uint64_t> listed(report.groups.size());
  const GroupIndex index(report.groups);
  for (const Overlap& overlap : report.overlaps) {
    const auto group = index.of(overlap);
    require(group.has_value(), "an overlap is counted in a group");
    ++listed[*group];
    require(report.groups[*group].urgency <= overlap.urgency, "a group is as urgent as its worst");
  }
  for (std::size_t i = 0; i < listed.size(); ++i) {
    const Group& group = report.groups[i];
    require(group.listed == listed[i], "a group knows what is listed of it");
    require(group.listed == std::min<std::uint64_t>(group.pairs, kMaxListed),
            "all pairs are listed up to the limit");
    require(group.shoots <= 2 * group.pairs, "each pair is of two at most");
  }
}

void require_same_as_every_pair(const ComparisonScope& comparison_scope) {
  auto fast =
      search(comparison_scope.entries, comparison_scope.scope, ~std::size_t{0}, Severity::Note);
  auto slow = testing::search_quadratic(comparison_scope.entries, comparison_scope.scope);
  const auto order = [](const PairGroup& group) {
    return std::tuple(group.impact.rule->id, group.impact.severity, group.impact.sure, group.first,
                      group.second, group.pairs, group.owners, group.listed.size());
  };
  std::ranges::sort(fast, {}, order);
  std::ranges::sort(slow, {}, order);
  require(std::ranges::equal(fast, slow, {}, order, order), "search finds what every pair says");
}

void require_printable(const ReportedLandscape& world) {
  require(!encode(world.report).dump().empty(), "a report can be encoded");
  require(!encode_csv(world.report).empty(), "it has its lines");
  for (const Finding& finding : findings_of(world.report))
    require(!finding.rule.empty() && !finding.message.empty(), "a finding says what is wrong");
  const auto& overlaps = world.report.overlaps;
  const std::string worst = overlaps.empty() ? "" : overlaps.front().routing_domain;
  static_cast<void>(draw_map(map_addresses(world, worst)));
}

/// Requires that each step changes something, and that no shoot has two steps.
void require_plan(const ReportedLandscape& world) {
  std::set<std::uint32_t> shoots;
  for (const PlanStep& step : plan(world, {.min_severity = Severity::Warning})) {
    require(step.shoot < world.inventory.shoots.size(), "a step is about a shoot");
    require(shoots.insert(step.shoot).second, "each shoot once");
    require(!step.changes.empty() && step.conflicts > 0, "it changes what is in conflict");
    for (const Change& change : step.changes)
      require(!change.to || !change.to->overlaps(change.from), "what it gets is another range");
  }
}

void require_proposals(const ReportedLandscape& world) {
  for (std::uint32_t domain = 0; domain < world.routing_scopes.domains.size(); ++domain)
    for (const Proposal& proposal :
         FreeRanges(world.inventory, world.routing_scopes, domain).propose({.shoots = 3}))
      for (const std::uint32_t i : world.routing_scopes.domains[domain].shoots)
        for (const Range& range : world.inventory.shoots[i].ranges)
          require(!range.cidr.overlaps(proposal.pods), "what is proposed is free");
}

/// True if the order of documents cannot matter: all names are unique, and there are no findings.
bool is_order_free(const Stream& stream, const Inventory& inventory) {
  std::set<std::string> names;
  for (const document::Tree& tree : stream.documents) {
    const ObjectName name = manifest::name_of(tree.root());
    if (!names.insert(name.namespace_ + '/' + name.name).second) return false;
  }
  return inventory.findings.empty();
}

/// The report without findings and their counts, because a repeated file is a finding.
std::string said(const ReportedLandscape& world) {
  nlohmann::ordered_json report = encode(world.report);
  report.erase("findings");
  report.erase("summary");
  return report.dump();
}

void check(const std::string& text) {
  const Stream stream = document::parse(text, "x.yaml");
  const ReportedLandscape world(stream);
  for (const Overlap& overlap : world.report.overlaps) {
    require_true(overlap);
    require_urgency(overlap);
  }
  require_sums(world.report);
  for (const ComparisonScope& comparison_scope : world.comparison_scopes)
    if (comparison_scope.entries.size() <= kMaxEntries)
      require_same_as_every_pair(comparison_scope);
  require_printable(world);
  require_plan(world);
  require_proposals(world);
  if (!is_order_free(stream, world.inventory)) return;
  Stream other = stream;
  std::ranges::reverse(other.documents);
  require(said(ReportedLandscape(other)) == said(world), "the order of documents does not matter");
  other = stream;
  other.append(document::parse(text, "y.yaml"));
  require(said(ReportedLandscape(other)) == said(world), "what a second file repeats counts once");
}

}  // namespace
}  // namespace overlane::overlap

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  overlane::overlap::check(std::string(data, data + size));
  return 0;
}
