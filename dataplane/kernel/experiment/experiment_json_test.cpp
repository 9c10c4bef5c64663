#include "dataplane/kernel/experiment/experiment_json.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dataplane/node/testing/cluster.h"

namespace overlane::kernel {
namespace experiment_json_test {

using node::testing::ip;
using node::testing::make_cluster;

TEST(ExperimentJson, BringsARequestThereUnchanged) {
  const Injection injection{.ingress = forward::Ingress::Uplink,
                            .device = "eth0",
                            .packet = {0x45, 0x00, 0xff},
                            .expected = 3,
                            .udp_listener = 53,
                            .wait_ms = 100};
  const auto state = make_cluster({.encapsulation = Encapsulation::Vxlan}).nodes[0];
  const auto cluster = make_cluster({.encapsulation = Encapsulation::Vxlan});
  const Request request{
      .experiments = {make_experiment(state, {injection, {}})},
      .clusters = {*make_cluster_experiment(cluster.nodes, cluster.fabric, {{1, injection}})},
      .probe = true};
  EXPECT_EQ(decode_request(nlohmann::json::parse(encode(request).dump())), request);
}

TEST(ExperimentJson, BringsAnAnswerBackUnchanged) {
  const Observed observed{.emitted = {{forward::Egress::Pod, "cali1", ip("100.96.1.10"), {1, 2, 3}},
                                      {forward::Egress::Host, "", {}, {}}},
                          .counters = {{"IpInHdrErrors", 2}},
                          .refused = "send: Message too long"};
  Answer answer{.kernel = "6.1.176", .abilities = {{"ipip", "not there"}, {"veth", ""}}};
  answer.outcomes.emplace_back(std::vector<Observed>{observed, {}});
  answer.outcomes.emplace_back(fail("a command failed"));
  answer.arrivals.emplace_back(std::vector<std::vector<Arrival>>{{{2, "cali1", {4, 5}}}, {}});
  answer.arrivals.emplace_back(fail("no bridge"));
  const Answer back = decode_answer(nlohmann::json::parse(encode(answer).dump()));
  EXPECT_EQ(back.kernel, answer.kernel);
  EXPECT_EQ(back.abilities, answer.abilities);
  ASSERT_EQ(back.outcomes.size(), 2u);
  EXPECT_EQ(*back.outcomes[0], *answer.outcomes[0]);
  EXPECT_EQ(back.outcomes[1].error(), "a command failed");
  ASSERT_EQ(back.arrivals.size(), 2u);
  EXPECT_EQ(*back.arrivals[0], *answer.arrivals[0]);
  EXPECT_EQ(back.arrivals[1].error(), "no bridge");
}

}  // namespace experiment_json_test
}  // namespace overlane::kernel
