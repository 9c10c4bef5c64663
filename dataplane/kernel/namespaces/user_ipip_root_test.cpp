#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataplane/kernel/namespaces/user_ipip.h"
#include "dataplane/kernel/set_up/run_commands.h"
#include "dataplane/kernel/traffic/probes.h"

namespace overlane::kernel {
namespace user_ipip_root_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

void run(const NetworkNamespace& place, const NetworkNamespace& other,
         const std::vector<std::string>& lines) {
  std::vector<Command> commands;
  for (const std::string& line : lines)
    commands.push_back({Program::Ip, line});
  const auto done = run_commands(commands, place, other);
  ASSERT_TRUE(done) << done.error();
}

TEST(UserIpip, CarriesPacketsToTheNextHopOfTheirRoute) {
  const auto near = NetworkNamespace::make(), far = NetworkNamespace::make();
  ASSERT_TRUE(near && far) << near.error();
  auto near_tunnel = UserIpip::make(*near), far_tunnel = UserIpip::make(*far);
  ASSERT_TRUE(near_tunnel) << near_tunnel.error();
  ASSERT_TRUE(far_tunnel) << far_tunnel.error();
  run(*near, *far,
      {"link add eth0 type veth peer name eth0 netns world", "address add 10.0.0.1/24 dev eth0",
       "link set eth0 up", "link set tunl0 mtu 1480 up", "address add 100.96.1.1/32 dev tunl0",
       "route add 100.96.2.0/24 via 10.0.0.2 dev tunl0 onlink"});
  run(*far, *near,
      {"address add 10.0.0.2/24 dev eth0", "link set eth0 up", "link set tunl0 mtu 1480 up",
       "address add 100.96.2.1/32 dev tunl0",
       "route add 100.96.1.0/24 via 10.0.0.1 dev tunl0 onlink"});
  ASSERT_TRUE(wait_until_running(*near, "eth0"));
  const auto probe = [&] {
    auto probes = Probes::start(
        {{&*near, *IpAddress::parse("100.96.1.1")}, {&*far, *IpAddress::parse("100.96.2.1")}},
        {{.from = 0, .to = 1},
         {.from = 1, .to = 0, .is_answered = true},
         {.from = 0, .to = 1, .payload_bytes = 1480 - 28}},
        std::chrono::milliseconds(10));
    EXPECT_TRUE(probes) << probes.error();
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    return probes->finish();
  };
  EXPECT_THAT(probe(), ElementsAre(IsEmpty(), IsEmpty(), IsEmpty()));
  run(*far, *near, {"link set tunl0 down"});
  EXPECT_THAT(probe(), ElementsAre(SizeIs(1), SizeIs(1), SizeIs(1)));
}

TEST(UserIpip, IsMadeOnceInANamespace) {
  const auto place = NetworkNamespace::make();
  ASSERT_TRUE(place) << place.error();
  const auto first = UserIpip::make(*place);
  ASSERT_TRUE(first) << first.error();
  EXPECT_FALSE(UserIpip::make(*place));
}

}  // namespace user_ipip_root_test
}  // namespace overlane::kernel
