#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/finding/finding.h"
#include "topologies/overlap/impact/network_relation.h"
#include "topologies/overlap/inventory/shoot.h"
#include "topologies/overlap/remedy/free_ranges.h"
#include "topologies/overlap/remedy/plan.h"
#include "topologies/overlap/sharing/budget.h"

namespace overlane::overlap {

/// One of the two ranges of an overlap.
struct End {
  std::string shoot;  ///< "namespace/name"; empty: no shoot's.
  std::string owner;  ///< The shoot, or who else has it: "data centre Frankfurt".
  ObjectName object;
  Role role = Role::Pods;
  IpPrefix cidr;
  DataplaneMode dataplane_mode = DataplaneMode::None;
  bool assumed = false;
  bool candidate = false;  ///< Of --with.
  bool created = true;     ///< False: of a shoot that exists only as a manifest.
  std::int64_t nodes = 0;  ///< That the shoot has, at least; none before it is created.
  /// Of a hibernated shoot, which has none: how many it gets at least when it wakes up.
  std::optional<std::int64_t> waking_nodes;
  SourceLocation place;  ///< Where it is given, or the shoot where it is assumed.
  std::string path;      ///< "spec.networking.pods"; of what is assumed, why.

  /// How pods of it are carried: "routed" or "overlay"; empty: it holds none.
  std::string_view mode() const;
};

/// When an overlap does harm. In this order they are to be looked after.
enum class Urgency : std::uint8_t {
  Now,
  Later,       ///< When more nodes are created, or a hibernated shoot wakes up.
  NotCreated,  ///< When a shoot of it is created, which exists only as a manifest.
};

/// "now", "later", "not-created".
std::string_view to_string(Urgency urgency);

/// One packet that shows what an overlap does, followed through the states of both shoots' nodes
/// and of their network.
struct Witness {
  std::string sender;  ///< "garden-a/one node-1/pod-0"
  std::string source;  ///< Addresses.
  std::string destination;
  std::string meant;    ///< Whom the sender means.
  std::string lands;    ///< Where the packet ends: "garden-b/two node-2/pod-0", "nowhere".
  bool wrong = false;   ///< That is not whom it was meant for.
  std::string because;  ///< What decided.
  std::vector<std::string> assumptions;  ///< What no document says; a sentence each.

  bool is_lost() const { return lands == "nowhere"; }
};

/// Two ranges that overlap.
struct Overlap {
  Impact impact;
  std::string kind;            ///< "pods-pods".
  std::string routing_domain;  ///< Domain::key, or "connection/hub".
  NetworkRelation meeting = NetworkRelation::OneNetwork;
  effective::Provider provider{};  ///< Of both, where they share it.
  End a;  ///< Before `b` by namespace and name; what is no shoot's stands last.
  End b;
  IpPrefix intersection;
  std::string consequence;
  Urgency urgency = Urgency::Now;
  /// Of routed pods, whose nodes' pod CIDRs can meet the other's or hosts: how many more nodes, and
  /// how many creations of nodes, it takes. 0: they meet now; nothing: never.
  std::optional<std::uint64_t> nodes_until_conflict;
  std::optional<std::uint64_t> creations_until_conflict;
  std::uint64_t growth = 0;  ///< How many more nodes their workers may have at a time.
  std::optional<Witness> witness;

  /// Whether routes are deleted as soon as both shoots are there and awake, before pod CIDRs meet.
  bool loses_routes() const;
  /// Of what does harm later: how many nodes have to be created until it does; 0: a shoot that
  /// wakes up is enough.
  std::uint64_t creations_until_harm() const;
};

/// Overlaps that mean the same, in one domain.
struct Group {
  std::string routing_domain;  ///< Empty: of shoots by themselves.
  Impact impact;
  std::string kind;
  std::uint64_t pairs = 0;
  std::uint64_t shoots = 0;
  std::uint64_t listed = 0;               ///< Of the pairs, those in OverlapReport::overlaps.
  Urgency urgency = Urgency::NotCreated;  ///< Of the most urgent one that is listed.
};

/// What a question "what if" changes. The report that has it tells only what comes.
struct WhatIf {
  std::vector<std::string> applied;  ///< Candidates: shoots that somebody wants to apply.
  std::map<std::string, effective::Mode> modes;  ///< Of shoots that are assumed to be otherwise.
  std::vector<Overlap> gone;                     ///< What is no more, or weighs less …
  std::vector<Group> gone_groups;                ///< … counted.
  Findings gone_findings;                        ///< Of route budgets, the same.
  std::array<std::uint64_t, 3> unchanged{};      ///< Overlaps and route budgets, by Severity.
};

/// The answer of `overlane overlap`.
struct OverlapReport {
  std::vector<Overlap> overlaps;
  std::vector<Group> groups;  ///< The worst first, as put_in_order() says.
  /// Of domains that are possibly several networks, what would tell; by Domain::key.
  std::map<std::string, std::string> doubts;
  std::vector<RouteBudget> budgets;
  std::vector<Proposal> proposals;
  std::optional<std::vector<PlanStep>> plan;  ///< Where one was asked for.
  Findings left_by_plan;  ///< Of route budgets, what weighs as much as that which it mends.
  std::uint64_t shoots = 0;
  std::uint64_t cidrs = 0;  ///< Different ones.
  std::uint64_t domains = 0;
  std::string only_domain;  ///< The one that overlaps and budgets are of; empty: all are told.
  /// Of that one, how many errors there are over each connection that joins it, by its key: these
  /// are told of the connection.
  std::map<std::string, std::uint64_t> errors_over;
  Findings findings;

  /// With a Baseline: how many overlaps it knew, which are left out.
  std::optional<std::uint64_t> known;
  std::optional<WhatIf> what_if;       ///< Where the question is one.
  Severity least = Severity::Warning;  ///< What weighs less is only counted.

  /// `findings` and those of the budgets.
  Findings all_findings() const;
  /// Whether a finding or an overlap, listed or not, has at least this severity.
  bool any_at_or_above(Severity threshold) const;
  /// Number of overlaps of this severity, listed or not.
  std::uint64_t count(Severity severity) const;
  /// The same with route budgets.
  std::uint64_t count_with_budgets(Severity severity) const;
  /// Number of overlaps of at least the severity `least`.
  std::uint64_t count_shown() const;
};

}  // namespace overlane::overlap
