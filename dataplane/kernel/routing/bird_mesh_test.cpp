#include "dataplane/kernel/routing/bird_mesh.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace overlane::kernel {
namespace bird_mesh_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

BirdNode bird_node(const char* address, const char* pods) {
  return {.uplink = "eth0",
          .address = *IpAddress::parse(address),
          .subnet = *IpPrefix::parse("10.250.0.0/19"),
          .gateway = IpAddress::parse("10.250.0.1").value(),
          .pod_cidr = *IpPrefix::parse(pods)};
}

TEST(BirdConfiguration, AnnouncesThePodCidrAndWritesOnlyWhatItMay) {
  const std::vector<BirdNode> nodes{bird_node("10.250.0.4", "100.96.1.0/24"),
                                    bird_node("10.250.0.5", "100.96.2.0/24")};
  const std::string closed = bird_configuration(nodes, 0, {}, std::chrono::seconds(120));
  EXPECT_THAT(closed, AllOf(HasSubstr("filter written { reject; }"),
                            HasSubstr("route 100.96.1.0/24 blackhole"),
                            HasSubstr("protocol bgp peer1 from mesh { neighbor 10.250.0.5 as"),
                            HasSubstr("graceful restart time 120;"),
                            HasSubstr("route 0.0.0.0/0 via 10.250.0.1%'eth0' onlink;"),
                            Not(HasSubstr("peer0")), Not(HasSubstr("100.96.2.0/24"))));
  EXPECT_THAT(bird_configuration(nodes, 0, {nodes[1].pod_cidr}, std::chrono::seconds(120)),
              HasSubstr("net ~ [ 100.96.2.0/24 ] then accept; reject;"));
}

}  // namespace bird_mesh_test
}  // namespace overlane::kernel
