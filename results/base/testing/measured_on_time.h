#pragma once

#include <cstdint>

#include <gmock/gmock.h>

namespace overlane {

/// A busy machine may stop a thread for longer than a measurement lasts. Returns the result of the
/// first of twenty measurements that `right` matches, or the last result. The caller expects
/// `right` of the result, so that a rate that is never right fails the test.
template <typename Measure, typename Right>
auto measured_on_time(const Measure& measure, const Right& right) {
  auto result = measure();
  for (int i = 1; i < 20 && !::testing::Value(result, right); ++i)
    result = measure();
  return result;
}

/// Matches a number that differs from `expected` by at most `off`.
inline auto within(std::int64_t off, std::int64_t expected) {
  return ::testing::AllOf(::testing::Ge(expected - off), ::testing::Le(expected + off));
}

}  // namespace overlane
