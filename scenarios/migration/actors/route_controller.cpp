#include "scenarios/migration/actors/route_controller.h"

#include <algorithm>

#include <fmt/format.h>

#include "dataplane/node/state/fabric_editor.h"
#include "results/finding/counted.h"

namespace overlane::migration {
namespace {

using provider::RouteWrites;

/// cloud-provider, controllers/route: maxConcurrentRouteOperations.
constexpr std::uint32_t kConcurrentOperations = 200;

NetworkCondition::Reason reason_of(bool lacks_route) {
  return lacks_route ? NetworkCondition::Reason::NoRouteCreated
                     : NetworkCondition::Reason::RouteCreated;
}

}  // namespace

RouteController::RouteController(const Timing& timing, const provider::Routes& routes,
                                 std::vector<PodRoute> needed, std::vector<PodRoute> of_joining,
                                 ClusterObjects& objects)
    : timing_(timing),
      routes_(routes),
      period_(timing.route_period),
      missing_(std::move(needed)),
      of_joining_(std::move(of_joining)),
      objects_(objects) {
  switch (routes.writes) {
    case RouteWrites::Concurrent:
      operation_ = timing.route_operation;
      at_a_time_ = kConcurrentOperations;
      break;
    case RouteWrites::OneByOne:
      period_ = timing.aws_tick;
      operation_ = timing.aws_call * 2;
      break;
    case RouteWrites::RouterUpdates:
      operation_ = timing.router_update * 2;
      break;
    case RouteWrites::WholeTable:
      operation_ = timing.route_batch;
      at_a_time_ = missing_.size() + of_joining_.size();
      break;
  }
  conditions_period_ = routes.each_pass_writes_conditions ? period_ : timing.aws_sync;
  for (const PodRoute& route : missing_)
    last_table_ = std::max(last_table_, route.table);
}

std::optional<Picos> RouteController::next() const {
  if (!objects_.control_plane_ready_at) return std::nullopt;
  if (phase_ == Phase::Done)
    return has_joined() ? pass_after(*objects_.node_joined_at, period_)
                        : next_pass_for_conditions();
  if (phase_ == Phase::NotStarted)
    return *objects_.control_plane_ready_at + timing_.route_controller_start;
  return next_;
}

void RouteController::act(node::WorldEditor& world, Picos now) {
  if (phase_ == Phase::Done) return has_joined() ? begin_pass(now) : write_conditions(now);
  if (phase_ == Phase::NotStarted) start(world.world(), now);
  if (phase_ != Phase::Writing) return begin_pass(now);
  const std::size_t end = std::min(missing_.size(), written_ + at_a_time_);
  for (; written_ < end; ++written_) {
    const PodRoute& route = missing_[written_];
    const node::RouteChange made =
        world.fabric().set_route(route.table, route.pod_cidr, route.route);
    if (made == node::RouteChange::OverQuota || made == node::RouteChange::InsideSubnet)
      refused_.push_back(route);
  }
  if (written_ == missing_.size()) return end_pass(now);
  next_ = now + operation_;
}

void RouteController::start(const node::World& world, Picos now) {
  std::erase_if(missing_, [&](const PodRoute& route) { return has_route(world.fabric, route); });
  objects_.note(now, std::string(routes_.component),
                missing_.empty()
                    ? "starts, and finds all routes"
                    : fmt::format("starts, and misses {}", counted(missing_.size(), "route")));
  phase_ = Phase::Pausing;
}

void RouteController::begin_pass(Picos now) {
  phase_ = Phase::Writing;
  pass_began_ = now;
  written_ = 0;
  refused_.clear();
  if (has_joined()) {
    missing_.insert(missing_.end(), of_joining_.begin(), of_joining_.end());
    of_joining_.clear();
  }
  if (missing_.empty()) return end_pass(now);
  next_ = now + operation_;
}

/// Tries again what was refused, unless nothing was written: then nothing will be next time.
void RouteController::end_pass(Picos now) {
  lacks_route_.assign(objects_.conditions.size(), false);
  for (const PodRoute& route : refused_)
    if (!routes_.last_table_decides || route.table == last_table_)
      lacks_route_[route.route.instance] = true;
  for (std::uint32_t node = 0; node < lacks_route_.size(); ++node)
    objects_.set_condition(node, reason_of(lacks_route_[node]), now);
  const bool is_stuck = refused_.size() == missing_.size();
  if (!missing_.empty())
    objects_.note(now, std::string(routes_.component),
                  refused_.empty()
                      ? "all routes are there"
                      : fmt::format("{} refused by the cloud", counted(refused_.size(), "route")));
  missing_ = std::move(refused_);
  refused_.clear();
  if (missing_.empty() || is_stuck) {
    phase_ = Phase::Done;
    return;
  }
  phase_ = Phase::Pausing;
  next_ = std::max(now, pass_began_ + period_);
}

Picos RouteController::pass_after(Picos time, Picos period) const {
  const std::int64_t passes = std::max<std::int64_t>((time - pass_began_).count / period.count, 0);
  return pass_began_ + period * (passes + 1);
}

/// The first after calico-node has written one, or a node was deleted.
std::optional<Picos> RouteController::next_pass_for_conditions() const {
  std::optional<Picos> first;
  for (const std::uint32_t node : objects_.unavailable_nodes) {
    const NetworkCondition& condition = objects_.conditions[node];
    if (condition.reason != NetworkCondition::Reason::CalicoIsDown) continue;
    const Picos pass = pass_after(condition.since, conditions_period_);
    first = std::min(first.value_or(pass), pass);
  }
  if (first && objects_.node_deleted_at && *objects_.node_deleted_at > pass_began_)
    first = std::min(*first, *objects_.node_deleted_at + period_);
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
