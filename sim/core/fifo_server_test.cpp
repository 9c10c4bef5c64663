#include "sim/core/fifo_server.h"

#include <gtest/gtest.h>

#include "sim/random/stream.h"

namespace overlane::core {
namespace fifo_server_test {

TEST(FifoServer, ServesOneAfterTheOther) {
  FifoServer server(10);
  EXPECT_EQ(server.arrive(picoseconds(100), picoseconds(30)), picoseconds(130));
  EXPECT_EQ(server.arrive(picoseconds(110), picoseconds(30)), picoseconds(160));
  server.leave();
  server.leave();
  EXPECT_EQ(server.arrive(picoseconds(200), picoseconds(30)), picoseconds(230));
}

TEST(FifoServer, RefusesWhenTheWaitingRoomIsFull) {
  FifoServer server(2);
  EXPECT_TRUE(server.arrive(Picos{}, seconds(1)));
  EXPECT_TRUE(server.arrive(Picos{}, seconds(1)));
  EXPECT_TRUE(server.arrive(Picos{}, seconds(1)));
  EXPECT_FALSE(server.arrive(Picos{}, seconds(1)));
  server.leave();
  EXPECT_EQ(server.arrive(seconds(1), seconds(1)), seconds(4));
}

TEST(FifoServer, OneThatCameAloneTakesUpRoomUntilItLeaves) {
  FifoServer server(1);
  EXPECT_EQ(server.arrive_alone(seconds(1), seconds(2)), seconds(3));
  EXPECT_FALSE(server.idle(seconds(2)));
  EXPECT_EQ(server.arrive(seconds(2), seconds(2)), seconds(5));
  EXPECT_FALSE(server.arrive(seconds(2), seconds(2))) << "one served, one waits";
  EXPECT_EQ(server.arrive(seconds(3), seconds(2)), seconds(7)) << "the first has left";
}

TEST(FifoServer, CountsBusyTimeInsideTheMeasurementOnly) {
  FifoServer server(10);
  server.arrive(seconds(1), seconds(2));
  server.arrive(seconds(9), seconds(3));
  EXPECT_EQ(server.busy_since_start(seconds(10)), seconds(3));
  server.begin_measuring(seconds(10));
  EXPECT_EQ(server.busy(seconds(10)), seconds(0)) << "before the measurement";
  EXPECT_EQ(server.busy(seconds(12)), seconds(2)) << "the part after its beginning";
  server.arrive(seconds(20), seconds(8));
  EXPECT_EQ(server.busy(seconds(25)), seconds(7)) << "the part already done";
}

/// Pollaczek and Khinchine: at load ρ, a customer of an M/D/1 queue waits ρ/(2(1−ρ)) services on
/// average. Arrivals here are Bernoulli trials per tick of 1/100 service, near enough to Poisson:
/// the discrete formula is (ρ − p)/(2(1−ρ)) with p the chance per tick.
TEST(FifoServer, WaitsAsQueueingTheoryPredicts) {
  RandomStream random(3, StreamUse::Pattern, 0);
  constexpr std::int64_t kService = 100;
  constexpr std::int64_t kTicks = 20'000'000;
  FifoServer server(1'000'000);
  std::int64_t customers = 0;
  std::int64_t waited = 0;
  for (std::int64_t tick = 0; tick < kTicks; ++tick) {
    if (random.below(125) != 0) continue;  // ρ = 100/125 = 0.8
    const auto leaves = server.arrive(picoseconds(tick), picoseconds(kService));
    waited += leaves->count - tick - kService;
    ++customers;
    server.leave();
  }
  const double mean_wait = static_cast<double>(waited) / static_cast<double>(customers);
  const double predicted = kService * (0.8 - 0.008) / (2 * (1 - 0.8));
  EXPECT_NEAR(mean_wait, predicted, predicted * 0.05);
}

}  // namespace fifo_server_test
}  // namespace overlane::core
