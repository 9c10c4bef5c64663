#include "topologies/path/question.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/path/testing/clusters.h"

namespace overlane::path {

namespace question_test {

using effective::Provider;
using testing::Cluster;
using ::testing::HasSubstr;
using testing::on;

TEST(Ask, NamesWhatItDoesNotKnow) {
  const Cluster cluster(on(Provider::Aws, graph::testing::ipip_shoot()));
  struct Row {
    Question question;
    const char* rule;
    const char* message;
  };
  const Row rows[] = {
      {{.to = "node-9"}, "no-such-endpoint", "\"node-9\""},
      {{.to = "node-1/pod-7"}, "no-such-endpoint", "\"node-1/pod-7\""},
      {{.to = "10.250.0.4:x"}, "no-such-endpoint", "\"10.250.0.4:x\""},
      {{.to = "service:100.96.1.2"}, "no-such-endpoint", "\"service:100.96.1.2\""},
      {{.from = "internet"}, "no-such-endpoint", "no packet begins there"},
      {{.to = "100.64.0.10", .backend = "node-2"}, "no-such-endpoint", "another pod"},
      {{.to = "node-2", .backend = "node-1/pod-0"}, "no-such-endpoint", "no service"},
      {{.to = "100.64.0.10", .protocol = forward::kIcmp}, "no-such-endpoint", "is a service"},
      {{.to = "100.64.0.1:443"}, "unsupported-target", "the API server's address"},
      {{.from = "node-2/pod-0", .to = "100.96.1.2"}, "no-such-endpoint", "the sender itself"},
      {{.to = "fd00::1"}, "no-such-endpoint", "the shoot has no IPv6"},
      {{.family = Family::Ipv6}, "no-such-endpoint", "the shoot has no IPv6"},
      {{.to = "::1"}, "unsupported-target", "::1 is a loopback"},
      {{.to = "127.0.0.1"}, "unsupported-target", "127.0.0.1 is a loopback"},
      {{.to = "224.0.0.1"}, "unsupported-target", "multicast"},
      {{.size = 39}, "bad-packet", "39 bytes"},
      {{.size = 65536}, "bad-packet", "65536 bytes"},
  };
  for (const Row& row : rows) {
    const auto asked = ask(cluster.states, cluster.shoot, row.question);
    ASSERT_FALSE(asked) << row.message;
    EXPECT_EQ(asked.error().rule, row.rule) << row.message;
    EXPECT_THAT(asked.error().message, HasSubstr(row.message));
    EXPECT_FALSE(asked.error().hint.empty());
  }
}

TEST(Ask, ASegmentWithDataIsNoSyn) {
  const Cluster cluster(on(Provider::Aws, graph::testing::ipip_shoot()));
  const auto full = ask(cluster.states, cluster.shoot, {});
  ASSERT_TRUE(full);
  EXPECT_EQ(full->request.packet.inner.total_length, 1480u);
  EXPECT_EQ(full->request.packet.tcp_flags, 0x18) << "PSH and ACK";
  const auto empty = ask(cluster.states, cluster.shoot, {.size = 40});
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->request.packet.tcp_flags, 0x02) << "SYN";
}

TEST(Ask, TakesBothEndsInOneFamily) {
  const Cluster cluster(
      graph::testing::dual_stack_on(Provider::Aws, graph::testing::routed_shoot()));
  struct Row {
    Question question;
    const char* message;
  };
  const Row rows[] = {
      {{.from = "100.96.0.2", .to = "2001:db8::5"}, "2001:db8::5 is an IPv6 address"},
      {{.to = "100.96.1.2", .family = Family::Ipv6}, "100.96.1.2 is an IPv4 address"},
      {{.to = "fe80::1"}, "fe80::1 is a loopback, link-local"},
  };
  for (const Row& row : rows) {
    const auto asked = ask(cluster.states, cluster.shoot, row.question);
    ASSERT_FALSE(asked) << row.message;
    EXPECT_THAT(asked.error().message, HasSubstr(row.message));
  }
  const auto by_address = ask(cluster.states, cluster.shoot, {.to = "2001:db8:0:1:4::2"});
  ASSERT_TRUE(by_address);
  EXPECT_EQ(by_address->from.address.to_string(), "2001:db8::4:0:0:2");
}

}  // namespace question_test

}  // namespace overlane::path
