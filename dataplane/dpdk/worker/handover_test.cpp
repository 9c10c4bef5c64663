#include "dataplane/dpdk/worker/handover.h"

#include <rte_mbuf.h>

#include <gtest/gtest.h>

#include "dataplane/dpdk/io/packet_pool.h"
#include "dataplane/dpdk/testing/running_eal.h"

namespace overlane::dpdk {
namespace handover_test {

TEST(Handover, KeepsTheOrderAndCountsWhatItHasNoRoomFor) {
  testing::eal();
  const auto pool = PacketPool::make(1023, 2048);
  ASSERT_TRUE(pool) << pool.error();
  {
    auto handover = Handover::make(8);
    ASSERT_TRUE(handover) << handover.error();
    std::array<rte_mbuf*, 10> packets;
    for (rte_mbuf*& packet : packets)
      packet = rte_pktmbuf_alloc(pool->get());
    (*handover)->give(std::span(packets).first(5));
    (*handover)->give(std::span(packets).last(5));
    EXPECT_EQ((*handover)->refused(), 3u);
    EXPECT_EQ(pool->in_use(), 7u);
    std::array<rte_mbuf*, 6> taken;
    ASSERT_EQ((*handover)->take(taken), 6u);
    for (std::size_t i = 0; i < taken.size(); ++i)
      EXPECT_EQ(taken[i], packets[i]);
    rte_pktmbuf_free_bulk(taken.data(), taken.size());
  }
  EXPECT_EQ(pool->in_use(), 0u) << "what nobody took is freed";
}

}  // namespace handover_test
}  // namespace overlane::dpdk
