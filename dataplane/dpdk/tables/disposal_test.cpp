#include "dataplane/dpdk/tables/disposal.h"

#include <thread>

#include <gtest/gtest.h>

#include "dataplane/dpdk/testing/running_eal.h"
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
  EXPECT_FALSE(watch.expired()) << "somebody has it";
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
}  // namespace overlane::dpdk
