#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "dataplane/net/units.h"

namespace overlane::core {

/// A server that takes one customer after the other and lets a limited number wait: a core, a NIC's
/// transmit queue, the last link to a NIC. Departure times are known on arrival.
class FifoServer {
 public:
  /// Besides the one in service, `waiting_room` customers fit.
  explicit FifoServer(std::uint32_t waiting_room) : waiting_room_(waiting_room) {}

  bool idle(Picos now) const { return free_at_ <= now; }
  /// Customers that wait or are served.
  std::uint32_t present(Picos now) const { return present_ + (is_alone(now) ? 1u : 0u); }

  /// When a customer that arrives at `now` and takes `service` will leave; nothing when it is
  /// refused. Every accepted customer must be followed by one leave().
  std::optional<Picos> arrive(Picos now, Picos service) {
    if (present(now) > waiting_room_) return std::nullopt;
    ++present_;
    return occupy(now, service);
  }
  /// The same of one that finds the server idle: it is never refused, and needs no leave().
  Picos arrive_alone(Picos now, Picos service) { return alone_until_ = occupy(now, service); }

  /// Whether that one is not done yet.
  bool is_alone(Picos now) const { return alone_until_ > now; }

  void leave() { --present_; }

  /// When everything accepted so far will have been done.
  Picos free_at() const { return free_at_; }

  /// Work without a waiting packet, such as what was done for a packet before it was dropped.
  Picos occupy(Picos now, Picos service) {
    free_at_ = std::max(now, free_at_) + service;
    busy_ += service;
    return free_at_;
  }

  /// What is not done by `now` never will be. Whatever was accepted must still leave().
  void stop(Picos now) {
    busy_ = busy_since_start(now);
    free_at_ = std::min(free_at_, now);
    alone_until_ = std::min(alone_until_, now);
  }

  /// Busy time up to `now`: work accepted but not yet done at `now` is not in it.
  Picos busy_since_start(Picos now) const { return busy_ - std::max(Picos{}, free_at_ - now); }
  /// The same since begin_measuring().
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
