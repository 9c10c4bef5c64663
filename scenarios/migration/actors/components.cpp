#include "scenarios/migration/actors/components.h"

#include <algorithm>
#include <utility>

#include "scenarios/migration/actors/agent_rollout.h"
#include "scenarios/migration/actors/calico.h"
#include "scenarios/migration/actors/gardenlet.h"
#include "scenarios/migration/actors/nodes.h"
#include "scenarios/migration/actors/route_controller.h"

namespace overlane::migration {

Components::Components(const Transition& transition, const Strategy& strategy, const Timing& timing,
                       std::uint64_t seed, const std::optional<Disturbance>& disturbance,
                       Picos shoot_changed_at, const Components* predecessor)
    : objects_(transition.nodes(), transition.joining), predecessor_(predecessor) {
  const cni::Migration& cni = transition.cni();
  add_gardenlet(transition, strategy, timing, disturbance, shoot_changed_at);
  if (transition.after.dataplane.cloud_routes == effective::CloudRoutes::Written)
    actors_.push_back(std::make_unique<RouteController>(timing, transition, objects_));
  switch (cni.start) {
    case cni::AgentStart::FelixAndBird:
      add_calico(transition, strategy, timing, seed);
      break;
    case cni::AgentStart::WholeNode:
      pod_ = std::make_unique<CiliumNode>(transition, objects_);
      break;
  }
  auto rollout =
      std::make_unique<AgentRollout>(timing, seed, strategy, cni.daemon_set, *pod_, objects_);
  rollout_ = rollout.get();
  actors_.push_back(std::move(rollout));
  actors_.push_back(std::make_unique<MachineController>(timing, objects_));
  if (transition.changes_families())
    actors_.push_back(std::make_unique<WorkerRoll>(
        timing, [this] { return objects_.roll_asked_at; }, transition, *pod_, objects_));
  if (disturbance) add_disturbance(*disturbance, transition, strategy, timing);
}

void Components::add_gardenlet(const Transition& transition, const Strategy& strategy,
                               const Timing& timing, const std::optional<Disturbance>& disturbance,
                               Picos shoot_changed_at) {
  if (transition.changes_families()) {
    actors_.push_back(std::make_unique<DualStackReconciliation>(timing, transition, objects_));
    return;
  }
  std::optional<Picos> later_change;
  if (disturbance && changes_shoot(disturbance->kind)) later_change = disturbance->at;
  actors_.push_back(std::make_unique<Gardenlet>(timing, strategy.gate, transition.cni(),
                                                shoot_changed_at, later_change, objects_));
}

void Components::add_disturbance(const Disturbance& disturbance, const Transition& transition,
                                 const Strategy& strategy, const Timing& timing) {
  const LaterChange change(disturbance.at, timing, strategy.gate, objects_);
  switch (disturbance.kind) {
    case Disturbance::Kind::Rollback:
      return;
    case Disturbance::Kind::ScaleUp:
      actors_.push_back(std::make_unique<ScaleUp>(disturbance.at, transition, *pod_, objects_));
      return;
    case Disturbance::Kind::WorkerRoll:
      actors_.push_back(std::make_unique<WorkerRoll>(
          timing, [change] { return change.workers_at(); }, transition, *pod_, objects_));
      return;
    case Disturbance::Kind::Hibernate:
      actors_.push_back(std::make_unique<Hibernation>(timing, change, transition, *pod_, objects_));
      return;
  }
}

void Components::add_calico(const Transition& transition, const Strategy& strategy,
                            const Timing& timing, std::uint64_t seed) {
  auto calico = std::make_unique<CalicoNode>(
      transition, strategy.protects_conditions || transition.protects_conditions(), objects_);
  if (transition.has_bird_before() || predecessor_ != nullptr)
    actors_.push_back(std::make_unique<BirdExport>(timing, seed, *calico, objects_));
  if (transition.has_bird_before())
    actors_.push_back(std::make_unique<RouteWithdrawals>(timing, *calico, objects_));
  if (transition.has_bird_afterwards())
    actors_.push_back(std::make_unique<BgpSessions>(timing, seed, transition.has_bird_before(),
                                                    *calico, objects_));
  actors_.push_back(std::make_unique<Masquerading>(timing, *calico, objects_));
  pod_ = std::move(calico);
}

std::optional<Picos> Components::next() const {
  std::optional<Picos> first;
  for (const auto& actor : actors_)
    if (const std::optional<Picos> at = actor->next(); at && (!first || *at < *first)) first = at;
  return first;
}

void Components::act(node::WorldEditor& world, Picos now) {
  const auto due = [&] {
    return std::ranges::find_if(actors_, [&](const auto& actor) { return actor->next() == now; });
  };
  for (auto actor = due(); actor != actors_.end(); actor = due()) {
    (*actor)->act(world, now);
    if (predecessor_ != nullptr && objects_.daemon_set_changed_at)
      take_over(std::exchange(predecessor_, nullptr)->objects_);
  }
}

void Components::take_over(const ClusterObjects& predecessor) {
  objects_.conditions = predecessor.conditions;
  objects_.unavailable_nodes = predecessor.unavailable_nodes;
  objects_.ready_agents = predecessor.ready_agents;
  objects_.replaced_nodes = predecessor.replaced_nodes;
  for (std::uint32_t node = 0; node < predecessor.old_agents.size(); ++node) {
    objects_.old_agents[node] = !predecessor.old_agents[node];
    if (predecessor.old_agents[node]) objects_.kept_agents.push_back(node);
  }
}

SwitchComponents::SwitchComponents(const Transition& transition, const Strategy& strategy,
                                   const Timing& timing, std::uint64_t seed,
                                   const std::optional<Disturbance>& disturbance)
    : timing_(timing), seed_(seed), there_(transition, strategy, timing, seed, disturbance) {
  if (!disturbance || disturbance->kind != Disturbance::Kind::Rollback) return;
  rollback_.emplace(disturbance->at, timing, strategy.gate, there_.objects());
  reversed_ = transition.reversed();
  back_strategy_.protects_conditions = strategy.protects_conditions;
}

std::optional<Picos> SwitchComponents::next() {
  std::optional<Picos> next = acts_there() ? there_.next() : std::nullopt;
  const std::optional<Picos> rollback = rollback_ ? rollback_->begins_at() : std::nullopt;
  if (rollback && !back_ && (!next || *next >= *rollback)) {
    const Picos begin = *rollback;
    back_.emplace(*reversed_, back_strategy_, timing_, seed_, std::nullopt, begin, &there_);
    steps_.push_back({begin, "operator", "changes the Shoot back"});
  }
  if (!back_) return next;
  const std::optional<Picos> back = back_->next();
  return next && back ? std::min(next, back) : next ? next : back;
}

void SwitchComponents::act(node::WorldEditor& world, Picos now) {
  if (acts_there() && there_.next() == now) there_.act(world, now);
  if (!back_ || back_->next() != now) return;
  back_->act(world, now);
  if (back_->objects().network_applied_at) there_.see_configuration_back();
}

std::vector<Step> SwitchComponents::take_steps() {
  for (const Components* one : {&there_, back_ ? &*back_ : nullptr})
    if (one != nullptr) {
      const std::vector<Step>& steps = one->objects().steps;
      steps_.insert(steps_.end(), steps.begin(), steps.end());
    }
  std::ranges::stable_sort(steps_, {}, &Step::at);
  return std::move(steps_);
}

}  // namespace overlane::migration
