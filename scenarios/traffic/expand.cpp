#include "scenarios/traffic/expand.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace overlane::traffic {

namespace {

using run::PodPair;
using spec::Pattern;
using spec::Traffic;
using spec::Zones;

Finding finding(const Traffic& traffic, std::string_view rule, Severity severity,
                std::string message, std::string hint) {
  return {.rule = std::string(rule),
          .severity = severity,
          .message = fmt::format("traffic \"{}\" {}", traffic.name, message),
          .object = {},
          .path = "spec.traffic",
          .place = traffic.place,
          .hint = std::move(hint)};
}

bool fits(const graph::Topology& topology, Zones zones, std::uint32_t a, std::uint32_t b) {
  const bool same = topology.nodes()[a].zone == topology.nodes()[b].zone;
  return zones == Zones::Any || same == (zones == Zones::Same);
}

/// The first pair of nodes, in order, that matches Traffic::zones.
PodPair one_pair(const Traffic& traffic, const Pods& pods, Findings& notes) {
  for (std::uint32_t a = 0; a < pods.nodes(); ++a) {
    for (std::uint32_t b = a + 1; b < pods.nodes(); ++b) {
      if (fits(pods.topology, traffic.zones, a, b)) return {pods.of(a), pods.of(b)};
    }
  }
  notes.push_back(finding(
      traffic, "zones-unavailable", Severity::Note,
      fmt::format("wants two nodes in {} zones and there are none; it runs between the first two "
                  "nodes",
                  traffic.zones == Zones::Same ? "the same" : "different"),
      "add nodes or zones"));
  return {pods.of(0), pods.of(1)};
}

std::vector<PodPair> ring(const Traffic& traffic, const Pods& pods) {
  std::vector<PodPair> list;
  for (std::uint32_t a = 0; a < pods.nodes(); ++a)
    for (std::uint32_t pod = 0; pod < traffic.pods_per_node; ++pod)
      list.push_back({pods.of(a, pod), pods.of((a + 1) % pods.nodes(), pod)});
  return list;
}

std::vector<PodPair> all_to_all(const Traffic& traffic, const Pods& pods) {
  std::vector<PodPair> list;
  for (std::uint32_t a = 0; a < pods.nodes(); ++a)
    for (std::uint32_t b = 0; b < pods.nodes(); ++b)
      for (std::uint32_t from = 0; a != b && from < traffic.pods_per_node; ++from)
        for (std::uint32_t to = 0; to < traffic.pods_per_node; ++to)
          list.push_back({pods.of(a, from), pods.of(b, to)});
  return list;
}

std::vector<PodPair> incast(const Traffic& traffic, const Pods& pods) {
  std::vector<PodPair> list;
  for (std::uint32_t a = 1; a < pods.nodes(); ++a)
    for (std::uint32_t pod = 0; pod < traffic.pods_per_node; ++pod)
      list.push_back({pods.of(a, pod), pods.of(0)});
  return list;
}

/// A uniformly random permutation without fixed points: random permutations (Fisher and Yates)
/// until one has none, which takes e attempts on average.
std::vector<std::uint32_t> derangement(std::uint32_t count, RandomStream& random) {
  std::vector<std::uint32_t> order(count);
  const auto has_fixed_point = [&] {
    for (std::uint32_t i = 0; i < count; ++i)
      if (order[i] == i) return true;
    return false;
  };
  do {
    std::iota(order.begin(), order.end(), 0u);
    for (std::uint32_t i = count - 1; i > 0; --i)
      std::swap(order[i], order[random.below(i + 1)]);
  } while (has_fixed_point());
  return order;
}

std::vector<PodPair> permutation(const Traffic& traffic, const Pods& pods, RandomStream& random) {
  std::vector<PodPair> list;
  for (std::uint32_t pod = 0; pod < traffic.pods_per_node; ++pod) {
    const std::vector<std::uint32_t> to = derangement(pods.nodes(), random);
    for (std::uint32_t a = 0; a < pods.nodes(); ++a)
      list.push_back({pods.of(a, pod), pods.of(to[a], pod)});
  }
  return list;
}

/// The share of flows to the first node is exact (rounded); which flows go there is random.
std::vector<PodPair> hot_spot(const Traffic& traffic, const Pods& pods, RandomStream& random) {
  const std::uint64_t per_node = std::uint64_t{traffic.pods_per_node} * traffic.flows;
  std::uint64_t left = (pods.nodes() - 1) * per_node;
  std::uint64_t hot = (left * static_cast<std::uint64_t>(traffic.hot_ppm) + 500'000) / 1'000'000;
  std::vector<PodPair> list;
  for (std::uint32_t a = 0; a < pods.nodes(); ++a) {
    for (std::uint64_t flow = 0; flow < per_node; ++flow) {
      const auto pod = static_cast<std::uint32_t>(flow / traffic.flows);
      std::uint32_t to = 0;
      if (a == 0) {
        to = 1 + static_cast<std::uint32_t>(random.below(pods.nodes() - 1));
      } else if (random.below(left--) < hot) {
        --hot;
      } else {
        to = 1 + static_cast<std::uint32_t>(random.below(pods.nodes() - 2));
        if (to >= a) ++to;
      }
      list.push_back({pods.of(a, pod), pods.of(to, pod)});
    }
  }
  return list;
}

}  // namespace

std::uint64_t flows_of(const Traffic& traffic, std::uint64_t nodes) {
  const std::uint64_t pods = traffic.pods_per_node;
  switch (traffic.pattern) {
    case Pattern::Pair:
      return traffic.flows;
    case Pattern::Ring:
    case Pattern::Permutation:
    case Pattern::HotSpot:
      return nodes * pods * traffic.flows;
    case Pattern::AllToAll:
      return nodes * (nodes - 1) * pods * pods * traffic.flows;
    case Pattern::Incast:
      return (nodes - 1) * pods * traffic.flows;
  }
  return 0;
}

Result<std::vector<PodPair>> pairs_of(const Traffic& traffic, const Pods& pods, RandomStream random,
                                      Findings& notes) {
  for (std::uint32_t node = 0; node < pods.nodes(); ++node) {
    const std::uint32_t count = pods.topology.pods_of(node).count;
    if (count >= traffic.pods_per_node) continue;
    return fail(finding(traffic, "too-few-pods", Severity::Error,
                        fmt::format("wants {} pods of each node, and {} has {}",
                                    traffic.pods_per_node, pods.topology.nodes()[node].name, count),
                        "lower podsPerNode here, or raise that of the topology"));
  }
  switch (traffic.pattern) {
    case Pattern::Pair:
      return std::vector{one_pair(traffic, pods, notes)};
    case Pattern::Ring:
      return ring(traffic, pods);
    case Pattern::AllToAll:
      return all_to_all(traffic, pods);
    case Pattern::Incast:
      return incast(traffic, pods);
    case Pattern::Permutation:
      return permutation(traffic, pods, random);
    case Pattern::HotSpot:
      break;
  }
  if (pods.nodes() == 2 && traffic.hot_ppm < 1'000'000) {
    return fail(finding(traffic, "too-few-nodes", Severity::Error,
                        "has flows that avoid the hot node, and there is no third node for them",
                        "set hotShare: 1, or give the topology three nodes"));
  }
  return hot_spot(traffic, pods, random);
}

namespace {

/// A flow uses about 5 KB of memory: 1.2 GB at this limit.
constexpr std::uint64_t kMaxFlows = 250'000;

using graph::Topology;

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
  group.congestion_control = asked.congestion_control;
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
