#include "sim/run/packet/accounts.h"

#include <functional>

#include <gtest/gtest.h>

namespace overlane::run {

namespace batches_test {

constexpr Picos kDuration = milliseconds(100);
constexpr Picos kWarmUp = milliseconds(10);

/// What is said of answers that come in each of the hundred batches, by their latencies in
/// microseconds; 0: none comes.
std::optional<model::SteadyState> judged(const std::function<int(int batch)>& microseconds_of) {
  Accounts accounts(1, kWarmUp);
  Batches batches(accounts, 1, kDuration);
  for (int i = 0; i < 100; ++i) {
    const Picos now = kDuration / 100 * i;
    // Half of them are longer, half of them shorter.
    for (const int off : {-1, 1}) {
      if (const int latency = microseconds_of(i); latency > 0)
        accounts.latency(0, now, microseconds(latency) + nanoseconds(off * (i * 37 % 100)));
    }
    EXPECT_EQ(batches.next(), now + kDuration / 100);
    batches.close();
  }
  EXPECT_FALSE(batches.steady_state(0, kWarmUp)) << "nothing was read";
  return batches.latency_steady_state(0, kWarmUp);
}

/// Something that varies a little and never repeats.
int around(int mean, int batch) {
  return mean + batch * 31 % 7 - 3;
}

TEST(Batches, LatencyThatFallsAfterTheWarmUpMakesItsMeanTooLarge) {
  const auto state = judged([](int batch) { return around(batch < 30 ? 200 : 100, batch); });
  ASSERT_TRUE(state);
  EXPECT_TRUE(state->reached);
  EXPECT_GE(state->from, milliseconds(30));
  EXPECT_LE(state->from, milliseconds(31));
  // Twenty of ninety batches are twice as long.
  EXPECT_NEAR(static_cast<double>(state->bias_ppm), 1e6 * 20 / 90, 1e4);
}

TEST(Batches, LatencyThatGrowsToTheEndIsNotSteady) {
  const auto state = judged([](int batch) { return 100 + batch; });
  ASSERT_TRUE(state);
  EXPECT_FALSE(state->reached);
  EXPECT_GT(state->drift_ppm, 100'000);
}

TEST(Batches, WhereNothingIsAnsweredTheLatencyIsThatOfBefore) {
  const auto all = judged([](int batch) { return around(100, batch); });
  const auto some = judged([](int batch) { return batch % 3 == 1 ? 0 : around(100, batch); });
  ASSERT_TRUE(all && some);
  EXPECT_TRUE(all->reached && some->reached);
  EXPECT_EQ(some->bias_ppm, 0);
  EXPECT_FALSE(judged([](int batch) { return batch % 3 == 1 ? around(100, batch) : 0; }))
      << "too little to tell";
  EXPECT_FALSE(judged([](int) { return 0; }));
}

}  // namespace batches_test

}  // namespace overlane::run
