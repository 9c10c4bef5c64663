#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dataplane/capture/capture_file.h"
#include "results/base/testing/source_file.h"
#include "tools/overlane/testing/run_overlane.h"

namespace overlane::fastpath {
namespace verify_test {

using command::Answer;
using command::read_text;
using command::run_overlane;
using command::write_temporary;
using testing::HasSubstr;

const std::string kNode =
    "verify topologies/library/manifests/shoot-alicloud.yaml --variant vxlan --nodes 2 ";
const std::string kCaptures = "dataplane/capture/testing/captures/";

/// A raw IP capture of `count` copies of a UDP packet from node-1's first pod to 100.96.2.2.
std::string packets_of_a_pod(int count) {
  const std::string header(
      "\xd4\xc3\xb2\xa1\x02\x00\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00"
      "\x00\x00\x04\x00\x65\x00\x00\x00",
      24);
  const std::string record("\x00\x00\x00\x00\x00\x00\x00\x00\x1c\x00\x00\x00\x1c\x00\x00\x00", 16);
  const std::string packet(
      "\x45\x00\x00\x1c\x00\x01\x00\x00\x40\x11\xb0\x0c\x64\x60\x00\x02"
      "\x64\x60\x02\x02\x00\x07\x00\x07\x00\x08\x00\x00",
      28);
  std::string text = header;
  for (int i = 0; i < count; ++i)
    text += record + packet;
  return write_temporary("pod.pcap", text);
}

TEST(Verify, SendsAPacketThroughTheNodeAndWritesTheOutput) {
  const std::string written = write_temporary("left.pcap", "");
  const Answer answer =
      run_overlane(kNode + "-o jsonl --pcap " + packets_of_a_pod(1) + " --write " + written);
  ASSERT_EQ(answer.exit_code, 0) << answer.out << answer.err;
  const auto packet = nlohmann::json::parse(answer.out);
  EXPECT_EQ(packet["ingress"], "pod");
  EXPECT_EQ(packet["way"], "adjacency");
  EXPECT_EQ(packet["difference"], nullptr);
  const nlohmann::json sent{
      {{"egress", "uplink"}, {"next_hop", "10.250.0.5"}, {"length_bytes", 28 + 50}}};
  EXPECT_EQ(packet["sent"], sent);
  auto reader = capture::CaptureReader::open(written);
  ASSERT_TRUE(reader);
  const auto left = *reader->next();
  ASSERT_TRUE(left);
  EXPECT_EQ(left->bytes.size(), 28 + 50);
}

TEST(Verify, StateChangesAtAPacket) {
  const std::string manifests = "topologies/library/manifests/";
  const Answer answer =
      run_overlane("verify " + manifests + "shoot-aws.yaml --nodes 3 -o jsonl " + "--then 3 " +
                   manifests + "shoot-aws-ipip.yaml --pcap " + packets_of_a_pod(4));
  ASSERT_EQ(answer.exit_code, 0) << answer.out << answer.err;
  std::vector<nlohmann::json> lines;
  std::istringstream text(answer.out);
  for (std::string line; std::getline(text, line);)
    lines.push_back(nlohmann::json::parse(line));
  ASSERT_EQ(lines.size(), 5);
  const nlohmann::json routed{
      {{"egress", "uplink"}, {"next_hop", "10.250.0.1"}, {"length_bytes", 28}}};
  const nlohmann::json ipip{
      {{"egress", "uplink"}, {"next_hop", "10.181.0.6"}, {"length_bytes", 48}}};
  EXPECT_EQ(lines[1]["sent"], routed);
  const nlohmann::json change{{"number", 3},
                              {"state_change", 1},
                              {"sent", nlohmann::json::array()},
                              {"difference", nullptr}};
  EXPECT_EQ(lines[2], change);
  EXPECT_EQ(lines[3]["number"], 3);
  EXPECT_EQ(lines[3]["sent"], ipip);
  EXPECT_EQ(lines[4]["sent"], ipip);
}

TEST(Verify, AgreesWithTheReferenceOnCapturesOfLinux) {
  int ahead = 0;
  for (const char* capture : {"vxlan.pcap", "vxlan-fragments.pcap", "ipip.pcap", "ip6tnl.pcap",
                              "geneve-options.pcap", "icmp-errors.pcap", "linux-cooked.pcap"}) {
    const Answer answer = run_overlane(kNode + "-o json --pcap " + kCaptures + capture);
    EXPECT_EQ(answer.exit_code, 0) << capture << answer.err;
    const auto report = nlohmann::json::parse(answer.out);
    EXPECT_EQ(report["kind"], "VerifiedPackets");
    EXPECT_EQ(report["summary"]["differences"], 0) << capture;
    EXPECT_GT(report["summary"]["packets"], 0) << capture;
    ahead += report["summary"]["by_adjacencies"].get<int>();
  }
  EXPECT_GT(ahead, 4);
}

TEST(Verify, RejectsUnsupportedArguments) {
  const auto error = [](const std::string& arguments, int exit_code) {
    const Answer answer = run_overlane(arguments);
    EXPECT_EQ(answer.exit_code, exit_code) << arguments << answer.out;
    return command::unwrapped(answer.err);
  };
  const std::string whole = read_text(source_file(kCaptures) + "vxlan.pcap");
  const std::string cut = write_temporary("cut.pcap", whole.substr(0, 300));
  EXPECT_THAT(error(kNode + "--pcap " + cut, 1), HasSubstr("the capture breaks off in packet 2"));
  EXPECT_THAT(error(kNode + "--pcap nothing.pcap", 3), HasSubstr("nothing.pcap"));
  EXPECT_THAT(error(kNode + "--node node-9 --pcap " + cut, 2),
              HasSubstr("there is no node \"node-9\"; there are node-1, node-2"));
  EXPECT_THAT(error(kNode + "--then 2 nobody.yaml --pcap " + cut, 3), HasSubstr("nobody.yaml"));
  EXPECT_THAT(error(kNode + "--then 17 topologies/library/manifests/shoot-gcp.yaml --pcap " +
                        kCaptures + "vxlan-fragments.pcap",
                    3),
              HasSubstr("vxlan-fragments.pcap ends before packet 17 (--then)"));
  EXPECT_THAT(error(kNode + "--then x nobody.yaml --pcap " + cut, 2), HasSubstr("--then"));
  EXPECT_THAT(error(kNode + "--write " + cut + " --pcap " + cut, 2), HasSubstr("overwrite"));
  EXPECT_THAT(error(kNode + "--pcap " + kCaptures + "linux-cooked-v2.pcap", 3),
              HasSubstr("holds no packet that could be compared"));
  EXPECT_THAT(error(kNode + "--write /nowhere/x.pcap --pcap " + cut, 4), HasSubstr("/nowhere/"));
}

}  // namespace verify_test
}  // namespace overlane::fastpath
