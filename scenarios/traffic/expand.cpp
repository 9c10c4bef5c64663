#include "scenarios/traffic/expand.h"

#include <fmt/format.h>

namespace overlane::traffic {
namespace {

/// A flow takes about 5 KB: 1.2 GB for so many.
constexpr std::uint64_t kMostFlows = 250'000;

using graph::Topology;
using run::PodEnd;
using run::PodPair;
using spec::Pattern;
using spec::Traffic;
using spec::Zones;

/// The first pod of each node, by its address in one family.
struct FirstPods {
  const Topology& topology;
  Family family;

  PodEnd of(std::uint32_t node) const {
    return {node, *topology.pods()[topology.pods_of(node).first].address.in(family)};
  }
  PodPair pair(std::uint32_t source, std::uint32_t destination) const {
    return {of(source), of(destination)};
  }
};

bool fits(const Topology& topology, Zones zones, std::uint32_t a, std::uint32_t b) {
  const auto& subnets = topology.subnets();
  const bool same =
      subnets[topology.nodes()[a].subnet].zone == subnets[topology.nodes()[b].subnet].zone;
  return zones == Zones::Any || same == (zones == Zones::Same);
}

/// The first two nodes, in order, that stand in the zones asked for.
PodPair one_pair(const Traffic& traffic, const FirstPods& pods, Findings& notes) {
  const auto count = static_cast<std::uint32_t>(pods.topology.nodes().size());
  for (std::uint32_t a = 0; a < count; ++a) {
    for (std::uint32_t b = a + 1; b < count; ++b) {
      if (fits(pods.topology, traffic.zones, a, b)) return pods.pair(a, b);
    }
  }
  notes.push_back({.rule = "zones-unavailable",
                   .severity = Severity::Note,
                   .message = fmt::format(
                       "traffic \"{}\" wants two nodes in {} zones and there are "
                       "none; it runs between the first two nodes",
                       traffic.name, traffic.zones == Zones::Same ? "the same" : "different"),
                   .object = {},
                   .path = "spec.traffic",
                   .place = traffic.place,
                   .hint = "add nodes or zones"});
  return pods.pair(0, 1);
}

std::vector<PodPair> pairs(const Traffic& traffic, const FirstPods& pods, Findings& notes) {
  const auto count = static_cast<std::uint32_t>(pods.topology.nodes().size());
  std::vector<PodPair> list;
  switch (traffic.pattern) {
    case Pattern::Pair:
      list.push_back(one_pair(traffic, pods, notes));
      break;
    case Pattern::Ring:
      for (std::uint32_t a = 0; a < count; ++a) {
        list.push_back(pods.pair(a, (a + 1) % count));
      }
      break;
    case Pattern::AllToAll:
      for (std::uint32_t a = 0; a < count; ++a) {
        for (std::uint32_t b = 0; b < count; ++b) {
          if (a != b) list.push_back(pods.pair(a, b));
        }
      }
      break;
    case Pattern::Incast:
      for (std::uint32_t a = 1; a < count; ++a)
        list.push_back(pods.pair(a, 0));
      break;
  }
  return list;
}

std::uint64_t flows_of(const Traffic& traffic, std::uint64_t nodes) {
  switch (traffic.pattern) {
    case Pattern::Pair:
      return traffic.flows;
    case Pattern::Ring:
      return nodes * traffic.flows;
    case Pattern::AllToAll:
      return nodes * (nodes - 1) * traffic.flows;
    case Pattern::Incast:
      return (nodes - 1) * traffic.flows;
  }
  return 0;
}

tl::unexpected<Finding> too_many_flows(const Traffic& traffic, std::uint64_t flows) {
  return fail(
      Finding{.rule = "too-many-flows",
              .severity = Severity::Error,
              .message = fmt::format("with traffic \"{}\" the scenario has {} flows; {} are "
                                     "the most that one run holds",
                                     traffic.name, flows, kMostFlows),
              .object = {},
              .path = "spec.traffic",
              .place = traffic.place,
              .hint = "use fewer flows, fewer nodes, or another pattern"});
}

}  // namespace

Result<std::vector<run::TrafficGroup>> expand(const std::vector<Traffic>& traffic,
                                              const Topology& topology, Family family,
                                              Findings& notes) {
  if (topology.nodes().size() < 2) {
    return fail(Finding{.rule = "impossible-topology",
                        .severity = Severity::Error,
                        .message = "traffic between nodes needs two nodes and there is one",
                        .object = {},
                        .path = "spec.shoots[0].nodes",
                        .place = traffic.empty() ? Place{} : traffic.front().place,
                        .hint = "give the topology at least two nodes"});
  }
  std::vector<run::TrafficGroup> groups;
  std::uint64_t flows = 0;
  for (const Traffic& asked : traffic) {
    flows += flows_of(asked, topology.nodes().size());
    if (flows > kMostFlows) return too_many_flows(asked, flows);
    run::TrafficGroup group;
    group.name = asked.name;
    group.kind = asked.kind;
    group.pairs = pairs(asked, {topology, family}, notes);
    group.flows_per_pair = asked.flows;
    group.rate = asked.rate;
    group.payload_bytes = asked.payload_bytes;
    group.dont_fragment = asked.dont_fragment;
    if (asked.window_bytes) group.window_bytes = *asked.window_bytes;
    group.request_bytes = asked.request_bytes;
    group.response_bytes = asked.response_bytes;
    group.think_time = asked.think_time;
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace overlane::traffic
