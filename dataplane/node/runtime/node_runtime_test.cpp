#include "dataplane/node/runtime/node_runtime.h"

#include <algorithm>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/node/state/world.h"
#include "sim/random/stream.h"

namespace overlane::node {
namespace node_runtime_test {

constexpr ReassemblyKey kKey{Ipv4Address{1}, Ipv4Address{2}, 3, 17};

Fragment fragment(std::uint32_t begin, std::uint32_t end, bool last = false) {
  return {.begin = begin,
          .end = end,
          .last = last,
          .header = {.ttl = static_cast<std::uint8_t>(begin == 0 ? 64 : 1)}};
}

/// Returns the packet whose reassembly timed out with its first fragment and `fragments` fragments
/// in total.
std::vector<ReassemblyTable::Expired> lost(std::int64_t fragments) {
  return {{.key = kKey, .fragments = fragments, .first = fragment(0, 8).header, .first_end = 8}};
}

TEST(Reassembly, IsCompleteWhenTheLastGapIsFilledInAnyOrder) {
  std::vector<Fragment> fragments{fragment(0, 8), fragment(8, 24), fragment(24, 32),
                                  fragment(32, 37, true)};
  std::ranges::sort(fragments, {}, &Fragment::begin);
  do {
    ReassemblyTable table;
    for (std::size_t i = 0; i + 1 < fragments.size(); ++i) {
      const auto result = table.add(kKey, fragments[i], {});
      EXPECT_FALSE(result.drop || result.whole);
    }
    const auto result = table.add(kKey, fragments.back(), {});
    ASSERT_TRUE(result.whole);
    EXPECT_EQ(result.payload_bytes, 37u);
    EXPECT_EQ(result.whole->ttl, 64) << "the first fragment's header speaks for the whole";
    EXPECT_EQ(table.fragments(), 0u);
    EXPECT_FALSE(table.next_expiry());
  } while (std::ranges::next_permutation(fragments, {}, &Fragment::begin).found);
}

TEST(Reassembly, RefusesSomeFragmentsAloneAndForSomeGivesThePacketUp) {
  struct Row {
    const char* what;
    std::vector<Fragment> held;
    Fragment refused;
    bool given_up;
  };
  const Row rows[] = {
      {"empty", {}, fragment(8, 8), false},
      {"empty once cut to a multiple of 8", {}, fragment(0, 7), false},
      {"beyond 65,535 bytes", {}, fragment(65'512, 65'520), false},
      {"a duplicate", {fragment(0, 8)}, fragment(0, 8), false},
      {"a part of what is there", {fragment(0, 8), fragment(8, 16)}, fragment(8, 16), false},
      {"the end once more", {fragment(8, 16, true)}, fragment(8, 16, true), false},
      {"an overlap in front", {fragment(8, 24)}, fragment(0, 16), true},
      {"an overlap behind", {fragment(8, 24)}, fragment(16, 32), true},
      {"all of what is there", {fragment(8, 16)}, fragment(0, 24), true},
      {"parts of two runs", {fragment(8, 16), fragment(0, 8)}, fragment(0, 16), true},
      {"beyond the end", {fragment(8, 16, true)}, fragment(16, 24), true},
      {"a second end", {fragment(8, 16, true)}, fragment(0, 8, true), true},
      {"an end before what is there", {fragment(16, 24)}, fragment(8, 12, true), true},
  };
  for (const Row& row : rows) {
    ReassemblyTable table;
    for (const Fragment& held : row.held)
      EXPECT_FALSE(table.add(kKey, held, {}).drop) << row.what;
    const auto result = table.add(kKey, row.refused, {});
    EXPECT_EQ(result.drop, Drop::Malformed) << row.what;
    EXPECT_EQ(result.given_up, row.given_up) << row.what;
    EXPECT_EQ(table.fragments(), row.given_up ? 0 : row.held.size()) << row.what;
    std::vector<ReassemblyTable::Expired> given_up;
    if (row.given_up) {
      given_up = {{kKey, static_cast<std::int64_t>(row.held.size()), Drop::Malformed}};
    }
    EXPECT_EQ(table.expire({}), given_up) << row.what;
  }
}

TEST(Reassembly, CutsAFragmentToAMultipleOfEightInIpv4AndRefusesItInIpv6) {
  ReassemblyTable table;
  EXPECT_FALSE(table.add(kKey, fragment(0, 17), {}).drop);
  const auto whole = table.add(kKey, fragment(16, 20, true), {});
  ASSERT_TRUE(whole.whole);
  EXPECT_EQ(whole.payload_bytes, 20u);

  const IpAddress ipv6 = IpAddress::parse("fd00::1").value();
  EXPECT_EQ(table.add({ipv6, ipv6 + 1, 3, 0}, fragment(0, 17), {}).drop, Drop::Malformed);
}

TEST(Reassembly, MergesTheEcnFields) {
  struct Row {
    const char* what;
    std::vector<std::uint8_t> fields;
    std::optional<std::uint8_t> whole;
  };
  const Row rows[] = {
      {"Not-ECT", {0, 0}, 0},
      {"ECT(0)", {2, 2}, 2},
      {"both ECT: the first's", {1, 2}, 1},
      {"CE of any", {2, 3}, 3},
      {"CE and ECT(1)", {3, 1}, 3},
      {"CE throughout", {3, 3}, 3},
      {"Not-ECT and ECT", {0, 2}, {}},
      {"Not-ECT and CE", {3, 0}, {}},
  };
  for (const Row& row : rows) {
    ReassemblyTable table;
    Fragment first = fragment(0, 8);
    Fragment second = fragment(8, 16, true);
    first.header.tos = static_cast<std::uint8_t>(0xb8 | row.fields[0]);
    second.header.tos = row.fields[1];
    EXPECT_FALSE(table.add(kKey, first, {}).drop);
    const auto result = table.add(kKey, second, {});
    EXPECT_EQ(result.whole.has_value(), row.whole.has_value()) << row.what;
    if (row.whole) {
      EXPECT_EQ(result.whole->tos, 0xb8 | *row.whole) << row.what;
      continue;
    }
    EXPECT_EQ(result.drop, Drop::EcnCorrupted) << row.what;
    EXPECT_EQ(table.expire({}),
              (std::vector<ReassemblyTable::Expired>{{kKey, 1, Drop::EcnCorrupted}}))
        << row.what;
    EXPECT_EQ(table.fragments(), 0u) << row.what;
  }
}

TEST(Reassembly, GivesUpAfterThirtySecondsAndCountsTheFragments) {
  ReassemblyTable table;
  ReassemblyKey other = kKey;
  other.identification = 4;
  table.add(kKey, fragment(0, 8), seconds(1));
  table.add(other, fragment(0, 8), seconds(2));
  table.add(kKey, fragment(8, 16), seconds(20));
  EXPECT_EQ(table.next_expiry(), seconds(31)) << "counted from the first fragment";
  EXPECT_TRUE(table.expire(seconds(31) - picoseconds(1)).empty());
  EXPECT_EQ(table.expire(seconds(31)), lost(2));
  EXPECT_EQ(table.next_expiry(), seconds(32));
  EXPECT_FALSE(table.add(kKey, fragment(16, 20, true), seconds(31)).whole) << "starts afresh";
  EXPECT_EQ(table.expire(seconds(100)).size(), 2u);
  EXPECT_EQ(table.fragments(), 0u);
}

TEST(Reassembly, AFragmentThatComesTooLateFindsNothingEvenIfNobodyAskedForTheExpired) {
  ReassemblyTable table;
  table.add(kKey, fragment(0, 8), {});
  EXPECT_FALSE(table.add(kKey, fragment(8, 16, true), seconds(30)).whole);
  EXPECT_EQ(table.expire(seconds(30)), lost(1));
}

TEST(Reassembly, WaitsAMinuteInIpv6) {
  ReassemblyTable table;
  const IpAddress ipv6 = IpAddress::parse("fd00::1").value();
  table.add({ipv6, ipv6 + 1, 3, 0}, fragment(0, 8), {});
  EXPECT_EQ(table.next_expiry(), seconds(60));
}

TEST(Reassembly, TellsNobodyWhoseFirstFragmentDidNotCome) {
  ReassemblyTable table;
  table.add(kKey, fragment(8, 16), {});
  EXPECT_FALSE(table.expire(seconds(30)).at(0).first);
}

TEST(Reassembly, RemembersTheFragmentsAndWhetherTheLargestHadDf) {
  struct Row {
    const char* what;
    std::vector<bool> df;
    bool whole;
  };
  const Row rows[] = {
      {"none", {false, false, false}, false},
      {"a smaller one", {true, false, false}, false},
      {"one of the two largest", {false, false, true}, true},
      {"all", {true, true, true}, true},
  };
  for (const Row& row : rows) {
    ReassemblyTable table;
    std::vector<Fragment> fragments{fragment(0, 8), fragment(8, 24), fragment(24, 40, true)};
    for (std::size_t i = 0; i < fragments.size(); ++i)
      fragments[i].header.dont_fragment = row.df[i];
    table.add(kKey, fragments[2], {});
    table.add(kKey, fragments[0], {});
    const auto whole = table.add(kKey, fragments[1], {});
    EXPECT_EQ(whole.ends, (std::vector<std::uint32_t>{8, 24, 40}));
    ASSERT_TRUE(whole.whole);
    EXPECT_EQ(whole.whole->dont_fragment, row.whole) << row.what;
  }
}

TEST(Reassembly, GivesUpWhatItIsToldTo) {
  ReassemblyTable table;
  table.add(kKey, fragment(0, 8), {});
  table.give_up(kKey);
  table.give_up(kKey);
  EXPECT_EQ(table.fragments(), 0u);
  EXPECT_EQ(table.expire({}).at(0).drop, Drop::Malformed);
}

TEST(Reassembly, IsBounded) {
  ReassemblyTable table;
  ReassemblyKey key = kKey;
  for (std::uint16_t i = 0; i < kReassemblyFragments; ++i) {
    key.identification = i;
    EXPECT_FALSE(table.add(key, fragment(0, 8), {}).drop);
  }
  EXPECT_EQ(table.add(key, fragment(8, 16), {}).drop, Drop::ReassemblyOverflow);
  EXPECT_FALSE(table.add(key, fragment(8, 16), reassembly_timeout(Family::Ipv4)).drop);
}

TEST(Reassembly, AgreesWithABitmapOnRandomFragments) {
  RandomStream random(1, StreamUse::Pattern, 13);
  int completed = 0;
  for (int packet = 0; packet < 3000; ++packet) {
    ReassemblyTable table;
    std::set<std::uint32_t> units;
    const auto total = static_cast<std::uint32_t>(2 + random.below(6));
    bool end_seen = false;
    for (int i = 0; i < 20; ++i) {
      const auto begin = static_cast<std::uint32_t>(random.below(total));
      const auto end = static_cast<std::uint32_t>(begin + 1 + random.below(total - begin));
      bool fresh = true;
      for (std::uint32_t unit = begin; unit < end; ++unit)
        fresh = fresh && !units.contains(unit);
      const auto result = table.add(kKey, fragment(begin * 8, end * 8, end == total), {});
      EXPECT_EQ(result.drop.has_value(), !fresh);
      if (result.given_up) {
        EXPECT_EQ(table.fragments(), 0u);
        units.clear();
        end_seen = false;
      }
      if (!fresh) continue;
      for (std::uint32_t unit = begin; unit < end; ++unit)
        units.insert(unit);
      end_seen = end_seen || end == total;
      EXPECT_EQ(result.whole.has_value(), end_seen && units.size() == total);
      if (result.whole) {
        ++completed;
        break;
      }
    }
  }
  EXPECT_GT(completed, 1500);
}

TEST(PathMtu, HoldsForTenMinutesAndOnlyGoesDown) {
  PathMtuCache cache;
  EXPECT_FALSE(cache.find(Ipv4Address{1}, {}));
  cache.learn(Ipv4Address{1}, 1400, seconds(5));
  EXPECT_EQ(cache.find(Ipv4Address{1}, seconds(5))->mtu, 1400u);
  cache.learn(Ipv4Address{1}, 1450, seconds(6));
  EXPECT_EQ(cache.find(Ipv4Address{1}, seconds(6))->mtu, 1400u)
      << "a larger announcement is ignored";
  EXPECT_FALSE(cache.find(Ipv4Address{2}, seconds(6)));
  EXPECT_EQ(cache.find(Ipv4Address{1}, seconds(605) - picoseconds(1))->mtu, 1400u);
  EXPECT_FALSE(cache.find(Ipv4Address{1}, seconds(605)));
  cache.learn(Ipv4Address{1}, 1450, seconds(605));
  EXPECT_EQ(cache.find(Ipv4Address{1}, seconds(605))->mtu, 1450u)
      << "after expiry anything is news";
}

TEST(PathMtu, NeverGoesBelowTheKernelsMinimum) {
  PathMtuCache cache;
  cache.learn(Ipv4Address{1}, 68, {});
  EXPECT_EQ(cache.find(Ipv4Address{1}, {}), (PathMtu{kPathMtuMinimum, true}));
  cache.learn(Ipv4Address{2}, 552, {});
  EXPECT_EQ(cache.find(Ipv4Address{2}, {}), (PathMtu{552, false}));
  const IpAddress ipv6 = IpAddress::parse("fd00::1").value();
  cache.learn(ipv6, 600, {});
  EXPECT_EQ(cache.find(ipv6, {}), (PathMtu{1280, false}));
}

TEST(PathMtu, IsBoundedAndForgetsTheOldest) {
  PathMtuCache cache;
  for (std::uint32_t i = 0; i <= kPathMtuEntries; ++i)
    cache.learn(Ipv4Address{i}, 1400, picoseconds(i));
  EXPECT_EQ(cache.size(), kPathMtuEntries);
  EXPECT_FALSE(cache.find(Ipv4Address{0}, seconds(1)));
  EXPECT_TRUE(cache.find(Ipv4Address{1}, seconds(1)));
}

TEST(Identification, CountsPerDestinationBucketAndWrapsAround) {
  IdentificationCounters counters;
  EXPECT_EQ(counters.next(Ipv4Address{1}), 0);
  EXPECT_EQ(counters.next(Ipv4Address{1}), 1);
  for (int i = 2; i < 65'536; ++i)
    counters.next(Ipv4Address{1});
  EXPECT_EQ(counters.next(Ipv4Address{1}), 0);
}

TEST(Identification, SharesNeverMeet) {
  constexpr std::uint16_t kSharers = 4;
  std::vector<std::uint16_t> numbers;
  for (std::uint16_t share = 0; share < kSharers; ++share) {
    IdentificationCounters counters(share, kSharers);
    for (int i = 0; i < 65'536 / kSharers; ++i)
      numbers.push_back(counters.next(Ipv4Address{1}));
    EXPECT_EQ(counters.next(Ipv4Address{1}), share);
  }
  std::ranges::sort(numbers);
  EXPECT_EQ(std::ranges::adjacent_find(numbers), numbers.end());
}

TEST(NodeRuntime, ForgetsUdpConnectionsToFormerEndpoints) {
  const IpAddress client = Ipv4Address{0x0a000001};
  const IpAddress front = Ipv4Address{0x64000014};
  const IpAddress former = Ipv4Address{0x0a000102};
  const IpAddress now = Ipv4Address{0x0a000202};
  NodeRuntime runtime;
  const auto connect = [&](std::uint8_t protocol, std::uint16_t port, IpAddress endpoint) {
    Track track =
        runtime.connections.track({client, front, port, 80, protocol}, kTrackedSyn, Picos{});
    ConntrackTable::redirect(track, endpoint, 8080);
    EXPECT_FALSE(runtime.connections.confirm(track, "eth0", Picos{}));
  };
  connect(kTrackedUdp, 1000, former);
  connect(kTrackedUdp, 1001, now);
  connect(kTrackedTcp, 1000, former);

  ClusterTable cluster;
  NodeState state{.self = cluster.add({.name = "node-1"})};
  state.cluster = std::make_shared<const ClusterTable>(std::move(cluster));
  const auto with_endpoint = [&](IpAddress endpoint) {
    std::vector<Service> services;
    for (const std::uint8_t protocol : {kTrackedTcp, kTrackedUdp})
      services.push_back({{front, 80, protocol}, {{endpoint, 8080}}});
    return std::make_shared<const ServiceTable>(
        ServiceTable::make(ServiceProxy::Iptables, std::move(services), {}).value());
  };
  NodeEditor editor(state);
  editor.set_services(with_endpoint(now));
  forget(runtime, state, editor.take());
  const std::vector<Connection> left = runtime.connections.connections();
  ASSERT_EQ(left.size(), 2u);
  EXPECT_EQ(left[0].original.protocol, kTrackedTcp);
  EXPECT_EQ(left[1].reply.source, now);
}

}  // namespace node_runtime_test
}  // namespace overlane::node
