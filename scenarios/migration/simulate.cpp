#include "scenarios/migration/simulate.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "dataplane/forward/packet.h"
#include "dataplane/node/state/fabric_editor.h"
#include "scenarios/migration/actors/components.h"

namespace overlane::migration {
namespace {

constexpr Picos kLongest = seconds(7 * 24 * 3600);

/// One kind of traffic, followed over the changes of a world.
class Followed {
 public:
  Followed(const node::World& world, const path::Probe& probe)
      : reachability_(world, probe),
        recorder_(reachability_, static_cast<std::uint32_t>(world.nodes.size())) {}

  void see(const node::WorldChange& change, Picos now) {
    recorder_.see(reachability_.update(change), now);
  }
  std::vector<Outage> take() { return recorder_.take(); }

 private:
  path::Reachability reachability_;
  OutageRecorder recorder_;
};

/// Follows whether queries to the nameservers that are masqueraded without overlay are.
class UpstreamDns {
 public:
  UpstreamDns(const node::World& world, const Transition& transition)
      : world_(world), open_(world.nodes.size()) {
    for (const compile::Compiled* states : {&transition.from, &transition.to})
      if (const auto& filter = states->nodes.front().filter; nameservers_.empty() && filter)
        nameservers_ = filter->masqueraded_destinations;
  }

  void see(const node::WorldChange& change, Picos now) {
    for (const auto& [node, of_node] : change.nodes) {
      if (!of_node.filter || are_masqueraded(world_.nodes[node]) == !open_[node]) continue;
      if (open_[node]) {
        outages_[*std::exchange(open_[node], std::nullopt)].end = now;
      } else {
        open_[node] = outages_.size();
        outages_.push_back({.from = node, .to = node, .begin = now, .end = {}, .reason = {}});
      }
    }
  }
  std::vector<Outage> take() { return std::move(outages_); }

 private:
  bool are_masqueraded(const node::NodeState& node) const {
    const node::Device& uplink = *node.uplink();
    return std::ranges::all_of(nameservers_, [&](const IpPrefix& nameserver) {
      return node::masquerade(*node.filter, {.source = node.pods.front().address,
                                             .destination = nameserver.network(),
                                             .protocol = forward::kUdp,
                                             .device = uplink.name,
                                             .device_address = uplink.addresses.front()})
          .has_value();
    });
  }

  const node::World& world_;
  std::vector<IpPrefix> nameservers_;
  std::vector<std::optional<std::size_t>> open_;  ///< By node: which of outages_.
  std::vector<Outage> outages_;
};

}  // namespace

node::World world_at_start(const Transition& transition, const Strategy& strategy) {
  node::World world{transition.from.nodes, transition.from.fabric};
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
         std::uint64_t seed, std::optional<Disturbance> rollback)
      : timing_(timing),
        seed_(seed),
        rollback_(rollback),
        there_(transition, strategy, timing, seed) {
    if (!rollback_) return;
    reversed_ = transition.reversed();
    back_strategy_.protects_conditions = strategy.protects_conditions;
    is_gated_ = strategy.gate != Gate::None;
  }

  std::optional<Picos> next() {
    std::optional<Picos> next = acts_there() ? there_.next() : std::nullopt;
    if (rollback_ && !back_ && may_go_back() && (!next || *next >= rollback_->at)) {
      const Picos begin = std::max(rollback_->at, now_);
      back_.emplace(*reversed_, back_strategy_, timing_, seed_, begin, &there_);
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
  bool acts_there() const { return !back_ || !back_->has_taken_over(); }
  /// gardenlet ends a reconciliation before it begins the next one, unless that fails.
  bool may_go_back() const { return is_gated_ || there_.network_applied(); }

  const Timing& timing_;
  std::uint64_t seed_;
  std::optional<Disturbance> rollback_;
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
  Followed pods(course.end, {});
  std::optional<Followed> node_to_pod;
  std::optional<Followed> pod_to_node;
  std::optional<UpstreamDns> upstream_dns;
  if (options.watched == Watched::AllTraffic) {
    node_to_pod.emplace(course.end, path::Probe{.from = ProbeEnd::Node, .answer = true});
    upstream_dns.emplace(course.end, transition);
    pod_to_node.emplace(course.end, path::Probe{.to = ProbeEnd::Node, .answer = true});
  }
  Switch components(transition, strategy, timing, seed, options.rollback);
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
