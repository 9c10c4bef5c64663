#include "dataplane/adjacency/punt_filter.h"

#include <gtest/gtest.h>

namespace overlane::adjacency {

namespace renewed_punt_filter_test {

constexpr std::uint16_t kMany = 2000;
constexpr Ipv4Address kServer{0x0a000001};
const Ipv4Address kRouter{0x0a000002};

Ipv4Address client(std::uint32_t number) {
  return Ipv4Address{0x64000000 + number};
}

node::ConntrackTuple udp(std::uint32_t number) {
  return {.source = client(number),
          .destination = kServer,
          .source_port = 1000,
          .destination_port = 53,
          .protocol = node::kTrackedUdp};
}

/// A node with its punt filter.
struct Running {
  node::NodeRuntime runtime;
  RenewedPuntFilter keeper;

  void pass(std::uint32_t number, Picos now) {
    runtime.connections.checkpoint();
    node::Track track = runtime.connections.track(udp(number), 0, now);
    runtime.connections.confirm(track, {}, now);
    keeper.learn(runtime);
  }
  bool knows(std::uint32_t number) const {
    return keeper.current()->has_pair(client(number), kServer);
  }
  /// Runs steps until the filter is replaced. Returns false if that takes too long.
  bool renew(Picos now) {
    for (int step = 0; step < kMany; ++step) {
      if (keeper.renew(runtime, now)) return true;
    }
    return false;
  }
};

TEST(RenewedPuntFilter, ForgetsConnectionsThatHaveExpired) {
  Running node;
  for (std::uint32_t i = 0; i < kMany; ++i)
    node.pass(i, {});
  EXPECT_TRUE(node.knows(0));
  EXPECT_FALSE(node.renew(kRenewal - picoseconds(1))) << "it is not due";
  ASSERT_TRUE(node.renew(kRenewal));
  EXPECT_FALSE(node.knows(0)) << "it expired at that moment";
  EXPECT_FALSE(node.keeper.current()->has_any());
}

TEST(RenewedPuntFilter, KeepsWhatLivesWhatComesAndWhatIsPassedByWhileItRenews) {
  Running node;
  for (std::uint32_t i = 0; i < kMany; ++i)
    node.pass(i, i % 2 == 0 ? seconds(0) : seconds(10));
  std::uint32_t step = 0;
  while (!node.keeper.renew(node.runtime, kRenewal)) {
    node.pass(kMany + step, kRenewal);          // A new connection.
    node.pass(2 * step + 1, kRenewal);          // A connection that stays alive.
    node.pass(kMany - 2 * step - 2, kRenewal);  // A connection that had expired and comes back.
    ++step;
  }
  ASSERT_GT(step, 2u);
  for (std::uint32_t i = 1; i < kMany; i += 2)
    EXPECT_TRUE(node.knows(i)) << i;
  for (std::uint32_t i = 0; i < step; ++i) {
    EXPECT_TRUE(node.knows(kMany + i)) << i;
    EXPECT_TRUE(node.knows(kMany - 2 * i - 2)) << i;
  }
  std::uint32_t named = 0;
  for (std::uint32_t i = 0; i < kMany / 2; i += 2)
    named += node.knows(i);
  EXPECT_LT(named, kMany / 100) << "a filter names a few for nothing";
}

TEST(RenewedPuntFilter, WhoeverStillReadsByTheOldOneMissesNothing) {
  Running node;
  node.pass(1, {});
  auto old = node.keeper.current();
  ASSERT_TRUE(node.renew(kRenewal));
  ASSERT_NE(node.keeper.current(), old);
  node.pass(2, kRenewal);
  EXPECT_TRUE(old->has_pair(client(2), kServer));
  EXPECT_TRUE(node.knows(2));
  EXPECT_FALSE(node.renew(kRenewal * 10)) << "a third one while two are read";
  old.reset();
  EXPECT_TRUE(node.renew(kRenewal * 10));
}

TEST(RenewedPuntFilter, KeepsPathMtusAsLongAsTheyHold) {
  Running node;
  const auto learn = [&](Ipv4Address destination, Picos now) {
    node.runtime.path_mtus.learn(destination, 1400, now);
    node.runtime.connections.checkpoint();
    node.keeper.learn(node.runtime);
  };
  learn(kRouter, {});
  EXPECT_TRUE(node.keeper.current()->has_destination(kRouter));
  ASSERT_TRUE(node.renew(kRenewal));
  EXPECT_TRUE(node.keeper.current()->has_destination(kRouter));
  ASSERT_TRUE(node.renew(node::kPathMtuExpiry));
  EXPECT_FALSE(node.keeper.current()->has_destination(kRouter));
  learn(kServer, node::kPathMtuExpiry);
  EXPECT_TRUE(node.keeper.current()->has_destination(kServer));
}

}  // namespace renewed_punt_filter_test

}  // namespace overlane::adjacency
