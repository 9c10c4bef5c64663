#include "scenarios/migration/actors/route_controller.h"

#include <algorithm>

#include <fmt/format.h>

#include "dataplane/node/state/world.h"
#include "results/base/text.h"
#include "topologies/provider/route_writes.h"

namespace overlane::migration {
namespace {

using provider::RouteWrites;

Picos call_time(RouteWrites writes, const Timing& timing) {
  switch (writes) {
    case RouteWrites::Concurrent:
      return timing.route_operation;
    case RouteWrites::OneByOne:
      return timing.aws_call;
    case RouteWrites::RouterUpdates:
      return timing.router_update;
    case RouteWrites::WholeTable:
      return timing.route_batch;
  }
  return {};
}

NetworkCondition::Reason reason_of(bool lacks_route) {
  return lacks_route ? NetworkCondition::Reason::NoRouteCreated
                     : NetworkCondition::Reason::RouteCreated;
}

}  // namespace

RouteWriting route_writing(const provider::Routes& routes, const Timing& timing) {
  const auto [at_a_time, calls] = provider::facts(routes.writes);
  const bool ticks = routes.writes == RouteWrites::OneByOne;
  return {.period = ticks ? timing.aws_tick : timing.route_period,
          .call = call_time(routes.writes, timing),
          .calls = calls,
          .at_a_time = at_a_time};
}

RouteController::RouteController(const Timing& timing, const Transition& transition,
                                 ClusterObjects& objects)
    : timing_(timing),
      transition_(transition),
      routes_(provider::profile_of(transition.after.provider).routes),
      writing_(route_writing(routes_, timing)),
      objects_(objects) {
  conditions_period_ = routes_.each_pass_writes_conditions ? writing_.period : timing.aws_sync;
  if (const std::size_t tables = transition.to.fabric.route_tables.size(); tables > 0)
    last_table_ = static_cast<std::uint32_t>(tables - 1);
}

std::vector<PodRoute> RouteController::routes_to(std::uint32_t node) const {
  return routes_of(transition_.after, transition_.to, node);
}

std::optional<Picos> RouteController::nodes_changed_at() const {
  std::optional<Picos> first;
  if (joined_ < objects_.nodes_joined.size()) first = objects_.nodes_joined[joined_].at;
  if (left_ < objects_.nodes_left.size()) {
    const Picos at = objects_.nodes_left[left_].at;
    first = std::min(first.value_or(at), at);
  }
  return first;
}

std::optional<Picos> RouteController::next() const {
  if (!objects_.control_plane_ready_at) return std::nullopt;
  if (phase_ == Phase::NotStarted)
    return *objects_.control_plane_ready_at + timing_.route_controller_start;
  if (phase_ != Phase::Done) return next_;
  if (const std::optional<Picos> changed = nodes_changed_at())
    return pass_after(*changed, writing_.period);
  return next_pass_for_conditions();
}

void RouteController::act(node::WorldEditor& world, Picos now) {
  if (phase_ == Phase::Done) return nodes_changed_at() ? begin_pass(now) : write_conditions(now);
  if (phase_ == Phase::NotStarted) start(world.world(), now);
  if (phase_ != Phase::Writing) return begin_pass(now);
  const std::size_t left = pending_.size() - done_;
  const std::size_t end =
      done_ + (writing_.at_a_time == 0 ? left : std::min(left, writing_.at_a_time));
  for (; done_ < end; ++done_) {
    const auto& [route, deletes] = pending_[done_];
    if (deletes) {
      world.fabric().remove_route(route.table, route.pod_cidr);
      continue;
    }
    const node::RouteChange made =
        world.fabric().set_route(route.table, route.pod_cidr, route.route);
    if (made == node::RouteChange::OverQuota || made == node::RouteChange::InsideSubnet)
      refused_.push_back(pending_[done_]);
  }
  if (done_ == pending_.size()) return end_pass(now);
  next_ = now + writing_.call * writing_.calls;
}

void RouteController::start(const node::World& world, Picos now) {
  joined_ = objects_.nodes_joined.size();
  left_ = objects_.nodes_left.size();
  for (std::uint32_t node = 0; node < objects_.membership.size(); ++node)
    if (objects_.is_present(node))
      for (const PodRoute& route : routes_to(node))
        if (!has_route(world.fabric, route)) pending_.push_back({route});
  objects_.note(now, std::string(routes_.component),
                pending_.empty()
                    ? "starts, and finds all routes"
                    : fmt::format("starts, and misses {}", counted(pending_.size(), "route")));
  phase_ = Phase::Pausing;
}

void RouteController::begin_pass(Picos now) {
  phase_ = Phase::Writing;
  pass_began_ = now;
  done_ = 0;
  refused_.clear();
  notice_nodes();
  if (pending_.empty()) return end_pass(now);
  next_ = now + writing_.call * writing_.calls;
}

/// Routes are deleted before others are created.
void RouteController::notice_nodes() {
  for (; joined_ < objects_.nodes_joined.size(); ++joined_)
    for (const PodRoute& route : routes_to(objects_.nodes_joined[joined_].node))
      pending_.push_back({route});
  std::vector<Operation> deletions;
  for (; left_ < objects_.nodes_left.size(); ++left_)
    for (const PodRoute& route : routes_to(objects_.nodes_left[left_].node))
      deletions.push_back({route, true});
  std::erase_if(pending_, [&](const Operation& one) {
    return !objects_.is_present(one.route.route.instance);
  });
  pending_.insert(pending_.begin(), deletions.begin(), deletions.end());
}

/// Retries the refused operations in the next pass, unless no operation succeeded: then none will
/// succeed next time.
void RouteController::end_pass(Picos now) {
  lacks_route_.assign(objects_.conditions.size(), false);
  for (const auto& [route, deletes] : refused_)
    if (!routes_.last_table_decides || route.table == last_table_)
      lacks_route_[route.route.instance] = true;
  for (std::uint32_t node = 0; node < lacks_route_.size(); ++node)
    objects_.set_condition(node, reason_of(lacks_route_[node]), now);
  const bool is_stuck = refused_.size() == pending_.size();
  if (!pending_.empty())
    objects_.note(now, std::string(routes_.component),
                  !refused_.empty()
                      ? fmt::format("{} refused by the cloud", counted(refused_.size(), "route"))
                  : std::ranges::all_of(pending_, &Operation::deletes)
                      ? fmt::format("{} of nodes that are gone are deleted",
                                    counted(pending_.size(), "route"))
                      : "all routes are there");
  pending_ = std::move(refused_);
  refused_.clear();
  if (pending_.empty() || is_stuck) {
    phase_ = Phase::Done;
    return;
  }
  phase_ = Phase::Pausing;
  next_ = std::max(now, pass_began_ + writing_.period);
}

Picos RouteController::pass_after(Picos time, Picos period) const {
  const std::int64_t passes = std::max<std::int64_t>((time - pass_began_).count / period.count, 0);
  return pass_began_ + period * (passes + 1);
}

/// The first pass after calico-node has written a condition, or a node was deleted.
std::optional<Picos> RouteController::next_pass_for_conditions() const {
  std::optional<Picos> first;
  for (const std::uint32_t node : objects_.unavailable_nodes) {
    const NetworkCondition& condition = objects_.conditions[node];
    if (condition.reason != NetworkCondition::Reason::CalicoIsDown) continue;
    const Picos pass = pass_after(condition.since, conditions_period_);
    first = std::min(first.value_or(pass), pass);
  }
  if (first && objects_.node_deleted_at && *objects_.node_deleted_at > pass_began_)
    first = std::min(*first, *objects_.node_deleted_at + writing_.period);
  return first;
}

void RouteController::write_conditions(Picos now) {
  pass_began_ = now;
  const std::set<std::uint32_t> unavailable = objects_.unavailable_nodes;
  for (const std::uint32_t node : unavailable)
    objects_.set_condition(node, reason_of(lacks_route_[node]), now);
  objects_.note(
      now, std::string(routes_.component),
      fmt::format("writes the condition of {} again", counted(unavailable.size(), "node")));
}

}  // namespace overlane::migration
