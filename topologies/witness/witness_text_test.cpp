#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "topologies/witness/testing/cases.h"

namespace overlane::witness {
namespace witness_text_test {

using effective::Provider;
using graph::testing::routed_shoot;
using testing::find;
using ::testing::HasSubstr;
using testing::on;
using testing::overlay_on;
using testing::pods;

TEST(WitnessText, DistinguishesShootsOfOneName) {
  const auto a = on(Provider::Gcp, "a", routed_shoot());
  const auto same = a;
  EXPECT_EQ(find(pods(a, same, NetworkRelation::OneRouteTable)).lands,
            "garden-a/a (2) node-2/pod-0");
}

TEST(WitnessText, IsWrittenAsJson) {
  const auto a = on(Provider::Aws, "a", routed_shoot());
  const auto b = on(Provider::Aws, "b", routed_shoot());
  const auto json = encode(find(pods(a, b, NetworkRelation::OneRouteTable)));
  EXPECT_EQ(json["sender"], "garden-a/a node-1/pod-0");
  EXPECT_EQ(json["source"], "100.96.0.2");
  EXPECT_EQ(json["destination"], "100.96.1.2");
  EXPECT_EQ(json["port"], 80);
  EXPECT_EQ(json["meant"], "garden-a/a node-2/pod-0");
  EXPECT_EQ(json["lands"], "nowhere");
  EXPECT_EQ(json["drop"], "fabric-packet-filter");
  EXPECT_EQ(json["wrong"], true);
  EXPECT_EQ(json["hops"].back()["gate"], "filter");
  EXPECT_FALSE(json["assumptions"].empty());
}

TEST(WitnessText, HasSentences) {
  const auto a = on(Provider::Aws, "a", routed_shoot());
  const auto b = on(Provider::Aws, "b", routed_shoot());
  const auto c = overlay_on(Provider::Aws, "c");
  EXPECT_EQ(
      print(find(pods(a, b, NetworkRelation::OneRouteTable))),
      "garden-a/a node-1/pod-0 (100.96.0.2) sends TCP to 100.96.1.2 port 80 and means "
      "garden-a/a node-2/pod-0.\n"
      "It is lost (fabric-packet-filter): in the network 100.96.1.2 follows \"table routes: "
      "100.96.1.0/24 -> garden-b/b node-2 (route controller)\"; the network drops it: a security "
      "group or firewall rule refused it (\"group b-nodes\").\n"
      "  assumed: garden-a/a's nodes have separate addresses, from 10.250.0.6 on\n"
      "  assumed: the route controller of garden-b/b passed last: inside its own pod range "
      "it takes out what it does not know, until the other one passes\n");
  EXPECT_THAT(print(find(pods(a, b, NetworkRelation::OneNetwork))),
              HasSubstr("It lands at garden-a/a node-2/pod-0: in the network 100.96.1.2 follows"));
  EXPECT_THAT(print(find(pods(c, b, NetworkRelation::OneNetwork))),
              HasSubstr("It reaches garden-c/c node-2/pod-0: in garden-c/c node-1 100.96.1.2 "
                        "follows \"100.96.1.0/24 via"));
}

}  // namespace witness_text_test
}  // namespace overlane::witness
