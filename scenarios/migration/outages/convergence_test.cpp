#include "scenarios/migration/outages/convergence.h"

#include <gtest/gtest.h>

namespace overlane::migration {

namespace convergence_test {

Outage outage(std::uint32_t from, std::uint32_t to, std::int64_t begin,
              std::optional<std::int64_t> end) {
  Outage result{.from = from, .to = to, .begin = seconds(begin)};
  if (end) result.end = seconds(*end);
  return result;
}

TEST(Convergence, MeasuresRoutesFromTheEvent) {
  // The first route is lost twice; it converges when the second outage ends.
  const Convergence found = convergence_of({outage(0, 1, 100, 104), outage(0, 1, 120, 121),
                                            outage(1, 0, 100, 110), outage(0, 2, 90, 92)},
                                           6);
  EXPECT_EQ(found.routes, 6u);
  EXPECT_EQ(found.interrupted, 3u);
  EXPECT_EQ(found.unconverged, 0u);
  EXPECT_EQ(found.first_route, seconds(92));
  EXPECT_EQ(found.full, seconds(121));
  EXPECT_EQ(found.least_loss, seconds(2));
  EXPECT_EQ(found.median_loss, seconds(5));
  EXPECT_EQ(found.most_loss, seconds(10));
  // 17 s of loss on 6 routes: (5 + 10 + 2) R packets lost of a load of 6 R packets per second.
  EXPECT_EQ(found.blocked->whole_nanoseconds(), 17'000'000'000 / 6);
}

TEST(Convergence, HasNoEndIfARouteNeverConverges) {
  const Convergence found = convergence_of({outage(0, 1, 5, 8), outage(1, 0, 5, {})}, 2);
  EXPECT_EQ(found.unconverged, 1u);
  EXPECT_EQ(found.first_route, seconds(8));
  EXPECT_EQ(found.most_loss, seconds(3));
  EXPECT_EQ(found.full, std::nullopt);
  EXPECT_EQ(found.blocked, std::nullopt);
}

TEST(Convergence, OfNothingInterruptedIsNotBlocked) {
  const Convergence found = convergence_of({}, 2);
  EXPECT_EQ(found.interrupted, 0u);
  EXPECT_EQ(found.first_route, std::nullopt);
  EXPECT_EQ(found.full, std::nullopt);
  EXPECT_EQ(found.least_loss, std::nullopt);
  EXPECT_EQ(found.blocked, Picos{});
  EXPECT_EQ(convergence_of({}, 0).blocked, std::nullopt);
}

}  // namespace convergence_test

}  // namespace overlane::migration
