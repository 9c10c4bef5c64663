#include "topologies/path/question.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/path/testing/clusters.h"

namespace overlane::path {
namespace {

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
      {{.to = "100.64.0.10", .backend = "node-1/pod-0"}, "no-such-endpoint", "another pod"},
      {{.to = "node-2", .backend = "node-1/pod-0"}, "no-such-endpoint", "no service"},
      {{.to = "100.64.0.10", .protocol = forward::kIcmp}, "no-such-endpoint", "is a service"},
      {{.to = "100.64.0.1:443"}, "unsupported-target", "the API server's"},
      {{.from = "node-2/pod-0", .to = "100.96.1.2"}, "no-such-endpoint", "the sender itself"},
      {{.to = "fd00::1"}, "no-such-endpoint", "node-1/pod-0"},
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

}  // namespace
}  // namespace overlane::path
