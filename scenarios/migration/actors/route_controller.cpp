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

}  // namespace

RouteController::RouteController(const Timing& timing, const provider::Routes& routes,
                                 std::vector<PodRoute> needed, ClusterObjects& objects)
    : timing_(timing),
      routes_(routes),
      period_(timing.route_period),
      missing_(std::move(needed)),
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
      at_a_time_ = missing_.size();
      break;
  }
  for (const PodRoute& route : missing_)
    last_table_ = std::max(last_table_, route.table);
}

std::optional<Picos> RouteController::next() const {
  if (phase_ == Phase::Done || !objects_.control_plane_ready_at) return std::nullopt;
  if (phase_ == Phase::NotStarted)
    return *objects_.control_plane_ready_at + timing_.route_controller_start;
  return next_;
}

void RouteController::act(node::WorldEditor& world, Picos now) {
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
  if (missing_.empty()) return end_pass(now);
  next_ = now + operation_;
}

/// Tries again what was refused, unless nothing was written: then nothing will be next time.
void RouteController::end_pass(Picos now) {
  std::vector<bool> lacks(objects_.nodes_with_route.size(), false);
  for (const PodRoute& route : refused_)
    if (!routes_.last_table_decides || route.table == last_table_)
      lacks[route.route.instance] = true;
  for (std::size_t i = 0; i < lacks.size(); ++i)
    objects_.nodes_with_route[i] = !lacks[i];
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

}  // namespace overlane::migration
