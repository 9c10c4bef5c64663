#pragma once

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dataplane/node/state/world.h"
#include "sim/random/stream.h"
#include "sim/run/testing/small_network.h"

namespace overlane::run::testing {

/// A random cluster and random traffic, with states that change during the run.
class RandomRun {
 public:
  explicit RandomRun(std::uint64_t number, std::uint32_t nodes = 4)
      : random_(number, StreamUse::Pattern, 0) {
    const Encapsulation encapsulation = pick(
        {Encapsulation::None, Encapsulation::Ipip, Encapsulation::Vxlan, Encapsulation::Wireguard});
    shape_ = {.encapsulation = encapsulation,
              .cross_subnet = flip(),
              .nodes = nodes,
              .subnets = pick({1u, 2u})};
    network_ = testing::network(shape_);
    for (host::Machine& machine : network_.machines)
      machine.nic_rate = {1'000'000'000};
    if (flip()) widen_pods();
    if (flip()) track();
    if (flip()) charge();
    if (flip()) network_.paths.port_queue_packets = 3;
    if (flip()) network_.limits.single_flow = BitsPerSecond{300'000'000};
    traffic_ = {bulk(pairs()), requests(pairs()), datagrams(50'000'000, 1'300, pairs()),
                datagrams(20'000'000, 1'450, pairs())};
    traffic_[3].dont_fragment = flip();
    options_.duration = milliseconds(30);
    change_six_times({Change::CloudRoute, Change::NodeRoute, Change::Forwarding, Change::Node,
                      Change::Pod, Change::Restore});
    for (TrafficGroup& group : traffic_) {
      group.from_node = flip();
      group.to_node = flip();
      if (group.from_node) put_on_nodes(&PodPair::source, group);
      if (group.to_node) put_on_nodes(&PodPair::destination, group);
    }
  }

  /// Loses, delays or caps packets in the fabric.
  void disturb() {
    fabric::Paths& paths = network_.paths;
    paths.jitter = pick({Picos{}, microseconds(1), microseconds(30)});
    paths.within_zone = pick({microseconds(5), microseconds(20)});
    paths.across_zones = pick({microseconds(5), microseconds(100)});
    if (flip()) paths.loss = {.within_zone = 3'000'000, .across_zones = 10'000'000};
    if (flip()) network_.limits.packets = fabric::PacketAllowance{20'000, 50};
    if (flip()) traffic_[1].over_udp = true;
    for (TrafficGroup& group : traffic_)
      if (flip()) group.to_service = true;
  }

  /// Removes all traffic over connections.
  void leave_datagrams() {
    std::erase_if(traffic_, [](const TrafficGroup& group) {
      return group.kind != model::TrafficKind::Udp && !group.over_udp;
    });
  }
  /// Changes only routes and sysctls, not nodes and pods.
  void change_routes() {
    options_.changes.clear();
    change_six_times({Change::CloudRoute, Change::NodeRoute, Change::Forwarding, Change::Restore});
  }

  Measurement measure() const { return testing::measure(network_, traffic_, options_); }
  RunOptions& options() { return options_; }

 private:
  bool flip() { return random_.below(2) == 0; }
  template <typename T>
  T pick(std::initializer_list<T> choices) {
    return choices.begin()[random_.below(choices.size())];
  }

  std::vector<PodPair> pairs() {
    std::vector<PodPair> all;
    for (std::uint32_t from = 0; from < shape_.nodes; ++from) {
      const auto to = static_cast<std::uint32_t>(random_.below(shape_.nodes));
      const auto number = static_cast<std::uint32_t>(random_.below(shape_.pods_per_node));
      all.push_back({{from, pod(from, number)}, {to, pod(to, from == to ? 1 - number : number)}});
    }
    return all;
  }

  void put_on_nodes(PodEnd PodPair::*side, TrafficGroup& group) {
    std::vector<PodPair> pairs(group.pairs.begin(), group.pairs.end());
    for (PodPair& pair : pairs)
      (pair.*side).address = node::testing::node_address(shape_, (pair.*side).node);
    group.pairs = pairs;
  }

  void widen_pods() {
    for (node::NodeState& node : network_.nodes)
      for (node::LocalPod& pod : node.pods)
        pod.mtu = 1500;
  }

  void track() {
    for (node::NodeState& node : network_.nodes) {
      node::PacketFilter filter = *node.filter;
      filter.tracking = pick({node::Tracking::Translated, node::Tracking::All});
      node.filter = std::make_shared<const node::PacketFilter>(std::move(filter));
    }
  }

  void charge() {
    cost::CostProfile costs{.name = "some", .stages = {}};
    for (cost::StageCost& stage : costs.stages)
      stage = {nanoseconds(200), nanoseconds(50), picoseconds(20)};
    network_.costs = costs;
  }

  /// A kind of change. Restore undoes all others.
  enum class Change : std::uint8_t { CloudRoute, NodeRoute, Forwarding, Node, Pod, Restore };

  void change_six_times(std::initializer_list<Change> kinds) {
    for (int i = 0; i < 6; ++i)
      add_change(milliseconds(3 + 4 * i), kinds);
  }

  void add_change(Picos at, std::initializer_list<Change> kinds) {
    const auto which = static_cast<std::uint32_t>(random_.below(shape_.nodes));
    const auto other = static_cast<std::uint32_t>(random_.below(shape_.nodes));
    const auto number = static_cast<std::uint32_t>(random_.below(shape_.pods_per_node));
    switch (pick(kinds)) {
      case Change::CloudRoute:
        return options_.changes.push_back(without_cloud_route(at, which));
      case Change::NodeRoute:
        return options_.changes.push_back({at, [=](node::WorldEditor& world) {
                                             world.node(which).remove_route(
                                                 node::testing::pod_cidr(other));
                                           }});
      case Change::Forwarding:
        return options_.changes.push_back({at, [=](node::WorldEditor& world) {
                                             node::Sysctls sysctls =
                                                 world.world().nodes[which].sysctls;
                                             sysctls.ip_forward ^= true;
                                             world.node(which).set_sysctls(sysctls);
                                           }});
      case Change::Node:
        return options_.changes.push_back({at, [=](node::WorldEditor& world) {
                                             if (!world.start_node(which)) world.stop_node(which);
                                           }});
      case Change::Pod:
        return options_.changes.push_back(
            {at, [=, pod = network_.nodes[which].pods.at(number)](node::WorldEditor& world) {
               const node::PodPlace place{which, pod.address};
               if (!world.end_pod(place)) world.restart_pod(place, which, pod);
             }});
      case Change::Restore:
        return options_.changes.push_back(
            {at, [before = network_](node::WorldEditor& world) { restore(before, world); }});
    }
  }

  /// Undoes what add_change() does.
  static void restore(const Network& before, node::WorldEditor& world) {
    for (std::uint32_t i = 0; i < before.nodes.size(); ++i) {
      world.start_node(i);
      for (const node::LocalPod& pod : before.nodes[i].pods)
        if (world.world().nodes[i].find_pod(pod.address) == nullptr)
          world.restart_pod({i, pod.address}, i, pod);
      world.node(i).set_sysctls(before.nodes[i].sysctls);
      for (const node::RouteMatch& match : main_table(before.nodes[i]))
        world.node(i).set_route(match.destination, match.route);
    }
    for (const auto& [destination, route] : before.fabric.route_tables[0].routes)
      world.fabric().set_route(0, destination, route);
  }

  RandomStream random_;
  ClusterShape shape_;
  Network network_;
  std::vector<TrafficGroup> traffic_;
  RunOptions options_;
};

/// All results of a run, as text to compare.
inline std::string text_of(const Measurement& measured) {
  std::string text = fmt::format("cpu {} {}\n", measured.cpu_utilisation.mean_ppm,
                                 measured.cpu_utilisation.max_ppm);
  for (const model::TrafficResult& traffic : measured.traffic) {
    const model::Histogram& latency = traffic.latency_ns;
    text += fmt::format("{} {} {} {} {} {} {}, {} {} {} {}:", traffic.name, traffic.throughput_bps,
                        traffic.goodput_bps, traffic.packets.sent, traffic.packets.delivered,
                        traffic.packets.dropped, traffic.packets.in_flight, latency.count(),
                        latency.min(), latency.mean(), latency.max());
    for (const DropFacts& facts : kDrops)
      if (const auto count = traffic.drops[facts.drop]; count > 0)
        text += fmt::format(" {} {}", facts.name, count);
    text += '\n';
  }
  for (const model::Limit& limit : measured.limits)
    text += fmt::format("{} {} {} {}\n", limit.traffic, limit.flow, limit.station, limit.constant);
  return text;
}

}  // namespace overlane::run::testing
