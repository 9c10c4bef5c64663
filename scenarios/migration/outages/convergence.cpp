#include "scenarios/migration/outages/convergence.h"

#include <algorithm>
#include <map>
#include <utility>

namespace overlane::migration {

Convergence convergence_of(const std::vector<Outage>& outages, std::uint64_t routes) {
  struct Route {
    Picos lost;
    Picos converged;
    bool converges = true;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, Route> interrupted;
  for (const Outage& outage : outages) {
    Route& route = interrupted[{outage.from, outage.to}];
    if (!outage.end) {
      route.converges = false;
      continue;
    }
    route.lost = route.lost + (*outage.end - outage.begin);
    route.converged = std::max(route.converged, *outage.end);
  }
  Convergence result{.routes = routes, .interrupted = interrupted.size()};
  std::vector<Picos> losses;
  Picos first = kNever;
  Picos last;
  // The sum over millions of routes would not fit, so each loss is divided: blocked * routes +
  // rest.
  std::int64_t blocked_ns = 0;
  std::int64_t rest_ns = 0;
  const auto count = static_cast<std::int64_t>(routes);
  for (const auto& [ends, route] : interrupted) {
    if (!route.converges) {
      ++result.unconverged;
      continue;
    }
    losses.push_back(route.lost);
    first = std::min(first, route.converged);
    last = std::max(last, route.converged);
    if (count == 0) continue;
    blocked_ns += route.lost.whole_nanoseconds() / count;
    rest_ns += route.lost.whole_nanoseconds() % count;
  }
  if (!losses.empty()) {
    std::ranges::sort(losses);
    result.first_route = first;
    result.least_loss = losses.front();
    result.median_loss = losses[losses.size() / 2];
    result.most_loss = losses.back();
  }
  if (result.unconverged > 0) return result;
  if (!losses.empty()) result.full = last;
  if (count > 0) result.blocked = nanoseconds(blocked_ns + rest_ns / count);
  return result;
}

}  // namespace overlane::migration
