#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <thread>

namespace overlane::fastpath {

/// Repeats a round in a separate thread until it is stopped or fails.
class Flow {
 public:
  /// `round` returns the error, or an empty text.
  explicit Flow(std::function<std::string()> round)
      : thread_([this, round = std::move(round)](const std::stop_token& stop) {
          while (!stop.stop_requested() && wrong_.empty()) {
            wrong_ = round();
            ++rounds_;
          }
        }) {}

  /// Number of completed rounds.
  std::uint64_t rounds() const { return rounds_; }
  /// Waits for the last round; returns the error, or an empty text.
  std::string end() {
    thread_.request_stop();
    thread_.join();
    return wrong_;
  }

 private:
  std::atomic<std::uint64_t> rounds_ = 0;
  std::string wrong_;
  std::jthread thread_;
};

}  // namespace overlane::fastpath
