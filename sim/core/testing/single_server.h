#pragma once

#include <cstdint>
#include <vector>

#include "sim/core/event_queue.h"
#include "sim/core/fifo_server.h"
#include "sim/random/distribution.h"

namespace overlane::core::testing {

/// The statistics of a single server whose customers arrive as a Poisson process.
struct SingleServerResult {
  std::int64_t customers = 0;
  double mean_wait = 0;  ///< Mean wait before service, in mean service times.
  // Both sides of Little's law in picoseconds, over the whole run until the last customer has left.
  WideInteger sojourn = 0;           ///< The sum of all stays, by each customer's own times.
  WideInteger number_in_system = 0;  ///< The integral over time, by counting at every event.
};

/// Runs `customers` customers through a FifoServer of unlimited room, driven by the Scheduler:
/// Poisson arrivals at `load` percent of the service rate; service times are drawn from `service`.
inline SingleServerResult run_single_server(std::int64_t customers, std::int64_t load,
                                            const Distribution& service, std::uint64_t seed) {
  enum : std::uint64_t { Arrival, Departure };
  Scheduler scheduler;
  FifoServer server(~0u - 1);
  RandomStream arrivals(seed, StreamUse::Arrivals, 0);
  RandomStream services(seed, StreamUse::Transfers, 0);
  const auto gap = [&] { return Picos{draw_exponential(arrivals, service.mean() * 100, load)}; };

  SingleServerResult result;
  WideInteger wait = 0;
  std::int64_t present = 0;
  Picos before;
  scheduler.schedule(gap(), Arrival);
  Event event;
  while (scheduler.next({INT64_MAX}, event)) {
    const Picos now = scheduler.now();
    result.number_in_system += WideInteger{(now - before).count} * present;
    before = now;
    if (event.what == Departure) {
      server.leave();
      --present;
      continue;
    }
    const Picos time{service.draw(services)};
    const Picos done = *server.arrive(now, time);
    scheduler.schedule(done, Departure);
    ++present;
    wait += (done - time - now).count;
    result.sojourn += (done - now).count;
    if (++result.customers < customers) scheduler.schedule(now + gap(), Arrival);
  }
  result.mean_wait = static_cast<double>(wait) / static_cast<double>(customers) /
                     static_cast<double>(service.mean());
  return result;
}

/// Mean wait of M/M/1 and M/D/1 in mean service times, by the Pollaczek-Khinchine formula.
inline double wait_with_exponential_service(double load) {
  return load / (1 - load);
}
inline double wait_with_fixed_service(double load) {
  return load / (1 - load) / 2;
}

/// Standard error of the mean wait over `customers` customers of M/M/1, whose waits are correlated:
/// ρ(2 + 5ρ − 4ρ² + ρ³) / (1 − ρ)⁴ is the asymptotic variance (Daley 1968, Whitt 1989). The error
/// for M/D/1 is smaller.
double standard_error(double load, std::int64_t customers);

}  // namespace overlane::core::testing
