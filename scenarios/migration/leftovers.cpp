#include "scenarios/migration/leftovers.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "results/base/text.h"

namespace overlane::migration {
namespace {

/// That pods reach nodes under their own addresses from now on; empty: they do as before.
std::string masquerading(const Transition& transition) {
  const auto unmasqueraded = [](const compile::Compiled& states) -> std::vector<IpPrefix> {
    const auto& filter = states.nodes.front().filter;
    return filter == nullptr ? std::vector<IpPrefix>{} : filter->unmasqueraded_destinations;
  };
  const std::vector<IpPrefix> before = unmasqueraded(transition.from);
  for (const IpPrefix& prefix : unmasqueraded(transition.to))
    if (std::ranges::find(before, prefix) == before.end())
      return fmt::format("pods reach {} unmasqueraded", prefix.to_string());
  return "";
}

/// Routes and devices.
std::vector<Leftover> things_left(const Transition& transition, const Course& course) {
  std::vector<Leftover> left;
  std::vector<PodRoute> stale = unneeded_routes(transition);
  std::erase_if(stale, [&](const PodRoute& route) { return !has_route(course.end.fabric, route); });
  if (!stale.empty())
    left.push_back({fmt::format("{} to pods stay in the cloud's route tables, use up the quota and "
                                "become black holes when their nodes are deleted",
                                counted(stale.size(), "route")),
                    transition.changes_ipam()
                        ? "delete them when no pod from before the switch runs any more"
                        : "delete those to the nodes' pod CIDRs"});
  std::map<std::string, std::uint64_t> devices;
  for (std::uint32_t node = 0; node < transition.nodes(); ++node) {
    if (course.end.stopped.contains(node)) continue;
    for (const node::Device& device : course.end.nodes[node].devices)
      if (transition.to.nodes[node].find_device(device.name) == nullptr)
        ++devices[std::string(device.name.view())];
  }
  for (const auto& [name, nodes] : devices)
    left.push_back({fmt::format("the device {} stays on {}", name, counted(nodes, "node")),
                    fmt::format("{}`ip link set {} down`",
                                transition.replaces_nodes() ? "replace them, or " : "", name)});
  return left;
}

/// Whether all pods have moved to other nodes.
bool pods_are_new(const Course& course) {
  return course.end.stopped.contains(0);
}

}  // namespace

std::uint32_t oversized_packets(const Transition& transition, const Course& course) {
  const std::uint32_t old_mtu = transition.before.dataplane.pod_mtu;
  const bool shrinks = old_mtu > transition.after.dataplane.pod_mtu;
  return shrinks && !pods_are_new(course) ? old_mtu : 0;
}

std::vector<Leftover> leftovers(const Transition& transition, const Course& course, bool is_back) {
  std::vector<Leftover> left = things_left(transition, course);
  if (is_back) return left;
  if (const std::string change = masquerading(transition); !change.empty())
    left.push_back({change, "let the pods' range pass there"});
  const std::uint32_t old_mtu = transition.before.dataplane.pod_mtu;
  const std::uint32_t new_mtu = transition.after.dataplane.pod_mtu;
  const effective::Dataplane& after = transition.after.dataplane;
  const std::uint32_t carried = after.link_mtu - std::min(after.link_mtu, after.overhead_bytes);
  if (new_mtu > carried)
    left.push_back({fmt::format("pods have the MTU {}, and {} bytes fit between nodes: TCP adapts "
                                "to ICMP errors, larger datagrams with DF are dropped",
                                new_mtu, carried),
                    fmt::format("set the pods' MTU to {}, and restart them", carried)});
  if (oversized_packets(transition, course) > 0)
    left.push_back({fmt::format("running pods keep the MTU {}; the tunnel carries {}: TCP adapts "
                                "to ICMP errors, larger datagrams with DF are dropped",
                                old_mtu, new_mtu),
                    "restart the pods"});
  if (old_mtu < new_mtu && !pods_are_new(course))
    left.push_back({fmt::format("running pods keep the MTU {} (new ones: {})", old_mtu, new_mtu),
                    "restart them when convenient"});
  return left;
}

}  // namespace overlane::migration
