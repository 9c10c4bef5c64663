#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/model/run_report_json.h"
#include "scenarios/runner/testing/observed.h"
#include "scenarios/runner/testing/scenario_files.h"

namespace overlane::runner {
namespace observed_wireguard_test {

using model::TraceLine;
using testing::decoded;
using ::testing::ElementsAre;
using testing::events_of;
using testing::layer;
using testing::lines_of;

/// Datagrams of 128 bytes including headers, and a stream.
Request sealed(const testing::Folder& folder) {
  return {.paths = {folder.write(
              "s.yaml", testing::scenario_of("shoot-gcp.yaml") +
                            "  costProfile: linux-server\n  traffic:\n"
                            "  - {name: bulk, kind: tcp}\n"
                            "  - {name: few, kind: udp, rate: 1Mbit/s, payloadBytes: 100}\n"
                            "  duration: 4ms\n  variants:\n"
                            "  - {name: sealed, encryption: wireguard,\n"
                            "     networkConfig: {overlay: {enabled: false}}}\n")}};
}

/// A transport message (WireGuard paper, section 5.4.6) has 16 bytes of header, the packet padded
/// to a multiple of 16 bytes but not beyond the MTU, and a tag of 16 bytes.
TEST(ObservedWireguard, CaptureHasTransportMessagesOfTheRightLength) {
  const testing::Folder folder;
  Request asked = sealed(folder);
  asked.packets.pcap_file = folder.write("x.pcapng", "");
  const model::RunReport report = testing::run_or_fail(asked);
  const auto pod_mtu = static_cast<std::size_t>(report.variants.at(0).dataplane->pod_mtu);
  std::map<std::size_t, std::size_t> messages;  // By length of the encrypted part.
  for (const capture::DecodedPacket& packet : decoded(asked.packets.pcap_file)) {
    const capture::Layer* udp = layer(packet, capture::LayerKind::Udp);
    const capture::Layer* message = layer(packet, capture::LayerKind::Wireguard);
    ASSERT_TRUE(udp != nullptr && message != nullptr) << packet.number;
    EXPECT_EQ(udp->number("srcport"), 51820u);
    EXPECT_EQ(udp->number("dstport"), 51820u);
    EXPECT_EQ(message->number("type"), 4u);
    EXPECT_EQ(layer(packet, capture::LayerKind::Tcp), nullptr) << "nobody sees what is inside";
    const std::size_t length = layer(packet, capture::LayerKind::Payload)->bytes - 16;
    EXPECT_EQ(packet.length_bytes, 14 + 20 + 8 + 16 + length + 16);
    EXPECT_TRUE(length % 16 == 0 || length == pod_mtu) << length;
    EXPECT_LE(length, pod_mtu);
    ++messages[length];
  }
  EXPECT_EQ(messages[128], 5u) << "the datagrams";
  EXPECT_GT(messages[64], 10u) << "acknowledgements: 52 bytes";
  EXPECT_GT(messages[pod_mtu], 100u);
}

TEST(ObservedWireguard, TraceHasCipherEventsOnBothSides) {
  const testing::Folder folder;
  Request asked = sealed(folder);
  const std::string hash = result_hash(testing::run_or_fail(asked));
  asked.packets.flow = "few/0";
  const model::RunReport report = testing::run_or_fail(asked);
  EXPECT_EQ(result_hash(report), hash) << "who looks changes nothing";
  std::vector<TraceLine> first = lines_of(report.traces.at(0), 1);
  std::erase_if(first, [](const TraceLine& line) { return line.event == "polled"; });
  EXPECT_THAT(events_of(first),
              ElementsAre("sent", "worked-on", "crypted", "worked-on", "on-wire", "crossed",
                          "received", "worked-on", "crypted", "worked-on", "delivered"));
  EXPECT_EQ(first[0].bytes, 128);
  EXPECT_EQ(first[0].encapsulation, "none");
  EXPECT_EQ(first[4].bytes, 20 + 8 + 16 + 128 + 16);
  EXPECT_EQ(first[4].encapsulation, "wireguard");
  EXPECT_EQ(first.back().bytes, 128);
  EXPECT_EQ(first.back().encapsulation, "none");
}

}  // namespace observed_wireguard_test
}  // namespace overlane::runner
