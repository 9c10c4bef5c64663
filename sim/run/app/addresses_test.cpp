#include "sim/run/app/addresses.h"

#include <set>

#include <gtest/gtest.h>

namespace overlane::run {

namespace ephemeral_ports_test {

TEST(EphemeralPorts, FlowsOfTheSamePodsShareTheRangeAndNoPort) {
  constexpr std::uint32_t kFlows = 3;
  std::set<std::uint16_t> all;
  std::size_t taken = 0;
  for (std::uint16_t flow = 0; flow < kFlows; ++flow) {
    const auto first =
        static_cast<std::uint16_t>(60'998 + flow <= 60'999 ? 60'998 + flow : kFirstPort);
    EphemeralPorts ports(first, kFlows);
    all.insert(first);
    ++taken;
    for (std::uint32_t i = 1; i < kPorts / kFlows; ++i) {
      EXPECT_EQ(ports.next_free_at(), Picos{});
      all.insert(ports.take());
      ++taken;
    }
  }
  EXPECT_EQ(all.size(), taken);
  EXPECT_GE(*all.begin(), kFirstPort);
  EXPECT_LE(*all.rbegin(), 60'999);
}

TEST(EphemeralPorts, APortComesAgainWhenItsTimeWaitIsOver) {
  EphemeralPorts ports(40'000, kPorts / 2);  // Two of them.
  ports.hold_until(seconds(60));
  EXPECT_EQ(ports.next_free_at(), Picos{});
  const std::uint16_t second = ports.take();
  EXPECT_NE(second, 40'000);
  ports.hold_until(seconds(61));
  EXPECT_EQ(ports.next_free_at(), seconds(60));
  EXPECT_EQ(ports.take(), 40'000);
  EXPECT_EQ(ports.next_free_at(), seconds(61));
}

TEST(EphemeralPorts, MoreFlowsThanPortsHaveOneEach) {
  EphemeralPorts ports(50'000, kPorts + 1);
  ports.hold_until(seconds(60));
  EXPECT_EQ(ports.next_free_at(), seconds(60));
  EXPECT_EQ(ports.take(), 50'000);
}

}  // namespace ephemeral_ports_test

}  // namespace overlane::run
