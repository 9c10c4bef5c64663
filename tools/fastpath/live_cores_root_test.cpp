#include <sched.h>

#include <gtest/gtest.h>

#include "dataplane/net/byte_order.h"
#include "dataplane/wire/ethernet.h"
#include "tools/fastpath/testing/frames.h"
#include "tools/fastpath/testing/live.h"

namespace overlane::fastpath {
namespace live_cores_root_test {

constexpr std::size_t kFlows = 16;
constexpr std::size_t kRounds = 40;
/// Datagrams in flight per flow; in total fewer than a tap's queue holds (500, TUN_READQ_SIZE in
/// drivers/net/tun.c).
constexpr std::size_t kSizes[] = {1, 64, 300, 700, 1000, 1400, 8, 1422};
constexpr std::size_t kQueues = 2;

/// The core that sent a tunnel packet: each of the two uses every second identification
/// (dpdk::identification_share).
std::size_t core_of(std::span<const std::uint8_t> frame) {
  constexpr std::size_t kIdentification = wire::kEthernetBytes + 4;
  return load_be16(&frame[kIdentification]) % 2;
}

class Cores : public Live {
 protected:
  void SetUp() override {
    Live::SetUp();
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    sched_getaffinity(0, sizeof allowed, &allowed);
    if (!CPU_ISSET(0, &allowed) || !CPU_ISSET(1, &allowed))
      GTEST_SKIP() << "it needs cores 0 and 1";
    if (IsSkipped()) return;
    const Layout layout{"vxlan", 1450, 1450};
    ASSERT_NO_FATAL_FAILURE(begin_near(layout));
    ASSERT_NO_FATAL_FAILURE(begin_far(layout));
    ASSERT_NO_FATAL_FAILURE(start_fast_path(input_of(layout) + " --cores 0,1"));
  }
};

TEST_F(Cores, FlowsAreSpreadOverBothCoresAndKeepTheirOrder) {
  std::vector<std::unique_ptr<Flow>> flows;
  for (std::size_t i = 0; i < kFlows; ++i) {
    const bool from_near = i % 2 == 0;
    auto opened = Datagrams::open(from_near ? near->near_pod : far->far_pod,
                                  from_near ? kFarPod : kNearPod, Df::Set);
    ASSERT_TRUE(opened) << opened.error();
    auto socket = std::make_shared<Datagrams>(std::move(*opened));
    // After the first answer, the tap moves the flow to the queue that the answer came from
    // (tun_automq_select_queue): no packet may be in flight then.
    for (int times = 0; times < 2; ++times)
      ASSERT_EQ(socket->exchange(100), "");
    flows.push_back(std::make_unique<Flow>([socket] { return socket->exchange_in_order(kSizes); }));
  }
  for (const auto& flow : flows)
    EXPECT_TRUE(comes_true([&] { return flow->rounds() >= kRounds; }));
  for (const auto& flow : flows)
    EXPECT_EQ(flow->end(), "");
  const auto report = finish(kQueues);
  EXPECT_EQ(report["drops"], nlohmann::json::object());
  const auto full_path = report["packets"]["full_path"].get<std::size_t>();
  EXPECT_LT(full_path, kFlows * kRounds);
  for (const std::size_t core : {0, 1}) {
    const auto sent = recorder->out(
        kUplinkWire, [&](auto frame) { return is_vxlan(frame) && core_of(frame) == core; });
    EXPECT_GT(sent, full_path + kRounds) << "core " << core;
  }
}

TEST_F(Cores, StreamsAndFragmentsPassBothCores) {
  std::vector<std::unique_ptr<Flow>> flows;
  for (std::size_t i = 0; i < kFlows; ++i) {
    const bool from_near = i % 2 == 0;
    const auto& from = from_near ? near->near_pod : far->far_pod;
    flows.push_back(std::make_unique<Flow>([&from, to = from_near ? kFarPod : kNearPod, i] {
      if (i % 4 < 2) {
        return exchange_streams(from, to, std::vector<std::size_t>{1, 1410, 1411, 50'000});
      }
      return exchange_datagrams(from, to, Df::Clear, std::vector<std::size_t>{1422, 1423, 9000});
    }));
  }
  for (const auto& flow : flows)
    EXPECT_TRUE(comes_true([&] { return flow->rounds() >= 3; }));
  for (const auto& flow : flows)
    EXPECT_EQ(flow->end(), "");
  EXPECT_EQ(finish(kQueues)["drops"], nlohmann::json::object());
}

}  // namespace live_cores_root_test
}  // namespace overlane::fastpath
