#include "dataplane/dpdk/tables/publication.h"

#include <array>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/dpdk/testing/wired_node.h"
#include "dataplane/node/testing/cluster.h"

namespace overlane::dpdk {

namespace disposal_test {

std::shared_ptr<const Generation> some_generation() {
  const auto cluster =
      node::testing::make_cluster({.encapsulation = Encapsulation::Ipip, .nodes = 2});
  auto made = generation(std::make_shared<const node::NodeState>(cluster.nodes[0]));
  EXPECT_TRUE(made) << made.error();
  return *made;
}

TEST(Disposal, FreesWhatNobodyElseHasOnAnotherThread) {
  testing::eal();
  Disposal disposal;
  auto kept = some_generation();
  std::weak_ptr<const Generation> watch = kept;
  disposal.take(kept);
  disposal.tick();
  EXPECT_FALSE(watch.expired()) << "it is still in use";
  kept.reset();
  while (!watch.expired()) {
    disposal.tick();
    std::this_thread::yield();
  }
}

TEST(Disposal, FreesTheRestAtItsEnd) {
  testing::eal();
  std::weak_ptr<const Generation> watch;
  {
    Disposal disposal;
    auto one = some_generation();
    watch = one;
    disposal.take(std::move(one));
  }
  EXPECT_TRUE(watch.expired());
}

}  // namespace disposal_test

namespace publication_test {

constexpr unsigned kReaders = 3;
constexpr std::uint32_t kTables = 200;
constexpr Ipv4Address kPeer{0x0a000001};

Ipv4Address number(std::uint32_t i) {
  return Ipv4Address{0x0b000000 + i};
}

/// Exceptions that only tables with this number have, in two places.
std::shared_ptr<adjacency::PuntFilter> exceptions_of(std::uint32_t i) {
  auto exceptions = std::make_shared<adjacency::PuntFilter>();
  exceptions->add_pair(number(i), kPeer);
  exceptions->add_destination(number(i));
  return exceptions;
}

TEST(Publication, KeepsWhatIsReadUntilItsReaderHasDoneWithIt) {
  Publication publication(2);
  auto first = exceptions_of(0);
  const std::weak_ptr<adjacency::PuntFilter> watch = first;
  publication.publish({nullptr, std::move(first)});
  publication.enter(0);
  const Tables& read = publication.read(0);
  publication.publish({nullptr, exceptions_of(1)});
  publication.publish({nullptr, exceptions_of(2)});
  EXPECT_EQ(publication.old(), 2u);
  EXPECT_TRUE(read.exceptions->has_destination(number(0)));
  EXPECT_TRUE(publication.read(0).exceptions->has_destination(number(2)));
  publication.reclaim();
  EXPECT_EQ(publication.old(), 0u);
  EXPECT_TRUE(watch.expired());

  publication.publish({nullptr, exceptions_of(3)});
  EXPECT_EQ(publication.old(), 1u);
  publication.leave(0);
  publication.reclaim();
  EXPECT_EQ(publication.old(), 0u) << "nobody reads";
  EXPECT_TRUE(publication.latest().exceptions->has_destination(number(3)));
}

TEST(Publication, FreesAtOnceWhatNobodyReads) {
  Publication publication(0);
  auto first = exceptions_of(0);
  const std::weak_ptr<adjacency::PuntFilter> watch = first;
  publication.publish({nullptr, std::move(first)});
  publication.publish({nullptr, exceptions_of(1)});
  EXPECT_TRUE(watch.expired());
}

TEST(Publication, ManyReadersSeeWholeTablesThatOnlyGetNewer) {
  Publication publication(kReaders);
  publication.publish({nullptr, exceptions_of(0)});
  std::atomic<bool> stopped = false;
  std::array<std::uint32_t, kReaders> faults{};
  std::vector<std::thread> threads;
  for (unsigned reader = 0; reader < kReaders; ++reader) {
    publication.enter(reader);
    threads.emplace_back([&, reader] {
      std::uint32_t at = 0;
      while (!stopped.load(std::memory_order_relaxed)) {
        const auto& exceptions = *publication.read(reader).exceptions;
        while (at <= kTables && !exceptions.has_destination(number(at)))
          ++at;
        const bool whole = at <= kTables && exceptions.has_pair(number(at), kPeer) &&
                           exceptions.has_pair(kPeer, number(at)) && exceptions.has_any();
        faults[reader] += !whole;
      }
      publication.leave(reader);
    });
  }
  for (std::uint32_t i = 1; i <= kTables; ++i) {
    const auto exceptions = exceptions_of(i);
    publication.publish({nullptr, exceptions});
    exceptions->add_destination(kPeer);  // Changes the filter while readers use it.
    std::this_thread::yield();
  }
  stopped = true;
  for (std::thread& one : threads)
    one.join();
  publication.reclaim();
  EXPECT_EQ(publication.old(), 0u);
  for (unsigned reader = 0; reader < kReaders; ++reader)
    EXPECT_EQ(faults[reader], 0u);
}

}  // namespace publication_test

}  // namespace overlane::dpdk
