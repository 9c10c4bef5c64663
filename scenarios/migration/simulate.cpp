#include "scenarios/migration/simulate.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "dataplane/node/state/fabric_editor.h"
#include "scenarios/migration/actors/components.h"
#include "scenarios/migration/observe/upstream_dns.h"

namespace overlane::migration {
namespace {

constexpr Picos kLongest = seconds(7 * 24 * 3600);

/// One kind of traffic, followed over the changes of a world.
class Followed {
 public:
  Followed(const node::World& world, const path::Probe& probe, std::optional<std::uint32_t> absent)
      : reachability_(world, probe),
        recorder_(reachability_, static_cast<std::uint32_t>(world.nodes.size()), absent) {}

  void see(const node::WorldChange& change, Picos now) {
    const auto changes = reachability_.update(change);
    if (!change.started.empty()) recorder_.join(reachability_, now);
    recorder_.see(changes, now);
  }
  std::vector<Outage> take() { return recorder_.take(); }

 private:
  path::Reachability reachability_;
  OutageRecorder recorder_;
};

/// The node has not joined: neither the cloud nor the other nodes know it.
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
  if (transition.joining) take_out(*transition.joining, transition, world);
  if (strategy.routes_before) {
    node::FabricEditor editor(world.fabric);
    for (const PodRoute& route : missing_routes(transition))
      editor.set_route(route.table, route.pod_cidr, route.route);
  }
  return world;
}

namespace {

/// A switch, and the way back from it where the operator takes that.
class Switch {
 public:
  /// Keeps references.
  Switch(const Transition& transition, const Strategy& strategy, const Timing& timing,
         std::uint64_t seed, const std::optional<Disturbance>& disturbance)
      : timing_(timing),
        seed_(seed),
        rollback_(time_of(disturbance, Disturbance::Kind::Rollback)),
        there_(transition, strategy, timing, seed,
               time_of(disturbance, Disturbance::Kind::ScaleUp)) {
    if (!rollback_) return;
    reversed_ = transition.reversed();
    back_strategy_.protects_conditions = strategy.protects_conditions;
    is_gated_ = strategy.gate != Gate::None;
  }

  std::optional<Picos> next() {
    std::optional<Picos> next = acts_there() ? there_.next() : std::nullopt;
    if (rollback_ && !back_ && may_go_back() && (!next || *next >= *rollback_)) {
      const Picos begin = std::max(*rollback_, now_);
      back_.emplace(*reversed_, back_strategy_, timing_, seed_, std::nullopt, begin, &there_);
      steps_.push_back({begin, "operator", "changes the Shoot back"});
    }
    if (!back_) return next;
    const std::optional<Picos> back = back_->next();
    return next && back ? std::min(next, back) : next ? next : back;
  }
  void act(node::WorldEditor& world, Picos now) {
    now_ = now;
    if (acts_there() && there_.next() == now) there_.act(world, now);
    if (back_ && back_->next() == now) back_->act(world, now);
  }

  const Components& last() const { return back_ ? *back_ : there_; }
  std::vector<Step> take_steps() {
    for (const Components* one : {&there_, back_ ? &*back_ : nullptr})
      if (one != nullptr) steps_.insert(steps_.end(), one->steps().begin(), one->steps().end());
    std::ranges::stable_sort(steps_, {}, &Step::at);
    return std::move(steps_);
  }

 private:
  static std::optional<Picos> time_of(const std::optional<Disturbance>& disturbance,
                                      Disturbance::Kind kind) {
    if (!disturbance || disturbance->kind != kind) return std::nullopt;
    return disturbance->at;
  }
  bool acts_there() const { return !back_ || !back_->has_taken_over(); }
  /// gardenlet ends a reconciliation before it begins the next one, unless that fails.
  bool may_go_back() const { return is_gated_ || there_.network_applied(); }

  const Timing& timing_;
  std::uint64_t seed_;
  std::optional<Picos> rollback_;
  bool is_gated_ = false;
  Components there_;
  std::optional<Transition> reversed_;
  Strategy back_strategy_{.name = "rollback"};
  std::optional<Components> back_;
  std::vector<Step> steps_;
  Picos now_;
};

}  // namespace

Course simulate(const Transition& transition, const Strategy& strategy, const Timing& timing,
                std::uint64_t seed, const SimulateOptions& options) {
  Course course{.end = world_at_start(transition, strategy)};
  node::WorldEditor editor(course.end);
  using path::ProbeEnd;
  Followed pods(course.end, {}, transition.joining);
  std::optional<Followed> node_to_pod;
  std::optional<Followed> pod_to_node;
  std::optional<UpstreamDns> upstream_dns;
  if (options.watched == Watched::AllTraffic) {
    node_to_pod.emplace(course.end, path::Probe{.from = ProbeEnd::Node, .answer = true},
                        transition.joining);
    upstream_dns.emplace(course.end, transition.nameservers());
    pod_to_node.emplace(course.end, path::Probe{.to = ProbeEnd::Node, .answer = true},
                        transition.joining);
  }
  Switch components(transition, strategy, timing, seed, options.disturbance);
  while (const std::optional<Picos> now = components.next()) {
    if (*now > kLongest) break;
    components.act(editor, *now);
    course.ended_at = *now;
    const node::WorldChange change = editor.take();
    if (!change.any()) continue;
    pods.see(change, *now);
    if (node_to_pod) node_to_pod->see(change, *now);
    if (pod_to_node) pod_to_node->see(change, *now);
    if (upstream_dns) upstream_dns->see(change, *now);
  }
  course.steps = components.take_steps();
  course.outages = pods.take();
  if (node_to_pod) course.node_to_pod = node_to_pod->take();
  if (pod_to_node) course.pod_to_node = pod_to_node->take();
  if (upstream_dns) course.unmasqueraded = upstream_dns->take();
  course.network_applied = components.last().network_applied();
  course.replaced_nodes = components.last().replaced_nodes();
  course.unfinished_pods = components.last().unfinished_pods();
  return course;
}

}  // namespace overlane::migration
