#pragma once

#include <cmath>

#include "sim/host/machine.h"
#include "sim/run/testing/small_network.h"

namespace overlane::run::testing {

/// Datagrams of one size that arrive at one node's link as a Poisson process: an M/D/1 queue.
struct PoissonLink {
  double mean_wait = 0;  ///< Mean wait for the link, in frame times.

  /// Mean wait by the Pollaczek-Khinchine formula, in frame times; `load` in percent.
  static double expected_wait(std::int64_t load) {
    return static_cast<double>(load) / static_cast<double>(100 - load) / 2;
  }
};

/// Sends about `packets` packets through the engine, from pod to pod, at `load` percent of the
/// link.
inline PoissonLink send_poisson(std::int64_t load, std::int64_t packets, std::uint64_t seed) {
  constexpr std::int64_t kPayload = 1'000;
  constexpr BitsPerSecond kLink{100'000'000};
  const Picos frame = host::frame_time(kPayload + 28, kLink);
  Network network = testing::network();
  network.paths.jitter = {};
  for (host::Machine& machine : network.machines)
    machine.nic_rate = kLink;
  const BitsPerSecond full = mean_rate(Bytes{kPayload}, frame);
  TrafficGroup group = datagrams(full.count * load / 100, kPayload);
  group.arrivals = Arrivals::Poisson;
  const RunOptions options{
      .duration = frame * 100 / load * packets, .seed = seed, .start_spread = {}};
  const model::TrafficResult result = measure(network, {group}, options).traffic[0];
  EXPECT_EQ(result.drops.total(), 0);
  EXPECT_NEAR(static_cast<double>(result.packets.sent), static_cast<double>(packets),
              5 * std::sqrt(static_cast<double>(packets)));
  // After the first link, packets pass the fabric and a link of the same rate, without waiting.
  const Picos without_wait = frame * 2 + network.paths.within_zone;
  return {(static_cast<double>(result.latency_ns.mean()) -
           static_cast<double>(without_wait.whole_nanoseconds())) /
          static_cast<double>(frame.whole_nanoseconds())};
}

}  // namespace overlane::run::testing
