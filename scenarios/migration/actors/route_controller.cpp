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

RouteWriting route_writing(const provider::Routes& routes, const Timing& timing) {
  RouteWriting writing{.period = timing.route_period,
                       .last_table_decides = routes.last_table_decides,
                       .component = routes.component};
  switch (routes.writes) {
    case RouteWrites::Concurrent:
      writing.operation = timing.route_operation;
      writing.at_a_time = kConcurrentOperations;
      break;
    case RouteWrites::OneByOne:
      writing.period = timing.aws_tick;
      writing.operation = timing.aws_call * 2;
      break;
    case RouteWrites::RouterUpdates:
      writing.operation = timing.router_update * 2;
      break;
    case RouteWrites::WholeTable:
      writing.operation = timing.route_batch;
      writing.at_a_time = UINT32_MAX;
      break;
  }
  return writing;
}

RouteController::RouteController(const Timing& timing, const RouteWriting& writing,
                                 std::vector<PodRoute> missing, ClusterObjects& objects)
    : timing_(timing), writing_(writing), missing_(std::move(missing)), objects_(objects) {
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
  if (phase_ != Phase::Writing) return begin_pass(now);
  const std::size_t end =
      std::min<std::size_t>(missing_.size(), written_ + std::size_t{writing_.at_a_time});
  for (; written_ < end; ++written_) {
    const PodRoute& route = missing_[written_];
    const node::RouteChange made =
        world.fabric().set_route(route.table, route.pod_cidr, route.route);
    if (made == node::RouteChange::OverQuota || made == node::RouteChange::InsideSubnet)
      refused_.push_back(route);
  }
  if (written_ == missing_.size()) return end_pass(now);
  next_ = now + writing_.operation;
}

void RouteController::begin_pass(Picos now) {
  if (phase_ == Phase::NotStarted) {
    objects_.note(now, std::string(writing_.component),
                  missing_.empty()
                      ? "starts, and finds all routes"
                      : fmt::format("starts, and misses {}", counted(missing_.size(), "route")));
  }
  phase_ = Phase::Writing;
  pass_began_ = now;
  written_ = 0;
  refused_.clear();
  if (missing_.empty()) return end_pass(now);
  next_ = now + writing_.operation;
}

/// Tries again what was refused, unless nothing was written: then nothing will be next time.
void RouteController::end_pass(Picos now) {
  std::vector<bool> lacks(objects_.nodes_with_route.size(), false);
  for (const PodRoute& route : refused_)
    if (!writing_.last_table_decides || route.table == last_table_)
      lacks[route.route.instance] = true;
  for (std::size_t i = 0; i < lacks.size(); ++i)
    objects_.nodes_with_route[i] = !lacks[i];
  const bool is_stuck = refused_.size() == missing_.size();
  if (!missing_.empty())
    objects_.note(now, std::string(writing_.component),
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
  next_ = std::max(now, pass_began_ + writing_.period);
}

}  // namespace overlane::migration
