#include "scenarios/migration/simulate.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "dataplane/node/state/world.h"
#include "scenarios/migration/actors/components.h"
#include "scenarios/migration/outages/other_traffic.h"

namespace overlane::migration {
namespace {

constexpr Picos kLongest = seconds(7 * 24 * 3600);

/// Records the outages of several kinds of traffic between nodes while a world changes.
class FollowedTraffic {
 public:
  /// A kind of traffic: the probe that represents it, and the drops that are outages (null: all).
  struct Kind {
    path::ReachProbe probe;
    bool (*counts)(Drop) = nullptr;
    /// The member of SwitchResult that receives the outages.
    std::vector<Outage> SwitchResult::*outages = nullptr;
  };

  /// The last `joining` nodes are absent at the start.
  FollowedTraffic(const node::World& world, std::vector<Kind> kinds, std::uint32_t joining)
      : kinds_(std::move(kinds)), reachability_(world, probes_of(kinds_)) {
    for (std::uint32_t probe = 0; probe < kinds_.size(); ++probe)
      recorders_.emplace_back(reachability_, probe, static_cast<std::uint32_t>(world.nodes.size()),
                              joining, kinds_[probe].counts);
  }

  void see(const node::WorldChange& change, Picos now) {
    for (const path::PairChange& of_pair : reachability_.update(change))
      recorders_[of_pair.probe].see(of_pair, now);
  }
  void join(std::uint32_t node, Picos now) {
    for (OutageRecorder& recorder : recorders_)
      recorder.join(reachability_, node, now);
  }
  void leave(std::uint32_t node, Picos now) {
    for (OutageRecorder& recorder : recorders_)
      recorder.leave(node, now);
  }
  void put_into(SwitchResult& course) {
    for (std::size_t kind = 0; kind < kinds_.size(); ++kind)
      course.*kinds_[kind].outages = recorders_[kind].take();
  }

 private:
  static std::vector<path::ReachProbe> probes_of(const std::vector<Kind>& kinds) {
    std::vector<path::ReachProbe> probes;
    for (const Kind& kind : kinds)
      probes.push_back(kind.probe);
    return probes;
  }

  std::vector<Kind> kinds_;
  path::Reachability reachability_;
  std::vector<OutageRecorder> recorders_;  ///< By kind.
};

std::vector<FollowedTraffic::Kind> kinds_of(Watched watched) {
  using path::ProbeEnd;
  std::vector<FollowedTraffic::Kind> kinds{{.probe = {}, .outages = &SwitchResult::outages}};
  if (watched == Watched::Pods) return kinds;
  kinds.push_back(
      {.probe = {.from = ProbeEnd::Node, .answer = true}, .outages = &SwitchResult::node_to_pod});
  kinds.push_back(
      {.probe = {.to = ProbeEnd::Node, .answer = true}, .outages = &SwitchResult::pod_to_node});
  kinds.push_back({.probe = {.bytes = 0},
                   .counts = [](Drop reason) { return facts(reason).gate == overlane::Gate::Mtu; },
                   .outages = &SwitchResult::full_size});
  return kinds;
}

/// Removes a node that has not joined: neither the cloud nor the other nodes know it.
void take_out(std::uint32_t number, const Transition& transition, node::World& world) {
  world.stopped.insert(number);
  node::FabricEditor fabric(world.fabric);
  for (const PodRoute& route : routes_of(transition.before, transition.from, number))
    fabric.remove_route(route.table, route.pod_cidr);
  const IpPrefix pod_cidr = world.nodes[number].member().ipv4->pod_cidr;
  for (std::uint32_t node = 0; node < world.nodes.size(); ++node)
    if (node != number) node::NodeEditor(world.nodes[node]).remove_route(pod_cidr);
}

}  // namespace

node::World world_at_start(const Transition& transition, const Strategy& strategy) {
  node::World world{transition.from.nodes, transition.from.fabric};
  for (std::uint32_t node = transition.nodes_at_start(); node < transition.nodes(); ++node)
    take_out(node, transition, world);
  if (strategy.routes_before) {
    node::FabricEditor editor(world.fabric);
    for (const PodRoute& route : missing_routes(transition))
      editor.set_route(route.table, route.pod_cidr, route.route);
  }
  return world;
}

namespace {

bool has_kube_proxy(const Transition& transition) {
  using effective::ServiceRouting;
  const ServiceRouting routing = transition.before.dataplane.service_routing;
  return routing == ServiceRouting::KubeProxyIptables || routing == ServiceRouting::KubeProxyIpvs ||
         routing == ServiceRouting::KubeProxyNftables;
}

/// All recorders that follow the changes of a world.
class Observers {
 public:
  Observers(const node::World& world, const Transition& transition, Watched watched)
      : traffic_(world, kinds_of(watched), transition.joining) {
    const std::uint32_t joining = transition.joining;
    presence_.assign(world.nodes.size(), {{}, kNever});
    std::fill_n(presence_.rbegin(), joining, Interval{kNever, kNever});
    if (watched != Watched::AllTraffic) return;
    upstream_dns_.emplace(world, joining, transition.from.nameservers);
    if (has_kube_proxy(transition)) masqueraded_.emplace(world, joining);
  }

  void see(const node::WorldChange& change, const ClusterObjects& objects, Picos now) {
    for (; left_ < objects.nodes_left.size(); ++left_) {
      const std::uint32_t node = objects.nodes_left[left_].node;
      presence_[node].end = now;
      each([&](auto& one) { one.leave(node, now); });
    }
    if (change.any()) each([&](auto& one) { one.see(change, now); });
    for (; opened_ < objects.nodes_opened.size(); ++opened_) {
      const std::uint32_t node = objects.nodes_opened[opened_].node;
      presence_[node] = {now, kNever};
      each([&](auto& one) { one.join(node, now); });
    }
  }

  void put_into(SwitchResult& course) {
    traffic_.put_into(course);
    if (upstream_dns_) course.unmasqueraded = upstream_dns_->take();
    if (masqueraded_) course.ended = masqueraded_->take();
    course.presence = std::move(presence_);
  }

 private:
  void each(const auto& tell) {
    tell(traffic_);
    if (upstream_dns_) tell(*upstream_dns_);
    if (masqueraded_) tell(*masqueraded_);
  }

  FollowedTraffic traffic_;
  std::optional<UpstreamDns> upstream_dns_;
  std::optional<MasqueradedConnections> masqueraded_;
  Presence presence_;
  std::size_t left_ = 0;    ///< Handled entries of ClusterObjects::nodes_left.
  std::size_t opened_ = 0;  ///< Handled entries of ClusterObjects::nodes_opened.
};

}  // namespace

void follow_world(const Transition& transition, const Strategy& strategy, const Timing& timing,
                  std::uint64_t seed, const std::optional<Disturbance>& disturbance,
                  const WorldObserver& observe) {
  node::World world = world_at_start(transition, strategy);
  node::WorldEditor editor(world);
  SwitchComponents components(transition, strategy, timing, seed, disturbance);
  observe(world, {}, {});
  while (const std::optional<Picos> now = components.next()) {
    if (*now > kLongest) break;
    components.act(editor, *now);
    observe(world, editor.take(), *now);
  }
}

SwitchResult simulate(const Transition& transition, const Strategy& strategy, const Timing& timing,
                      std::uint64_t seed, const SimulateOptions& options) {
  SwitchResult course{.end = world_at_start(transition, strategy)};
  node::WorldEditor editor(course.end);
  Observers observers(course.end, transition, options.watched);
  SwitchComponents components(transition, strategy, timing, seed, options.disturbance);
  while (const std::optional<Picos> now = components.next()) {
    if (*now > kLongest) break;
    components.act(editor, *now);
    course.ended_at = *now;
    observers.see(editor.take(), components.last().objects(), *now);
  }
  course.steps = components.take_steps();
  observers.put_into(course);
  const ClusterObjects& objects = components.last().objects();
  course.network_applied = objects.network_applied_at.has_value();
  course.replaced_nodes = objects.replaced_nodes;
  course.unfinished_pods = components.last().unfinished_pods();
  course.stuck_node = objects.stuck_node;
  return course;
}

}  // namespace overlane::migration
