#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dataplane/capture/capture_reader.h"
#include "tools/overlane/testing/run_overlane.h"

namespace overlane::fastpath {
namespace {

using command::Answer;
using command::read_text;
using command::run_overlane;
using command::write_temporary;
using testing::HasSubstr;

const std::string kNode =
    "verify topologies/library/manifests/shoot-alicloud.yaml --variant vxlan --nodes 2 ";
const std::string kCaptures = "dataplane/capture/testing/captures/";

/// A raw IP capture of one UDP packet from node-1's first pod to node-2's.
std::string packet_of_a_pod() {
  const std::string header(
      "\xd4\xc3\xb2\xa1\x02\x00\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00"
      "\x00\x00\x04\x00\x65\x00\x00\x00",
      24);
  const std::string record("\x00\x00\x00\x00\x00\x00\x00\x00\x1c\x00\x00\x00\x1c\x00\x00\x00", 16);
  const std::string packet(
      "\x45\x00\x00\x1c\x00\x01\x00\x00\x40\x11\xb0\x0c\x64\x60\x00\x02"
      "\x64\x60\x02\x02\x00\x07\x00\x07\x00\x08\x00\x00",
      28);
  return write_temporary("pod.pcap", header + record + packet);
}

TEST(Verify, SendsAPodsPacketThroughTheNodeAndWritesWhatLeaves) {
  const std::string written = write_temporary("left.pcap", "");
  const Answer answer =
      run_overlane(kNode + "-o jsonl --pcap " + packet_of_a_pod() + " --write " + written);
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

TEST(Verify, SaysWhatItCannotDo) {
  const auto error = [](const std::string& arguments, int exit_code) {
    const Answer answer = run_overlane(arguments);
    EXPECT_EQ(answer.exit_code, exit_code) << arguments << answer.out;
    return answer.err;
  };
  const std::string whole = read_text(OVERLANE_SOURCE_DIR "/" + kCaptures + "vxlan.pcap");
  const std::string cut = write_temporary("cut.pcap", whole.substr(0, 300));
  EXPECT_THAT(error(kNode + "--pcap " + cut, 1), HasSubstr("the capture breaks off in packet 2"));
  EXPECT_THAT(error(kNode + "--pcap nothing.pcap", 3), HasSubstr("nothing.pcap"));
  EXPECT_THAT(error(kNode + "--node node-9 --pcap " + cut, 2),
              HasSubstr("there is no node \"node-9\"; there are node-1, node-2"));
  EXPECT_THAT(error(kNode + "--write " + cut + " --pcap " + cut, 2), HasSubstr("overwrite"));
  EXPECT_THAT(error(kNode + "--pcap " + kCaptures + "linux-cooked-v2.pcap", 3),
              HasSubstr("holds no packet that could be compared"));
  EXPECT_THAT(error(kNode + "--write /nowhere/x.pcap --pcap " + cut, 4), HasSubstr("/nowhere/"));
}

}  // namespace
}  // namespace overlane::fastpath
