#include "scenarios/traffic/expand.h"

#include <utility>

#include <fmt/format.h>

#include "scenarios/traffic/pairs.h"

namespace overlane::traffic {
namespace {

/// A flow uses about 5 KB of memory: 1.2 GB at this limit.
constexpr std::uint64_t kMaxFlows = 250'000;

using graph::Topology;
using spec::Traffic;

tl::unexpected<Finding> too_many_flows(const Traffic& traffic, std::uint64_t flows) {
  return fail(
      Finding{.rule = "too-many-flows",
              .severity = Severity::Error,
              .message = fmt::format("with traffic \"{}\" the scenario has {} flows; {} are "
                                     "the most that one run holds",
                                     traffic.name, flows, kMaxFlows),
              .object = {},
              .path = "spec.traffic",
              .place = traffic.place,
              .hint = "use fewer flows, fewer nodes, or another pattern"});
}

/// Replaces the pods on one side of each pair by their nodes.
void move_to_nodes(const Topology& topology, run::PodEnd run::PodPair::*side,
                   std::vector<run::PodPair>& pairs) {
  for (run::PodPair& pair : pairs) {
    run::PodEnd& end = pair.*side;
    end.address = topology.nodes()[end.node].addresses.in(end.address.family())->address;
  }
}

run::TrafficGroup group_of(const Traffic& asked, const std::vector<run::PodPair>& pairs) {
  run::TrafficGroup group;
  group.name = asked.name;
  group.kind = asked.kind;
  group.pairs = pairs;
  group.to_service = asked.to_service;
  group.from_node = asked.from_node;
  group.to_node = asked.to_node;
  group.flows_per_pair = asked.pattern == spec::Pattern::HotSpot ? 1 : asked.flows;
  group.rate = asked.rate;
  group.payload_bytes = asked.payload_bytes;
  group.dont_fragment = asked.dont_fragment;
  group.arrivals = asked.poisson ? run::Arrivals::Poisson : run::Arrivals::Constant;
  group.on = asked.on;
  group.off = asked.off;
  if (asked.window_bytes) group.window_bytes = *asked.window_bytes;
  group.connections =
      asked.connection_per_request ? run::Connections::PerRequest : run::Connections::KeepAlive;
  group.mtu_probing = asked.mtu_probing.value_or(0);
  group.transfer = asked.transfer;
  group.gap = asked.gap;
  group.request_bytes = asked.request_bytes;
  group.response_bytes = asked.response_bytes;
  group.think_time = asked.think_time;
  group.timeout = asked.timeout;
  group.over_udp = asked.over_udp;
  return group;
}

}  // namespace

Result<std::vector<run::TrafficGroup>> expand(const std::vector<Traffic>& traffic,
                                              const Topology& topology, Family family,
                                              std::uint64_t seed, Findings& notes) {
  if (topology.nodes().size() < 2) {
    return fail(Finding{.rule = "impossible-topology",
                        .severity = Severity::Error,
                        .message = "traffic between nodes needs two nodes and there is one",
                        .object = {},
                        .path = "spec.shoots[0].nodes",
                        .place = traffic.empty() ? SourceLocation{} : traffic.front().place,
                        .hint = "give the topology at least two nodes"});
  }
  std::vector<run::TrafficGroup> groups;
  std::uint64_t flows = 0;
  for (const Traffic& asked : traffic) {
    flows += flows_of(asked, topology.nodes().size());
    if (flows > kMaxFlows) return too_many_flows(asked, flows);
    const RandomStream random(seed, StreamUse::Pattern, groups.size());
    auto pairs = pairs_of(asked, {topology, family}, random, notes);
    if (!pairs) return fail(pairs.error());
    if (asked.from_node) move_to_nodes(topology, &run::PodPair::source, *pairs);
    if (asked.to_node) move_to_nodes(topology, &run::PodPair::destination, *pairs);
    groups.push_back(group_of(asked, *pairs));
  }
  return groups;
}

}  // namespace overlane::traffic
