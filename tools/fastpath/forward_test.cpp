#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tools/overlane/testing/run_overlane.h"

namespace overlane::fastpath {

namespace forward_test {

using command::Answer;
using command::run_overlane;
using testing::HasSubstr;

const std::string kShoot = "forward topologies/library/manifests/shoot-alicloud.yaml --nodes 2 ";
/// Ports that receive what they send.
const std::string kPorts = "--pods net_ring0 --uplink net_ring1 --no-hugepages --memory 256 ";

TEST(Forward, CountsPacketsAndFreesAllBuffers) {
  const Answer answer =
      run_overlane(kShoot + kPorts + "--for 2s --every 1000ms --idle 100 -o jsonl");
  ASSERT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_THAT(answer.err, HasSubstr("forwarding as node-1 between net_ring0 and net_ring1"));
  std::vector<nlohmann::json> reports;
  std::istringstream lines(answer.out);
  for (std::string line; std::getline(lines, line);)
    reports.push_back(nlohmann::json::parse(line));
  ASSERT_GE(reports.size(), 2u) << "one while it runs, one at the end";
  EXPECT_GE(reports.front()["time_ns"], 1'000'000'000);
  const auto& report = reports.back();
  EXPECT_GE(report["time_ns"], 2'000'000'000);
  const auto& packets = report["packets"];
  // The node sends neighbour messages for its next hops on both links, and receives them itself.
  EXPECT_GT(packets["neighbour_messages"], 0);
  EXPECT_EQ(packets["received"], packets["neighbour_messages"]);
  EXPECT_EQ(report["drops"], nlohmann::json::object());
}

TEST(Forward, RejectsUnsupportedArguments) {
  const auto error = [](const std::string& arguments, int exit_code) {
    const Answer answer = run_overlane(arguments);
    EXPECT_EQ(answer.exit_code, exit_code) << arguments << answer.out;
    return command::unwrapped(answer.err);
  };
  const std::string ring = "--pods net_ring0 --uplink net_ring1 --for 1 ";
  EXPECT_THAT(error(kShoot + kPorts + "--node node-7", 2),
              HasSubstr("there is no node \"node-7\"; there are node-1, node-2"));
  EXPECT_THAT(error(kShoot + kPorts + "--variant gre", 2),
              HasSubstr("there is no variant gre [choose-variant]; there are routed, ipip, vxlan"));
  EXPECT_THAT(error(kShoot + "--pods net_af_packet0,iface=nowhere --uplink net_ring1 --for 1 "
                             "--no-hugepages",
                    4),
              HasSubstr("interface nowhere: No such device"));
  EXPECT_THAT(error(kShoot + ring + "--memory 1000000", 4),
              HasSubstr("MiB of free hugepages are needed"));
  EXPECT_THAT(error(kShoot + ring + "--no-hugepages --memory 256 --buffers 4000000", 4),
              HasSubstr("no memory for 4000000 packets"));
  EXPECT_THAT(error(kShoot + kPorts + "--for 1 -o json", 2), HasSubstr("-o jsonl"));
  EXPECT_THAT(error(kShoot + kPorts + "--for 1 --core 1000", 4),
              HasSubstr("there is no core 1000 for this process"));
  EXPECT_THAT(error(kShoot + kPorts + "--for 2 --every 1min -o jsonl", 2),
              HasSubstr("write numbers with units (h, m, s, ms, us, ns)"));
  EXPECT_THAT(error("forward nobody.yaml " + ring, 3),
              HasSubstr("there is no such file or folder"));
}

}  // namespace forward_test

}  // namespace overlane::fastpath
