#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "results/finding/finding.h"
#include "topologies/overlap/inventory/route_budget.h"
#include "topologies/overlap/inventory/shoot.h"
#include "topologies/overlap/pairs/impact.h"
#include "topologies/overlap/remedy/free_ranges.h"
#include "topologies/overlap/remedy/plan.h"

// The result of `overlane overlap`, as data: overlaps with both ranges, groups of overlaps with
// exact counts, route budgets, the plan, proposals and findings. A group counts all pairs of one
// domain, rule and kind; only some of them are listed as an `Overlap`. All output is made from this
// report: encode.h (JSON, CSV), findings_of() (SARIF, JUnit) and overlap_document.h (text,
// Markdown, HTML). Rules are pointers into the constant table of inventory/rules.h. A report owns
// the rest of its data and needs neither the documents nor the inventory.
namespace overlane::overlap {

/// One of the two ranges of an overlap.
struct End {
  std::string shoot;  ///< "namespace/name"; empty: not a shoot.
  std::string owner;  ///< The shoot, or the name of another owner: "data centre Frankfurt".
  ObjectName object;
  Role role = Role::Pods;
  IpPrefix cidr;
  DataplaneMode dataplane_mode = DataplaneMode::None;
  bool routes_missing = false;  ///< Its pods need cloud routes that no controller writes now.
  bool assumed = false;
  bool candidate = false;  ///< Given by --with.
  bool created = true;     ///< False: the shoot exists only as a manifest.
  std::int64_t nodes = 0;  ///< Minimum number of the shoot's nodes; 0 before the shoot is created.
  /// Minimum of nodes of a hibernated shoot after it wakes up; empty if it is not hibernated.
  std::optional<std::int64_t> waking_nodes;
  SourceLocation place;  ///< Place of the range; for an assumed range, place of the shoot.
  std::string path;      ///< "spec.networking.pods"; for an assumed range, the reason.

  /// Mode of its pods: "routed" or "overlay"; empty without pods.
  std::string_view mode() const;
};

/// When an overlap becomes a conflict, the most urgent first.
enum class Urgency : std::uint8_t {
  Now,
  Later,       ///< It begins after more node creations, or when a hibernated shoot wakes up.
  NotCreated,  ///< It begins when a shoot is created that exists only as a manifest.
};

/// "now", "later", "not-created".
std::string_view to_string(Urgency urgency);

/// One packet that shows the impact of an overlap, traced through the states of both shoots' nodes
/// and of their network.
struct ReportedWitness {
  std::string sender;  ///< "garden-a/one node-1/pod-0"
  std::string source;  ///< Source address of the packet.
  std::string destination;
  std::string meant;    ///< The intended receiver.
  std::string lands;    ///< The actual receiver: "garden-b/two node-2/pod-0", "nowhere".
  bool wrong = false;   ///< Whether the two differ.
  std::string because;  ///< The decision, with the entry of the state.
  std::vector<std::string> assumptions;  ///< Facts that are in no document, one sentence each.

  bool is_lost() const { return lands == "nowhere"; }
};

/// Two ranges that overlap.
struct Overlap {
  Impact impact;
  std::string kind;            ///< "pods-pods".
  std::string routing_domain;  ///< Domain::key, or "connection/hub".
  NetworkRelation network_relation = NetworkRelation::OneNetwork;
  effective::Provider provider{};  ///< The provider of both ends, if it is the same.
  End a;  ///< Before `b` by namespace and name; shoots before other owners.
  End b;
  IpPrefix intersection;
  std::string consequence;
  Urgency urgency = Urgency::Now;
  /// For routed pods: additional nodes and node creations until a pod CIDR overlaps the other
  /// range. 0: now; empty: never.
  std::optional<std::uint64_t> nodes_until_conflict;
  std::optional<std::uint64_t> creations_until_conflict;
  std::uint64_t growth = 0;  ///< Number of nodes that the workers may add at a time.
  std::optional<ReportedWitness> witness;

  /// Whether route controllers delete routes before pod CIDRs overlap.
  bool loses_routes() const;
  /// Node creations until a conflict of Urgency::Later; 0 if it starts when a shoot wakes up.
  std::uint64_t creations_until_impact() const;
};

/// Overlaps with the same impact in one domain.
struct Group {
  std::string routing_domain;  ///< Empty: overlaps within single shoots.
  Impact impact;
  std::string kind;
  std::uint64_t pairs = 0;
  std::uint64_t shoots = 0;
  std::uint64_t listed = 0;               ///< Number of pairs in OverlapReport::overlaps.
  Urgency urgency = Urgency::NotCreated;  ///< Urgency of the most urgent listed pair.
};

/// The changes of a "what if". The report itself then contains only new overlaps.
struct WhatIf {
  std::vector<std::string> applied;              ///< Candidates.
  std::map<std::string, effective::Mode> modes;  ///< Assumed modes of shoots.
  std::vector<Overlap> gone;                     ///< Overlaps that are resolved or less severe.
  std::vector<Group> gone_groups;                ///< Groups of `gone`.
  Findings gone_findings;                        ///< Resolved findings about route budgets.
  std::array<std::uint64_t, 3> unchanged{};      ///< Overlaps and route budgets, by Severity.
};

/// The answer of `overlane overlap`.
struct OverlapReport {
  std::vector<Overlap> overlaps;
  std::vector<Group> groups;  ///< The worst first, in the order of put_in_order().
  /// Information that is missing about domains that are possibly several networks, by Domain::key.
  std::map<std::string, std::string> uncertainties;
  std::vector<RouteBudget> budgets;
  std::vector<Proposal> proposals;
  std::optional<std::vector<PlanStep>> plan;  ///< Set if requested.
  Findings left_by_plan;  ///< Exceeded route quotas, which a plan does not resolve.
  std::uint64_t shoots = 0;
  std::uint64_t cidrs = 0;  ///< Number of distinct CIDRs.
  std::uint64_t domains = 0;
  std::string only_domain;  ///< Key of the only reported domain; empty: all domains.
  /// Errors over each connection that joins the domain `only_domain`, by the connection's key. They
  /// are reported for the connection.
  std::map<std::string, std::uint64_t> errors_over;
  Findings findings;

  /// With a Baseline: number of known overlaps, which are left out.
  std::optional<std::uint64_t> known;
  std::optional<WhatIf> what_if;              ///< Set if requested.
  Severity min_severity = Severity::Warning;  ///< Overlaps below this are only counted.

  /// Shoots whose manifests conflict only until the steps of the plan are done: they need no
  /// change, but have to wait. Empty without a plan.
  std::set<std::string> applied_after_plan() const;
  /// `findings` and the findings about route budgets.
  Findings all_findings() const;
  /// Whether a finding or an overlap, listed or not, has at least this severity.
  bool any_at_or_above(Severity threshold) const;
  /// Number of overlaps of this severity, listed or not.
  std::uint64_t count(Severity severity) const;
  /// Number of overlaps and route budgets of this severity.
  std::uint64_t count_with_budgets(Severity severity) const;
  /// Number of overlaps of at least the severity `least`.
  std::uint64_t count_shown() const;
};

/// Finds the group of an overlap. The groups must outlive this object and not change.
class GroupIndex {
 public:
  explicit GroupIndex(const std::vector<Group>& groups);

  /// The index of the group; nullopt if no group matches.
  std::optional<std::size_t> of(const Overlap& overlap) const;

 private:
  /// Domain, rule, severity, kind, and whether the overlap is certain.
  using Key = std::tuple<std::string_view, std::string_view, Severity, std::string_view, bool>;

  std::map<Key, std::size_t> groups_;
};

// Texts about overlaps that several formats share, and the report as a flat list of findings for
// SARIF and JUnit.

/// The report as findings, for SARIF and JUnit: each listed overlap at the place of `a` (of `b`, if
/// `a` has none), then one finding per group with unlisted pairs, then the report's own findings.
/// Every message starts with the name of a shoot.
Findings findings_of(const OverlapReport& report);

/// The time until routed pods conflict, and the hibernated shoots that have to wake up first; empty
/// if neither matters, or if there is never a conflict.
std::string until_text(const Overlap& overlap);

/// The action for an overlap: the change in the manifest of a shoot that is not created yet;
/// without such a shoot, the rule's remedy and a workaround on this provider. `shoots`: number of
/// shoots that overlap in the same way.
std::string advice(const Overlap& overlap, std::uint64_t shoots = 2);

}  // namespace overlane::overlap
