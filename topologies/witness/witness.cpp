#include "topologies/witness/witness.h"

#include <algorithm>
#include <cassert>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "topologies/path/trace_report.h"
#include "topologies/witness/candidate_packets.h"
#include "topologies/witness/placement.h"
#include "topologies/witness/shared_network.h"

namespace overlane::witness {

namespace {

using path::Hop;

/// The decision that directed the packet: the translation of a Service, the route into a tunnel or
/// to a neighbour, or the network's route; otherwise the last decision.
const Hop& decisive_hop(const path::Trace& trace) {
  const Hop* route = nullptr;
  for (const Hop& hop : trace.hops) {
    if (trace.is_of_error(hop.packet)) continue;
    const bool by_socket = hop.state_entry.empty();
    if (hop.decision == "translate" && (by_socket || hop.state_entry.starts_with("service ")))
      return hop;
    if (hop.decision == "encapsulate" && route != nullptr) return *route;
    if (hop.decision != "route") continue;
    // A packet to a neighbour was directed by the sender's own route.
    if (hop.place == "vpc" && hop.state_entry.starts_with("subnet ") && route != nullptr)
      return *route;
    if (hop.place == "vpc") return hop;
    route = &hop;
  }
  return route != nullptr ? *route : trace.hops.back();
}

/// The name of a hop's place, the same on every provider.
std::string_view name_of_place(const Hop& hop) {
  return hop.place == "vpc" ? "the network" : std::string_view(hop.place);
}

/// Text of the end of a trace: the drop with its reason, or the loop.
std::string end_of(const path::Trace& trace) {
  const Hop& end = trace.hops[trace.failure->hop];
  const auto loop = std::ranges::find(trace.hops, "loop", &Hop::decision);
  if (loop != trace.hops.end())
    return fmt::format("{} and the network send it to each other until its hop limit is reached",
                       loop->place);
  const std::string text =
      fmt::format("{} drops it: {}", name_of_place(end), facts(trace.failure->drop).meaning);
  return end.state_entry.empty() ? text : fmt::format("{} (\"{}\")", text, end.state_entry);
}

/// Text of the decisive decision and its outcome.
std::string because_of(const path::Trace& trace, IpAddress destination) {
  const Hop& hop = decisive_hop(trace);
  const Hop* end = trace.failure ? &trace.hops[trace.failure->hop] : nullptr;
  if (end == &hop) return end_of(trace);
  if (hop.decision != "route") {
    std::string text = fmt::format("{}: {}", name_of_place(hop), hop.because);
    if (!hop.state_entry.empty()) text += fmt::format(" (\"{}\")", hop.state_entry);
    return end == nullptr ? text : text + "; " + end_of(trace);
  }
  const std::string text = fmt::format("in {} {} follows \"{}\"", name_of_place(hop),
                                       destination.to_string(), hop.state_entry);
  if (end == nullptr) return text;
  const bool is_unused_address =
      end->drop == Drop::FabricNoRoute && end->state_entry == hop.state_entry;
  return is_unused_address ? text + ", but no machine has this address"
                           : text + "; " + end_of(trace);
}

Witness follow(const SharedNetwork& shared, const CandidatePacket& candidate) {
  path::Trace trace = path::trace(shared.states, candidate.request);
  Witness witness{.sender = candidate.sender,
                  .source = candidate.request.packet.inner.source,
                  .destination = candidate.destination,
                  .port = candidate.port,
                  .meant = candidate.meant,
                  .lands = std::string(kNowhere),
                  .drop = std::nullopt,
                  .because = because_of(trace, candidate.destination),
                  .hops = {},
                  .assumptions = shared.assumptions};
  for (const path::DeliveredPacket& arrived : trace.arrived) {
    if (trace.is_of_error(arrived.packet)) continue;
    witness.lands = arrived.place;
    break;
  }
  if (witness.lands == kNowhere && trace.failure) witness.drop = trace.failure->drop;
  witness.wrong = witness.lands != witness.meant;
  witness.hops = std::move(trace.hops);
  if (!candidate.assumption.empty()) witness.assumptions.push_back(candidate.assumption);
  return witness;
}

/// Whether the case has no wrong packet: Services are valid on their own nodes only, and addresses
/// of one network are unique.
bool is_harmless(const OverlapCase& view) {
  if (view.a_side == Target::Service) return view.b_side == Target::Service;
  return view.a_side == Target::Node && view.network_relation != NetworkJoin::Connected;
}

/// The packet with the most severe outcome in shared networks of that layout; if none goes wrong,
/// one that arrives.
Result<Witness> worst_packet(const OverlapCase& overlap, Layout layout) {
  std::optional<Witness> harmless;
  std::optional<std::pair<int, Witness>> worst;  // Rank and witness.
  for (const OverlapCase& view : views(overlap)) {
    const auto shared = make_shared_network(view, layout);
    if (!shared && layout == Layout::CurrentPodCidrs) continue;
    if (!shared && worst) break;
    if (!shared) return fail(shared.error());
    for (const CandidatePacket& candidate : candidate_packets(*shared, view)) {
      if (worst && worst->first <= candidate.rank) break;
      Witness witness = follow(*shared, candidate);
      if (witness.wrong && is_harmless(view)) {
        return unsupported(*view.a, "overlaps of other ranges of the two stop the packet",
                           "see their witnesses");
      }
      if (witness.wrong && candidate.rank == 0) return witness;
      if (witness.wrong)
        worst = {candidate.rank, std::move(witness)};
      else if (!harmless)
        harmless = std::move(witness);
    }
  }
  if (worst) return std::move(worst->second);
  if (harmless) return *std::move(harmless);
  return unsupported(*overlap.a, "its ranges have no room for two nodes, so that no packet is sent",
                     "");
}

}  // namespace

std::string_view to_string(NetworkJoin network_relation) {
  switch (network_relation) {
    case NetworkJoin::OneRouteTable:
      return "one-route-list";
    case NetworkJoin::OneNetwork:
      return "one-network";
    case NetworkJoin::Connected:
      return "connected";
  }
  return "";
}

std::string_view to_string(Target target) {
  switch (target) {
    case Target::Pod:
      return "pod";
    case Target::Node:
      return "node";
    case Target::Service:
      return "service";
    case Target::Outside:
      return "outside";
  }
  return "";
}

Result<Witness> find_witness(const OverlapCase& overlap) {
  assert(overlap.a != nullptr);
  if (overlap.a == overlap.b) return unsupported(*overlap.a, "both ranges are the shoot's own", "");
  // Prefer packets that do not depend on later node creations.
  if (overlap.network_relation == NetworkJoin::OneRouteTable && overlap.b != nullptr &&
      overlap.a_side == Target::Pod && overlap.b_side == Target::Pod)
    if (auto now = worst_packet(overlap, Layout::CurrentPodCidrs); now && now->wrong) return now;
  return worst_packet(overlap, Layout::UntilConflict);
}

nlohmann::ordered_json encode(const Witness& witness) {
  using Json = nlohmann::ordered_json;
  return {{"sender", witness.sender},
          {"source", witness.source.to_string()},
          {"destination", witness.destination.to_string()},
          {"port", witness.port},
          {"meant", witness.meant},
          {"lands", witness.lands},
          {"drop", witness.drop ? Json(overlane::to_string(*witness.drop)) : Json()},
          {"wrong", witness.wrong},
          {"because", witness.because},
          {"hops", path::encode(witness.hops)},
          {"assumptions", witness.assumptions}};
}

std::string print(const Witness& witness) {
  std::string text = fmt::format("{} ({}) sends TCP to {} port {} and means {}.\n", witness.sender,
                                 witness.source.to_string(), witness.destination.to_string(),
                                 witness.port, witness.meant);
  text += witness.drop
              ? fmt::format("It is lost ({}): ", overlane::to_string(*witness.drop))
              : fmt::format("It {} {}: ", witness.wrong ? "lands at" : "reaches", witness.lands);
  text += witness.because + ".\n";
  for (const std::string& assumption : witness.assumptions)
    text += fmt::format("  assumed: {}\n", assumption);
  return text;
}

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

/// The case of an overlap. The sender's side is the first of pods, services and nodes.
std::optional<OverlapCase> case_of(
    const Overlap& overlap, const std::map<std::string, effective::EffectiveDataplane>& shoots) {
  // The cloud refuses the second subnet, so there is no packet.
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
  if (*a_side == Target::Outside) return std::nullopt;  // There is no known sender.
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

/// Adds the assumption that hibernated shoots have woken up.
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
  // Rank of an overlap within its group: each group gets a witness before any group gets two.
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
    // A packet that arrives would hide other effects, such as nodes of a shoot with WireGuard that
    // remain NoRouteCreated.
    if (found->wrong || overlap->impact.severity < Severity::Warning) {
      assume_awake(*overlap, found->assumptions);
      overlap->witness = reported(*std::move(found));
    }
  }
}

}  // namespace overlane::witness
