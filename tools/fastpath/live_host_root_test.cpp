#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dataplane/kernel/experiment/packet_port.h"
#include "dataplane/kernel/namespaces/network_namespace.h"
#include "tools/fastpath/testing/live.h"

namespace overlane::fastpath {
namespace live_host_root_test {

using Host = Live;

TEST_F(Host, KernelBehindTheHostPortIsTheNode) {
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
  EXPECT_EQ(exchange_all_sizes(near->near_pod, kNearNode, 1450), "");
  EXPECT_EQ(exchange_all_sizes(far->far_node, kNearNode, 1450), "");
  EXPECT_EQ(exchange_all_sizes(near->middle, kNearPod, 1450), "");
  EXPECT_EQ(exchange_all_sizes(near->middle, kFarPod, 1450), "");
  const auto report = finish();
  EXPECT_EQ(report["drops"], nlohmann::json::object());
  EXPECT_GT(report["packets"]["to_host"], 0);
}

}  // namespace live_host_root_test
}  // namespace overlane::fastpath
