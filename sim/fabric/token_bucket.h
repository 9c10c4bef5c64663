#pragma once

#include <algorithm>

#include "dataplane/net/units.h"

namespace overlane::fabric {

/// A limit with a mean rate and a burst: the generic cell rate algorithm (ITU-T I.371), which
/// counts time instead of tokens.
class TokenBucket {
 public:
  /// `burst`: how far traffic may be ahead of the mean rate. used() counts from `measured_from`.
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

  /// Whether a packet that comes at `now` passes at once.
  bool passes_at_once(Picos now) const { return std::max(last_, theoretical_ - burst_) <= now; }

  /// What passed since `measured_from`, as time at the mean rate.
  Picos used() const { return used_; }
  /// How long since `measured_from` a packet waited for the rate, the burst being spent.
  Picos held_back() const { return held_back_; }

 private:
  Picos burst_;
  Picos measured_from_;
  Picos theoretical_;  ///< The theoretical arrival time (TAT) of I.371.
  Picos last_;
  Picos used_;
  Picos held_back_;
};

}  // namespace overlane::fabric
