#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <optional>

#include "dataplane/net/units.h"

namespace overlane::core {

/// A server of queueing theory (G/G/1/K): it serves one customer after the other and lets a limited
/// number wait. It models a core, a NIC's transmit queue, or the last link to a NIC; the customers
/// are packets. Since the order is first come, first served, the departure time is known on
/// arrival: the caller schedules the event and calls leave() when it comes.
class FifoServer {
 public:
  /// `waiting_room` customers fit besides the one in service.
  explicit FifoServer(std::uint32_t waiting_room) : waiting_room_(waiting_room) {}

  bool idle(Picos now) const { return free_at_ <= now; }
  /// Number of customers that wait or are served.
  std::uint32_t present(Picos now) const { return present_ + (is_alone(now) ? 1u : 0u); }

  /// A customer arrives at `now` and takes `service`. Returns when it will leave, or nothing if it
  /// is refused. Every accepted customer must be followed by one leave().
  std::optional<Picos> arrive(Picos now, Picos service) {
    if (present(now) > waiting_room_) return std::nullopt;
    ++present_;
    return occupy(now, service);
  }
  /// A customer arrives at the idle server: it is never refused, and needs no leave().
  Picos arrive_alone(Picos now, Picos service) { return alone_until_ = occupy(now, service); }

  /// Whether the customer of arrive_alone() is still served.
  bool is_alone(Picos now) const { return alone_until_ > now; }

  void leave() {
    assert(present_ > 0);
    --present_;
  }

  /// When all accepted work will be done.
  Picos free_at() const { return free_at_; }

  /// Adds work without a customer, such as the work for a packet that is then dropped.
  Picos occupy(Picos now, Picos service) {
    free_at_ = std::max(now, free_at_) + service;
    busy_ += service;
    return free_at_;
  }

  /// Serves customers that needed neither arrive() nor leave(): `work` in total, the last of it
  /// done at `end`, which is not before free_at().
  void serve_all(Picos work, Picos end) {
    assert(end >= free_at_);
    busy_ += work;
    free_at_ = end;
    alone_until_ = end;
  }
  /// Forgets the accepted customers, whose `work` would have begun at `start` or has begun then.
  void take_back_all(Picos work, Picos start) {
    present_ = 0;
    busy_ -= work;
    free_at_ = start;
  }

  /// Cancels all work that is not done by `now`. Accepted customers must still leave().
  void stop(Picos now) {
    busy_ = busy_since_start(now);
    free_at_ = std::min(free_at_, now);
    alone_until_ = std::min(alone_until_, now);
  }

  /// Busy time up to `now`, without accepted work that is not done at `now`.
  Picos busy_since_start(Picos now) const { return busy_ - std::max(Picos{}, free_at_ - now); }
  /// Busy time from begin_measuring() up to `now`.
  Picos busy(Picos now) const { return busy_since_start(now) - before_; }
  void begin_measuring(Picos now) { before_ = busy_since_start(now); }

 private:
  std::uint32_t waiting_room_;
  std::uint32_t present_ = 0;
  Picos free_at_;
  Picos alone_until_;
  Picos busy_;
  Picos before_;
};

}  // namespace overlane::core
