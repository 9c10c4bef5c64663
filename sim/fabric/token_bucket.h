#pragma once

#include <algorithm>

#include "dataplane/net/units.h"

namespace overlane::fabric {

/// What may pass at a mean rate and in bursts, as the generic cell rate algorithm counts it (ITU-T
/// I.371): in time instead of tokens.
class TokenBucket {
 public:
  /// `burst`: how far what has passed may be ahead of the mean rate. Use counts from
  /// `measured_from`.
  explicit TokenBucket(Picos burst = {}, Picos measured_from = {})
      : burst_(burst), measured_from_(measured_from) {}

  /// Lets something pass, at `now` or as soon as the rate allows, that takes `time` at the mean
  /// rate. When it passes. To be called in the order in which it is asked.
  Picos take(Picos now, Picos time) {
    const Picos at = std::max({now, last_, theoretical_ - burst_});
    theoretical_ = std::max(theoretical_, at) + time;
    last_ = at;
    if (at >= measured_from_) used_ += time;
    return at;
  }

  /// What passed since `measured_from`, in time at the mean rate.
  Picos used() const { return used_; }

 private:
  Picos burst_;
  Picos measured_from_;
  Picos theoretical_;  ///< When it will have caught up with the mean rate.
  Picos last_;
  Picos used_;
};

}  // namespace overlane::fabric
