#pragma once

#include <algorithm>
#include <compare>
#include <optional>

#include "dataplane/net/units.h"

namespace overlane::fabric {

// Limits that a cloud sets besides the NIC's rate: AWS's single-flow limit and network allowances,
// for example. An allowance is a mean rate with a burst; TokenBucket decides when each packet
// passes it.

/// A limit with a mean rate and a burst: the generic cell rate algorithm (ITU-T I.371), which
/// counts time instead of tokens.
class TokenBucket {
 public:
  /// `burst` is the time by which traffic may be ahead of the mean rate. used() counts from
  /// `measured_from`.
  explicit TokenBucket(Picos burst = {}, Picos measured_from = {})
      : burst_(burst), measured_from_(measured_from) {}

  /// Admits a packet that takes `time` at the mean rate. Returns when it passes: `now`, or as soon
  /// as the rate allows. Call in order of arrival.
  Picos take(Picos now, Picos time) {
    const Picos free = std::max(now, last_);
    const Picos at = std::max(free, theoretical_ - burst_);
    theoretical_ = std::max(theoretical_, at) + time;
    last_ = at;
    if (at >= measured_from_) {
      used_ += time;
      held_back_ += at - std::max(free, measured_from_);
    }
    return at;
  }

  /// Whether a packet that arrives at `now` passes at once.
  bool passes_at_once(Picos now) const { return std::max(last_, theoretical_ - burst_) <= now; }

  /// By how much the traffic so far is ahead of the mean rate at `now`.
  Picos ahead(Picos now) const { return std::max(Picos{}, theoretical_ - now); }
  Picos burst() const { return burst_; }

  /// Traffic that passed since `measured_from`, as time at the mean rate.
  Picos used() const { return used_; }
  /// Time since `measured_from` in which a packet waited for the rate because the burst was spent.
  Picos held_back() const { return held_back_; }

 private:
  Picos burst_;
  Picos measured_from_;
  Picos theoretical_;  ///< The theoretical arrival time (TAT) of I.371.
  Picos last_;
  Picos used_;
  Picos held_back_;
};

/// Long-term limit of an instance, for sending and receiving separately. While credits remain, the
/// instance sends at its NIC's rate.
struct BandwidthAllowance {
  BitsPerSecond baseline;  ///< Rate of IP packets without credits; > 0.
  Bytes credits;           ///< Initial and maximum credits.

  auto operator<=>(const BandwidthAllowance&) const = default;
};

/// Limit of an instance in packets per second, for sending and receiving separately.
struct PacketAllowance {
  std::int64_t per_second = 1;  ///< > 0.
  std::int64_t burst = 1;       ///< At least 1.

  auto operator<=>(const PacketAllowance&) const = default;
};

/// Limits of a cloud besides the NIC's rate. Absent members mean no limit.
struct Limits {
  /// Per flow as the fabric identifies it: a 5-tuple, or, if it sees no ports, as in IPIP, all
  /// packets between two nodes.
  std::optional<BitsPerSecond> single_flow;
  std::optional<BandwidthAllowance> bandwidth;
  std::optional<PacketAllowance> packets;

  bool has_allowances() const { return bandwidth || packets; }

  auto operator<=>(const Limits&) const = default;
};

/// How many bytes of a flow pass at the NIC's rate before single_flow applies. Clouds do not
/// document it; assumed: two of Linux's largest buffers.
inline constexpr Bytes kSingleFlowBurst{131'072};

}  // namespace overlane::fabric
