#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "dataplane/kernel/namespaces/network_namespace.h"
#include "dataplane/kernel/set_up/cluster_namespaces.h"
#include "dataplane/net/units.h"
#include "dataplane/node/state/world.h"
#include "scenarios/migration/actors/cluster_objects.h"
#include "scenarios/migration/actors/route_controller.h"
#include "scenarios/migration/inputs/timing.h"
#include "scenarios/migration/inputs/transition.h"
#include "topologies/provider/profile.h"
#include "topologies/provider/route_writes.h"

namespace overlane::replay {

// The cloud of a replayed switch. CloudApi stands in for the API of the VPC's route tables: its
// calls take time and are limited, and the routes that they make are routes of the kernel that is
// the VPC. RouteLoop stands in for the provider's route controller: a loop that compares and
// writes. It knows the times of single calls only, not when the simulation expects a route.

/// Times of a replay: they count from the change of the Shoot and pass as fast as real time.
class ReplayClock {
 public:
  using Clock = std::chrono::steady_clock;

  /// `stop` ends all waiting; it must outlive the clock.
  ReplayClock(Picos now, const std::atomic<bool>& stop)
      : origin_(Clock::now() - as_duration(now)), stop_(stop) {}

  Picos now() const { return of(Clock::now()); }
  Picos of(Clock::time_point at) const {
    return nanoseconds(std::chrono::nanoseconds(at - origin_).count());
  }
  bool is_stopped() const { return stop_; }
  /// Waits until a time. Returns false if the replay or `also_stopped` was stopped before.
  bool wait_until(Picos time, const std::atomic<bool>* also_stopped = nullptr) const;

 private:
  static std::chrono::nanoseconds as_duration(Picos time) {
    return std::chrono::nanoseconds(time.count / 1000);
  }

  Clock::time_point origin_;
  const std::atomic<bool>& stop_;
};

/// The VPC's route tables, and the API that changes them. All functions may be called from any
/// thread.
class CloudApi {
 public:
  /// `fabric` is the namespace that was made from `state` and `nodes`, and must outlive this
  /// object.
  CloudApi(node::FabricState state, std::vector<kernel::SetUp> nodes,
           const kernel::NetworkNamespace& fabric, provider::CallLimit limit);

  /// Whether a table has the route.
  bool has(const migration::PodRoute& route) const;
  /// Writes routes in one call, which counts against the limit. Returns those that the cloud
  /// refuses, or an error of the kernel.
  Parsed<std::vector<migration::PodRoute>> create(const std::vector<migration::PodRoute>& routes);

 private:
  void take_token();

  mutable std::mutex mutex_;
  node::FabricState state_;
  std::vector<kernel::SetUp> nodes_;
  const kernel::NetworkNamespace& fabric_;
  provider::CallLimit limit_;
  double tokens_;
  std::chrono::steady_clock::time_point refilled_;
};

/// The route controller of the provider, in a thread of its own.
class RouteLoop {
 public:
  /// Begins at `start`. All arguments that are references must outlive this object, as must
  /// `transition`, whose target it writes.
  RouteLoop(const migration::Transition& transition, const migration::Timing& timing, Picos start,
            const ReplayClock& clock, CloudApi& api);
  ~RouteLoop() { stop(); }

  void stop();
  /// Whether a pass has found nothing to write, or nothing that the cloud accepts.
  bool is_idle() const { return is_idle_; }
  /// What the loop did, for the timeline. Call it after stop().
  const std::vector<migration::Step>& steps() const { return steps_; }
  /// Error of the kernel, which ended the loop; empty if there was none. Call it after stop().
  const std::string& failure() const { return failure_; }

 private:
  void run(Picos start);
  /// A pass over all nodes. False if the loop was stopped or has failed.
  bool pass();
  bool wait(Picos time) { return clock_.wait_until(clock_.now() + time, &is_stopped_); }
  void note(std::string what);

  const migration::Transition& transition_;
  migration::RouteWriting writing_;
  const ReplayClock& clock_;
  CloudApi& api_;
  std::atomic<bool> is_stopped_{false}, is_idle_{false};
  std::vector<migration::Step> steps_;
  std::string failure_;
  std::jthread thread_;
};

}  // namespace overlane::replay
