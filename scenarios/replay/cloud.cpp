#include "scenarios/replay/cloud.h"

#include <algorithm>

#include <fmt/format.h>

#include "dataplane/kernel/set_up/changes.h"
#include "results/base/text.h"

namespace overlane::replay {

using migration::PodRoute;

bool ReplayClock::wait_until(Picos time, const std::atomic<bool>* also_stopped) const {
  constexpr auto kLook = std::chrono::milliseconds(20);
  const auto until = origin_ + as_duration(time);
  while (!stop_ && (also_stopped == nullptr || !*also_stopped)) {
    const auto left = until - Clock::now();
    if (left <= Clock::duration::zero()) return true;
    std::this_thread::sleep_for(std::min<Clock::duration>(left, kLook));
  }
  return false;
}

CloudApi::CloudApi(node::FabricState state, std::vector<kernel::SetUp> nodes,
                   const kernel::NetworkNamespace& fabric, provider::CallLimit limit)
    : state_(std::move(state)),
      nodes_(std::move(nodes)),
      fabric_(fabric),
      limit_(limit),
      tokens_(limit.bucket),
      refilled_(std::chrono::steady_clock::now()) {}

bool CloudApi::has(const PodRoute& route) const {
  const std::scoped_lock lock(mutex_);
  return migration::has_route(state_, route);
}

void CloudApi::take_token() {
  if (limit_.bucket <= 0) return;
  for (;;) {
    {
      const std::scoped_lock lock(mutex_);
      const auto now = std::chrono::steady_clock::now();
      const std::chrono::duration<double> since = now - refilled_;
      tokens_ = std::min(limit_.bucket, tokens_ + since.count() * limit_.per_second);
      refilled_ = now;
      if (tokens_ >= 1) {
        tokens_ -= 1;
        return;
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

Parsed<std::vector<PodRoute>> CloudApi::create(const std::vector<PodRoute>& routes) {
  take_token();
  const std::scoped_lock lock(mutex_);
  const auto before = kernel::fabric_set_up(state_, nodes_);
  std::vector<PodRoute> refused;
  node::FabricEditor editor(state_);
  for (const PodRoute& route : routes) {
    const node::RouteChange made = editor.set_route(route.table, route.pod_cidr, route.route);
    if (made == node::RouteChange::OverQuota || made == node::RouteChange::InsideSubnet)
      refused.push_back(route);
  }
  const auto after = kernel::fabric_set_up(state_, nodes_);
  if (!before || !after) return fail(before ? after.error() : before.error());
  const auto done = kernel::run_commands(
      kernel::commands_between(before->commands, after->commands), fabric_, fabric_);
  if (!done) return fail(done.error());
  return refused;
}

RouteLoop::RouteLoop(const migration::Transition& transition, const migration::Timing& timing,
                     Picos start, const ReplayClock& clock, CloudApi& api)
    : transition_(transition),
      writing_(
          migration::route_writing(provider::profile_of(transition.after.provider).routes, timing)),
      clock_(clock),
      api_(api),
      thread_([this, start] { run(start); }) {}

void RouteLoop::stop() {
  is_stopped_ = true;
  if (thread_.joinable()) thread_.join();
}

void RouteLoop::note(std::string what) {
  const provider::Routes& routes = provider::profile_of(transition_.after.provider).routes;
  steps_.push_back({clock_.now(), std::string(routes.component), std::move(what)});
}

void RouteLoop::run(Picos start) {
  if (!clock_.wait_until(start, &is_stopped_)) return;
  note("starts");
  for (;;) {
    const Picos began = clock_.now();
    if (!pass() || !clock_.wait_until(began + writing_.period, &is_stopped_)) return;
  }
}

bool RouteLoop::pass() {
  std::vector<PodRoute> missing;
  for (std::uint32_t node = 0; node < transition_.nodes(); ++node)
    for (const PodRoute& route : migration::routes_of(transition_.after, transition_.to, node))
      if (!api_.has(route)) missing.push_back(route);
  std::size_t refused = 0;
  for (std::size_t begin = 0; begin < missing.size();) {
    const std::size_t left = missing.size() - begin;
    const std::size_t count = writing_.at_a_time == 0 ? left : std::min(left, writing_.at_a_time);
    for (std::uint32_t call = 0; call < writing_.calls; ++call)
      if (!wait(writing_.call)) return false;
    const auto at = missing.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto written = api_.create({at, at + static_cast<std::ptrdiff_t>(count)});
    if (!written) {
      failure_ = written.error();
      return false;
    }
    refused += written->size();
    begin += count;
  }
  if (!missing.empty())
    note(refused == 0 ? fmt::format("has written {}", counted(missing.size(), "route"))
                      : fmt::format("{} refused by the cloud", counted(refused, "route")));
  is_idle_ = refused == missing.size();
  return true;
}

}  // namespace overlane::replay
