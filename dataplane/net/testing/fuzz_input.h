#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace overlane::testing {

/// The input of a fuzz target that runs a sequence of operations. Values are read from the front;
/// reads after the end return zeros.
class FuzzInput {
 public:
  explicit FuzzInput(std::span<const std::uint8_t> rest) : rest_(rest) {}

  bool empty() const { return rest_.empty(); }
  std::uint8_t byte() {
    const auto next = take(1);
    return next.empty() ? std::uint8_t{0} : next[0];
  }
  /// At most `most` bytes of the rest, in memory of their own, so that a sanitizer sees each read
  /// beyond them.
  std::vector<std::uint8_t> bytes(std::size_t most) {
    const auto next = take(most);
    return {next.begin(), next.end()};
  }

 private:
  std::span<const std::uint8_t> take(std::size_t most) {
    const auto next = rest_.first(std::min(most, rest_.size()));
    rest_ = rest_.subspan(next.size());
    return next;
  }

  std::span<const std::uint8_t> rest_;
};

}  // namespace overlane::testing
