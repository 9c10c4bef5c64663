#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dataplane/kernel/packet_port.h"
#include "tools/fastpath/testing/live.h"

namespace overlane::fastpath {
namespace {

class Host : public Live {
 protected:
  void expect_exchange(const kernel::NetworkNamespace& from, const std::string& to) {
    constexpr std::size_t kHeaders = 28;
    for (const Df df : {Df::Set, Df::Clear}) {
      auto datagrams = Datagrams::open(from, to, df);
      ASSERT_TRUE(datagrams) << datagrams.error();
      for (const std::size_t size : fitting(1450, kHeaders))
        EXPECT_EQ(datagrams->exchange(size), "") << "to " << to;
    }
    auto datagrams = Datagrams::open(from, to, Df::Clear);
    ASSERT_TRUE(datagrams) << datagrams.error();
    for (const std::size_t size : beyond(1450, kHeaders))
      EXPECT_EQ(datagrams->exchange(size), "") << "to " << to;
    EXPECT_EQ(exchange_streams(from, to, std::vector<std::size_t>{1, 1000, 100'000}), "")
        << "to " << to;
  }
};

TEST_F(Host, AKernelBehindTheHostPortIsTheNodeItself) {
  const Layout layout{"vxlan", 1450, 1450};
  ASSERT_NO_FATAL_FAILURE(begin_near(layout));
  ASSERT_NO_FATAL_FAILURE(begin_far(layout));
  ASSERT_NO_FATAL_FAILURE(start_fast_path(input_of(layout) + " --host net_tap2,iface=thost"));
  ASSERT_TRUE(kernel::make_ready(near->middle, "thost"));
  const auto made = ip(near->middle, {fmt::format("address add {}/32 dev thost", kNearNode),
                                      "route add 169.254.1.1 dev thost scope link",
                                      "route add default via 169.254.1.1 dev thost mtu 1450"});
  ASSERT_TRUE(made) << made.error();
  const auto echo = Echo::start(near->middle);
  ASSERT_TRUE(echo) << echo.error();
  expect_exchange(near->near_pod, kNearNode);
  expect_exchange(far->far_node, kNearNode);
  expect_exchange(near->middle, kNearPod);
  expect_exchange(near->middle, kFarPod);
  const auto report = finish();
  EXPECT_EQ(report["drops"], nlohmann::json::object());
  EXPECT_GT(report["packets"]["to_host"], 0);
}

}  // namespace
}  // namespace overlane::fastpath
