#include "dataplane/node/runtime/icmp_limit.h"

#include <gtest/gtest.h>

namespace overlane::node {

namespace icmp_limit_test {

IpAddress ip(const char* text) {
  return IpAddress::parse(text).value();
}

constexpr std::uint8_t kTimeExceeded = 11;

bool time_exceeded(IcmpLimit& limit, IpAddress destination, Picos now) {
  return limit.allow(kTimeExceeded, 0, destination, 32, now);
}

TEST(IcmpLimit, KnowsWhatIsLimited) {
  struct Row {
    const char* what;
    bool ipv4;
    std::uint8_t type;
    std::uint8_t code;
    bool limited;
  };
  const Row rows[] = {
      {"echo reply", true, 0, 0, false},
      {"host unreachable", true, 3, 1, true},
      {"fragmentation needed", true, 3, 4, false},
      {"source quench", true, 4, 0, true},
      {"redirect", true, 5, 0, false},
      {"time exceeded", true, 11, 0, true},
      {"parameter problem", true, 12, 0, true},
      {"a type of no meaning", true, 40, 0, false},
      {"IPv6 no route", false, 1, 0, true},
      {"IPv6 packet too big", false, 2, 0, false},
      {"IPv6 time exceeded", false, 3, 0, true},
      {"IPv6 echo reply", false, 129, 0, false},
  };
  for (const Row& row : rows)
    EXPECT_EQ(is_icmp_limited(row.ipv4, row.type, row.code), row.limited) << row.what;
}

TEST(IcmpLimit, SixAtOnceToADestinationThenOneASecond) {
  IcmpLimit limit;
  for (int i = 0; i < 6; ++i)
    EXPECT_TRUE(time_exceeded(limit, ip("10.0.0.1"), seconds(1))) << i;
  EXPECT_FALSE(time_exceeded(limit, ip("10.0.0.1"), seconds(1)));
  EXPECT_TRUE(time_exceeded(limit, ip("10.0.0.2"), seconds(1))) << "each has its own bucket";
  EXPECT_FALSE(time_exceeded(limit, ip("10.0.0.1"), seconds(2) - picoseconds(1)));
  EXPECT_TRUE(time_exceeded(limit, ip("10.0.0.1"), seconds(2)));
  EXPECT_FALSE(time_exceeded(limit, ip("10.0.0.1"), seconds(2)));
}

TEST(IcmpLimit, RouteErrorsCostTwice) {
  IcmpLimit limit;
  const IpAddress pod = ip("10.0.0.1");
  const auto unreachable = [&](Picos now) {
    return limit.allow_route_error(pod, now) && limit.allow(3, 1, pod, 32, now);
  };
  int sent = 0;
  for (int i = 0; i < 20; ++i)
    sent += unreachable(seconds(1));
  EXPECT_EQ(sent, 2);
  EXPECT_FALSE(unreachable(seconds(2)));
  EXPECT_TRUE(limit.allow_route_error(ip("fd00::1"), {})) << "not in IPv6";
  EXPECT_EQ(limit.destinations(), 1u);

  IcmpLimit rested;
  sent = 0;
  for (int i = 0; i < 20; ++i)
    sent += rested.allow_route_error(pod, seconds(1)) && rested.allow(3, 0, pod, 32, seconds(1));
  for (int i = 0; i < 5; ++i)
    sent += rested.allow_route_error(pod, seconds(3)) && rested.allow(3, 0, pod, 32, seconds(3));
  EXPECT_EQ(sent, 3) << "two at once, and one after two seconds";
}

TEST(IcmpLimit, NeverHoldsBackPathMtuDiscovery) {
  IcmpLimit limit;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_TRUE(limit.allow(3, 4, ip("10.0.0.1"), 32, {}));
    EXPECT_TRUE(limit.allow(2, 0, ip("fd00::1"), 128, {}));
  }
  EXPECT_EQ(limit, IcmpLimit{}) << "and spends nothing";
}

TEST(IcmpLimit, AllDestinationsShareFiftyAtOnceAndAThousandASecond) {
  IcmpLimit limit;
  const auto sent = [&](int messages, Picos now) {
    int count = 0;
    for (int i = 0; i < messages; ++i) {
      const IpAddress destination{Ipv4Address{static_cast<std::uint32_t>(now.count / 1000 + i)}};
      count += time_exceeded(limit, destination, now) ? 1 : 0;
    }
    return count;
  };
  EXPECT_EQ(sent(100, seconds(10)), 50);
  EXPECT_EQ(sent(100, seconds(10) + milliseconds(19)), 0) << "filled in steps of 20 ms";
  EXPECT_EQ(sent(100, seconds(10) + milliseconds(20)), 20);
  EXPECT_EQ(sent(100, seconds(10) + milliseconds(45)), 25);
  EXPECT_EQ(sent(100, seconds(12)), 50) << "never more than the burst";
}

TEST(IcmpLimit, ADestinationThatIsHeldBackCostsTheOthers) {
  IcmpLimit limit;
  for (int i = 0; i < 50; ++i)
    time_exceeded(limit, ip("10.0.0.1"), seconds(1));
  EXPECT_FALSE(time_exceeded(limit, ip("10.0.0.2"), seconds(1)));
}

TEST(IcmpLimit, WiderIpv6RoutesAllowMore) {
  struct Row {
    std::uint8_t route_length;
    Picos interval;
  };
  for (const Row& row : {Row{128, seconds(1)}, Row{97, seconds(1)}, Row{96, milliseconds(500)},
                         Row{64, milliseconds(250)}, Row{0, microseconds(62'500)}}) {
    IcmpLimit limit;
    const auto send = [&](Picos now) {
      return limit.allow(3, 0, ip("fd00::1"), row.route_length, now);
    };
    for (int i = 0; i < 6; ++i)
      EXPECT_TRUE(send(seconds(1)));
    EXPECT_FALSE(send(seconds(1) + row.interval - picoseconds(1))) << int{row.route_length};
    EXPECT_TRUE(send(seconds(1) + row.interval)) << int{row.route_length};
  }
}

TEST(IcmpLimit, ForgetsADestinationOnceItsBucketIsFull) {
  IcmpLimit limit;
  for (std::uint32_t i = 0; i < 200'000; ++i)
    time_exceeded(limit, IpAddress{Ipv4Address{i}}, microseconds(std::int64_t{i} * 500));
  EXPECT_GT(limit.destinations(), 5'900u);
  EXPECT_LE(limit.destinations(), 6'050u);
  time_exceeded(limit, ip("10.0.0.1"), seconds(200));
  EXPECT_EQ(limit.destinations(), 1u);
}

}  // namespace icmp_limit_test

}  // namespace overlane::node
