#include "topologies/witness/overlap_witness.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "topologies/witness/witness.h"

namespace overlane::witness {
namespace {

using overlap::End;
using overlap::Overlap;
using overlap::Role;

std::optional<Target> target_of(const End& end) {
  switch (end.role) {
    case Role::Pods:
      return Target::Pod;
    case Role::Nodes:
    case Role::Subnet:
      return Target::Node;
    case Role::Services:
      return Target::Service;
    case Role::Vpc:
    case Role::Declared:
      return Target::Outside;
    case Role::SeedPods:
    case Role::SeedNodes:
    case Role::SeedServices:
    case Role::Reserved:
      return std::nullopt;
  }
  return std::nullopt;
}

NetworkJoin network_relation_of(overlap::NetworkRelation network_relation) {
  switch (network_relation) {
    case overlap::NetworkRelation::OneRouteTable:
      return NetworkJoin::OneRouteTable;
    case overlap::NetworkRelation::OneNetwork:
      return NetworkJoin::OneNetwork;
    case overlap::NetworkRelation::Connected:
    case overlap::NetworkRelation::ConnectedForPods:
      return NetworkJoin::Connected;
  }
  return NetworkJoin::OneNetwork;
}

/// The sender is in pods, services or nodes, in this order.
std::optional<OverlapCase> case_of(
    const Overlap& overlap, const std::map<std::string, effective::EffectiveDataplane>& shoots) {
  // The cloud refuses the second subnet: there is no packet.
  if (overlap.impact.rule->id == "overlap-hosts-collide") return std::nullopt;
  const auto rank = [](const End& end) {
    return std::pair(overlap::part_of(end.role, end.dataplane_mode),
                     target_of(end) == Target::Outside);
  };
  const bool turned = rank(overlap.b) < rank(overlap.a);
  const End& sender = turned ? overlap.b : overlap.a;
  const End& other = turned ? overlap.a : overlap.b;
  const auto a_side = target_of(sender);
  const auto b_side = target_of(other);
  const auto a = shoots.find(sender.shoot);
  const auto b = shoots.find(other.shoot);
  if (!a_side || !b_side || sender.shoot == other.shoot || a == shoots.end()) return std::nullopt;
  if (*a_side == Target::Outside) return std::nullopt;  // No known sender.
  if (*b_side != Target::Outside && b == shoots.end()) return std::nullopt;
  return OverlapCase{
      .a = &a->second,
      .b = *b_side == Target::Outside ? nullptr : &b->second,
      .network_relation = network_relation_of(overlap.network_relation),
      .a_side = *a_side,
      .b_side = *b_side,
      .intersection = overlap.intersection,
      .carries_pod_routes = overlap.network_relation == overlap::NetworkRelation::ConnectedForPods,
      .a_name = sender.shoot,
      .b_name = other.shoot};
}

/// The packet shows the impact after hibernated shoots wake up.
void assume_awake(const Overlap& overlap, std::vector<std::string>& assumptions) {
  for (const End* end : {&overlap.b, &overlap.a})
    if (end->waking_nodes)
      assumptions.insert(assumptions.begin(), fmt::format("{} has woken up", end->owner));
}

overlap::ReportedWitness reported(Witness witness) {
  return {.sender = std::move(witness.sender),
          .source = witness.source.to_string(),
          .destination = witness.destination.to_string(),
          .meant = std::move(witness.meant),
          .lands = std::move(witness.lands),
          .wrong = witness.wrong,
          .because = std::move(witness.because),
          .assumptions = std::move(witness.assumptions)};
}

}  // namespace

std::vector<Overlap*> select_for_witness(overlap::OverlapReport& report, std::size_t most) {
  // Rank within its group, so that each group gets a witness before any gets two.
  std::map<std::tuple<std::string_view, std::string_view, std::string_view>, std::size_t> seen;
  std::vector<std::pair<std::size_t, Overlap*>> ranked;
  for (Overlap& overlap : report.overlaps)
    ranked.emplace_back(seen[{overlap.impact.rule->id, overlap.routing_domain, overlap.kind}]++,
                        &overlap);
  std::ranges::stable_sort(ranked, {}, &std::pair<std::size_t, Overlap*>::first);
  std::vector<Overlap*> chosen;
  for (std::size_t i = 0; i < std::min(most, ranked.size()); ++i)
    chosen.push_back(ranked[i].second);
  return chosen;
}

void add_witnesses(const std::vector<Overlap*>& overlaps,
                   const std::map<std::string, effective::EffectiveDataplane>& shoots) {
  for (Overlap* overlap : overlaps) {
    const auto question = case_of(*overlap, shoots);
    if (!question) continue;
    auto found = find_witness(*question);
    if (!found) continue;
    // A packet that arrives would hide other impacts, such as nodes of a shoot with WireGuard that
    // stay NoRouteCreated.
    if (found->wrong || overlap->impact.severity < Severity::Warning) {
      assume_awake(*overlap, found->assumptions);
      overlap->witness = reported(*std::move(found));
    }
  }
}

}  // namespace overlane::witness
