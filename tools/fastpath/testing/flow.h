#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <thread>

namespace overlane::fastpath {

/// Does the same again and again in a thread of its own, until it is ended or goes wrong.
class Flow {
 public:
  /// `round` returns what went wrong, or nothing.
  explicit Flow(std::function<std::string()> round)
      : thread_([this, round = std::move(round)](const std::stop_token& stop) {
          while (!stop.stop_requested() && wrong_.empty()) {
            wrong_ = round();
            ++rounds_;
          }
        }) {}

  /// Rounds that have ended.
  std::uint64_t rounds() const { return rounds_; }
  /// Waits for the last round. What was wrong; empty when nothing was.
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
