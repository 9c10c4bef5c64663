#include "scenarios/migration/actors/agent_rollout.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "scenarios/migration/inputs/timing.h"

namespace overlane::migration {

namespace {

/// Number of failed readiness probes after which the roll-out counts as stuck: half an hour of one
/// probe every 10 s.
constexpr std::uint32_t kMaxProbes = 180;

}  // namespace

AgentRollout::AgentRollout(const Timing& timing, std::uint64_t seed, const Strategy& strategy,
                           std::string_view daemon_set, AgentPod& pod, ClusterObjects& objects)
    : timing_(timing),
      seed_(seed),
      strategy_(strategy),
      daemon_set_(daemon_set),
      pod_(pod),
      objects_(objects),
      pods_(objects.old_agents.size()),
      waiting_(objects.old_agents.size()) {
  std::iota(waiting_.begin(), waiting_.end(), 0u);
  RandomStream order = stream_of(seed, Drawer::RolloutOrder);
  for (std::size_t i = waiting_.size(); i > 1; --i)
    std::swap(waiting_[i - 1], waiting_[order.below(i)]);
}

std::optional<Picos> AgentRollout::next() const {
  std::optional<Picos> next = has_begun_ ? std::nullopt : objects_.daemon_set_changed_at;
  const auto also = [&](Picos at) { next = std::min(next.value_or(at), at); };
  if (!due_.empty()) also(std::get<Picos>(*due_.begin()));
  if (joined_ < objects_.nodes_joined.size())
    also(objects_.nodes_joined[joined_].at + timing_.pod_ready);
  return next;
}

void AgentRollout::notice_joined_nodes() {
  for (; joined_ < objects_.nodes_joined.size(); ++joined_) {
    const auto [at, node] = objects_.nodes_joined[joined_];
    due_.emplace(at + timing_.pod_ready, Stage::NewNode, node);
  }
}

void AgentRollout::act(node::WorldEditor& world, Picos now) {
  notice_joined_nodes();
  if (!has_begun_ && objects_.daemon_set_changed_at == now) {
    has_begun_ = true;
    std::erase_if(waiting_, [&](std::uint32_t node) {
      return !objects_.old_agents[node] || !objects_.is_present(node);
    });
    pods_ = waiting_.size();
    // The DaemonSet controller replaces pods that are not ready at once.
    const auto not_ready = std::ranges::stable_partition(
        waiting_, [&](std::uint32_t node) -> bool { return objects_.ready_agents[node]; });
    if (strategy_.deletes_pods) due_.emplace(now + timing_.operator_reaction, Stage::Delete, 0u);
    return replace(world.world(),
                   std::max<std::size_t>(not_ready.size(), strategy_.max_unavailable), now);
  }
  const auto [at, stage, node] = *due_.begin();
  due_.erase(due_.begin());
  if (stage != Stage::Delete && !objects_.is_present(node)) {  // The node has left in the meantime.
    if (stage == Stage::NewNode) return;
    --pods_;
    --starting_;
    return replace(world.world(), strategy_.max_unavailable, now);
  }
  const std::string& name = world.world().nodes[node].member().name;
  switch (stage) {
    case Stage::Delete:
      objects_.note(now, "operator", fmt::format("deletes all old pods of {}", daemon_set_));
      return replace(world.world(), waiting_.size() + starting_, now);
    case Stage::Init:
      note(now, pod_.initialize(world, node));
      due_.emplace(now + timing_.agent_start, Stage::Start, node);
      return;
    case Stage::Start:
      note(now, pod_.start(world, node, now));
      due_.emplace(now + timing_.pod_ready, Stage::Ready, node);
      return;
    case Stage::Ready:
      if (!pod_.is_ready(node)) {
        if (++probes_[node] < kMaxProbes) due_.emplace(now + timing_.pod_ready, stage, node);
        return;
      }
      ++ready_;
      objects_.set_ready(node, now);
      --starting_;
      note(now, fmt::format("{} is ready", name));
      return replace(world.world(), strategy_.max_unavailable, now);
    case Stage::NewNode:
      if (pod_.is_ready(node)) return objects_.set_ready(node, now);
      due_.emplace(now + timing_.pod_ready, stage, node);
      return;
  }
}

void AgentRollout::note(Picos now, std::string what) {
  if (!what.empty()) objects_.note(now, daemon_set_, std::move(what));
}

/// Starts replacements until `at_a_time` pods are being replaced.
void AgentRollout::replace(const node::World& world, std::size_t at_a_time, Picos now) {
  while (starting_ < at_a_time && !waiting_.empty()) {
    const std::uint32_t node = waiting_.back();
    waiting_.pop_back();
    if (!objects_.is_present(node)) {
      --pods_;
      continue;
    }
    ++starting_;
    objects_.old_agents[node] = false;
    objects_.ready_agents[node] = false;
    note(now, fmt::format("{}: pod is replaced{}", world.nodes[node].member().name,
                          pod_.end(node, now)));
    const Picos replaced = drawn(timing_.pod_replacement, seed_, Drawer::PodReplacement, node);
    due_.emplace(now + replaced + timing_.pod_init, Stage::Init, node);
  }
}

std::string CiliumNode::start(node::WorldEditor& world, std::uint32_t node, Picos /*now*/) {
  const bool is_back = objects_.is_configuration_back;
  const node::NodeState& before = (is_back ? transition_.to : transition_.from).nodes[node];
  const node::NodeState& after = (is_back ? transition_.from : transition_.to).nodes[node];
  node::NodeEditor& editor = world.node(node);
  for (const node::Device& device : before.devices)
    if (after.find_device(device.name) == nullptr) editor.remove_device(device.name);
  for (const node::Device& device : after.devices)
    editor.set_device(device);
  editor.set_cluster(after.cluster);
  for (const auto& [destination, route] : before.routes)
    if (after.routes.find(destination) == nullptr) editor.remove_route(destination);
  for (const auto& [destination, route] : after.routes)
    editor.set_route(destination, route);
  editor.set_filter(after.filter);
  editor.set_services(after.services);
  announce_by_bgp(is_back ? transition_.from : transition_.to, node, world);
  return fmt::format("{}: the agent has loaded the datapath: {}", after.member().name,
                     mode_name((is_back ? transition_.before : transition_.after).dataplane));
}

std::string CiliumNode::start_on_new_node(node::WorldEditor& world, std::uint32_t node, Picos now) {
  announce_pods(world, node);
  return start(world, node, now);
}

}  // namespace overlane::migration
