#include "scenarios/runner/plan/cloud_flows.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "scenarios/spec/regimes.h"
#include "topologies/provider/profile.h"

namespace overlane::runner {

namespace {

/// How the packets of one connection between two nodes look to the cloud.
struct OuterFlows {
  bool is_one_of_pair = false;      ///< All connections between two nodes are one.
  std::uint32_t of_connection = 1;  ///< Connections that the cloud sees for one of the pods'.
};

OuterFlows outer_flows(const effective::Dataplane& dataplane) {
  // Pairs of nodes in one subnet are then routed: their connections are an upper bound.
  if (dataplane.cross_subnet) return {};
  if (dataplane.encryption == effective::Encryption::WireGuard) return {.is_one_of_pair = true};
  switch (dataplane.encapsulation) {
    case effective::Encapsulation::Ipip:
      return {.is_one_of_pair = true};
    case effective::Encapsulation::Vxlan:
    case effective::Encapsulation::Geneve:
      return {.of_connection = 2};
    case effective::Encapsulation::None:
      break;
  }
  return {};
}

}  // namespace

CloudFlows most_cloud_flows(const std::vector<run::TrafficGroup>& traffic,
                            const effective::Dataplane& dataplane, std::uint32_t per_connection) {
  const OuterFlows outer = outer_flows(dataplane);
  std::map<std::uint32_t, std::uint64_t> connections;
  std::map<std::uint32_t, std::set<std::uint32_t>> peers;
  for (const run::TrafficGroup& group : traffic) {
    for (const run::PodPair pair : group.pairs) {
      const auto [from, to] = std::pair(pair.source.node, pair.destination.node);
      if (from == to) continue;
      for (const auto& [node, peer] : {std::pair(from, to), std::pair(to, from)}) {
        connections[node] += group.flows_per_pair;
        if (outer.is_one_of_pair) peers[node].insert(peer);
      }
    }
  }
  CloudFlows most;
  for (const auto& [node, count] : connections) {
    const std::uint64_t seen =
        outer.is_one_of_pair ? peers[node].size() : count * outer.of_connection;
    if (seen * per_connection > most.flows) most = {node, seen * per_connection};
  }
  return most;
}

std::optional<Finding> too_many_flows(const Prepared& prepared,
                                      const effective::Dataplane& dataplane,
                                      const std::vector<run::TrafficGroup>& traffic) {
  const auto& limit =
      provider::profile_of(prepared.subject.as_written.provider).machines.flow_allowance;
  if (!limit || prepared.subject.wire == cost::Wire::Veth) return std::nullopt;
  const CloudFlows most = most_cloud_flows(traffic, dataplane, limit->flows_per_connection);
  if (most.flows <= limit->flows_of(prepared.subject.machine.cores)) return std::nullopt;
  Finding finding =
      spec::unsupported({.regime = spec::Regime::FlowAllowance,
                         .setting = fmt::format("up to {} {} of {}", most.flows, limit->what,
                                                prepared.subject.topology.nodes()[most.node].name),
                         .object = {},
                         .path = "spec.traffic",
                         .place = prepared.scenario.place,
                         .hint = std::string(limit->effect)});
  finding.object = {"Scenario", "", prepared.scenario.name};
  return finding;
}

}  // namespace overlane::runner
