#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "results/model/steady_state.h"
#include "sim/run/accounts.h"

namespace overlane::run {

/// What the applications of each traffic group read in equal stretches of a run, for telling
/// whether it was in a steady state.
class GoodputBatches {
 public:
  /// Keeps a reference to `accounts`.
  GoodputBatches(const Accounts& accounts, std::size_t groups, Picos duration)
      : accounts_(accounts), duration_(duration), batches_(groups), before_(groups) {}

  /// When the batch at hand ends.
  Picos next() const { return end_of(closed_); }

  void close() {
    ++closed_;
    for (std::size_t group = 0; group < batches_.size(); ++group) {
      const std::int64_t bytes = accounts_.group(group).payload_bytes;
      batches_[group].push_back(bytes - before_[group]);
      before_[group] = bytes;
    }
  }

  std::optional<model::SteadyState> steady_state(std::size_t group, Picos warm_up) const {
    std::size_t first = 0;  // That lies behind the warm-up.
    while (first < closed_ && begin_of(first) < warm_up)
      ++first;
    return model::find_steady_state(batches_[group], first, duration_);
  }

 private:
  Picos begin_of(std::size_t batch) const {
    return {static_cast<std::int64_t>(WideInteger{duration_.count} *
                                      static_cast<std::int64_t>(batch) / kBatches)};
  }
  Picos end_of(std::size_t batch) const { return begin_of(batch + 1); }

  static constexpr std::int64_t kBatches = model::kSteadyStateBatches;

  const Accounts& accounts_;
  Picos duration_;
  std::size_t closed_ = 0;
  std::vector<std::vector<std::int64_t>> batches_;  ///< Of each group: payload bytes.
  std::vector<std::int64_t> before_;
};

}  // namespace overlane::run
