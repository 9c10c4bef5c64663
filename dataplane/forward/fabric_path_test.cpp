#include <gtest/gtest.h>

#include "dataplane/forward/forward.h"
#include "dataplane/forward/testing/walk.h"

namespace overlane::forward {
namespace fabric_path_test {

using node::DenyRule;
using node::FabricPathMtu;
using node::FabricState;
using node::testing::ip;
using node::testing::make_cluster;
using node::testing::pod;
using node::testing::pod_v6;
using testing::udp;
using testing::without_fragmenting;

const IpAddress kGateway = ip("10.250.0.1");
constexpr const char* kRoute = "table table-1: 100.96.2.0/24 -> node-2 (route controller)";

Packet of(std::uint8_t protocol, std::uint16_t destination_port = 0) {
  Packet packet = udp(pod(0), pod(1));
  packet.inner.protocol = protocol;
  packet.destination_port = destination_port;
  return packet;
}
Packet icmp_of(std::uint8_t type, std::uint8_t code) {
  Packet packet = of(kIcmp);
  packet.source_port = 0;
  packet.icmp = IcmpError{.type = type, .code = code};
  return packet;
}
Packet tunnelled(Encapsulation encapsulation, std::uint8_t protocol, std::uint16_t port) {
  Packet packet = of(kTcp, 80);
  packet.encapsulation = encapsulation;
  packet.outer = {
      .source = ip("10.250.0.4"), .destination = ip("10.250.1.5"), .protocol = protocol};
  packet.outer_destination_port = port;
  return packet;
}
Packet later_fragment(Packet packet) {
  packet.inner.fragment_offset = 800;
  packet.source_port = packet.destination_port = 0;
  packet.icmp.reset();
  return packet;
}

TEST(DenyRule, DropsWhatItNamesByTheOutermostHeader) {
  const Packet echo = of(kIcmp, 8 * 256);
  const Packet vxlan = tunnelled(Encapsulation::Vxlan, kUdp, 4789);
  const DenyRule fragmentation_needed{.protocol = kIcmp, .icmp_type = 3, .icmp_code = 4};
  const DenyRule port_4789{.protocol = kUdp, .port = 4789};
  struct Row {
    const char* what;
    DenyRule rule;
    Packet packet;
    bool denied;
  };
  const Row rows[] = {
      {"a protocol", {.protocol = kUdp}, of(kUdp, 53), true},
      {"another protocol", {.protocol = kUdp}, of(kTcp, 53), false},
      {"a rule that is disabled", {.protocol = kUdp, .disabled = true}, of(kUdp, 53), false},
      {"IP in IP", {.protocol = kIpip}, tunnelled(Encapsulation::Ipip, kIpip, 0), true},
      {"TCP inside IP in IP", {.protocol = kTcp}, tunnelled(Encapsulation::Ipip, kIpip, 0), false},
      {"VXLAN's port", port_4789, vxlan, true},
      {"another port", port_4789, of(kUdp, 8472), false},
      {"a later fragment, without its port", port_4789, later_fragment(of(kUdp, 4789)), false},
      {"a later fragment, where ports do not matter",
       {.protocol = kUdp},
       later_fragment(of(kUdp, 4789)),
       true},
      {"fragmentation needed", fragmentation_needed, icmp_of(3, 4), true},
      {"port unreachable", fragmentation_needed, icmp_of(3, 3), false},
      {"time exceeded", fragmentation_needed, icmp_of(11, 0), false},
      {"an echo", fragmentation_needed, echo, false},
      {"an echo, by its type", {.protocol = kIcmp, .icmp_type = 8}, echo, true},
      {"all of ICMP", {.protocol = kIcmp}, echo, true},
      {"a later fragment of an echo",
       {.protocol = kIcmp, .icmp_type = 8},
       later_fragment(echo),
       false},
  };
  for (const Row& row : rows) {
    FabricState fabric = make_cluster({.nodes = 2}).fabric;
    fabric.denied = {{.protocol = 132}, row.rule};
    const DenyRule* found = denying_rule(fabric, row.packet);
    EXPECT_EQ(found, row.denied ? &fabric.denied[1] : nullptr) << row.what;
    FabricOutcome outcome;
    forward(fabric, row.packet, 0, kGateway, outcome);
    EXPECT_EQ(outcome.drop == Drop::FabricPacketFilter, row.denied) << row.what;
  }
}

/// node-1 and node-3 in zone a, node-2 in zone b, in a subnet per zone or in one for both; links of
/// 1,500 bytes.
FabricState two_zones(const FabricPathMtu& path, std::uint32_t subnets = 2) {
  FabricState fabric = make_cluster({.nodes = 3, .subnets = subnets}).fabric;
  if (subnets == 2) fabric.subnets[1].zone = "b";
  if (subnets == 1) {
    fabric.subnets[0].zone.clear();
    for (std::uint32_t i = 0; i < 3; ++i)
      fabric.instances[i].zone = i == 1 ? "b" : "a";
  }
  fabric.path_mtu = path;
  return fabric;
}

TEST(PathMtu, IsThatOfTheZonesOnTheWay) {
  const FabricPathMtu across{.across_zones = 1400};
  const FabricPathMtu within{.within_zone = 1400};
  const auto whole = [](std::uint16_t bytes, std::uint32_t to) {
    return without_fragmenting(udp(pod(0), pod(to), bytes));
  };
  struct Row {
    const char* what;
    FabricPathMtu path;
    Packet packet;
    std::uint32_t answered_with;  ///< MTU of the ICMP error in bytes; 0: the packet passes.
  };
  const Row rows[] = {
      {"nothing narrower", {}, whole(1500, 1), 0},
      {"it fits", across, whole(1400, 1), 0},
      {"across zones", across, whole(1401, 1), 1400},
      {"within the zone", across, whole(1500, 2), 0},
      {"a narrower zone", within, whole(1401, 2), 1400},
      {"out of a narrower zone", within, whole(1500, 1), 0},
      {"no wider than the links", {.across_zones = 9000}, whole(1501, 1), 1500},
      {"IPv6 is never cut", across, udp(pod_v6(0), pod_v6(1), 1401), 1400},
  };
  for (const std::uint32_t subnets : {1u, 2u}) {
    SCOPED_TRACE(subnets);
    for (const Row& row : rows) {
      FabricOutcome outcome;
      std::vector<Step> steps;
      forward(two_zones(row.path, subnets), row.packet, 0, kGateway, outcome, &steps);
      EXPECT_EQ(outcome.drop.has_value(), row.answered_with != 0) << row.what;
      ASSERT_EQ(outcome.reply.has_value(), row.answered_with != 0) << row.what;
      if (!outcome.reply) continue;
      EXPECT_EQ(outcome.drop, Drop::FabricMtuExceeded) << row.what;
      EXPECT_EQ(outcome.reply->icmp->next_hop_mtu, row.answered_with) << row.what;
      EXPECT_EQ(outcome.reply->inner.destination, row.packet.inner.source) << row.what;
    }
  }
}

TEST(PathMtu, NobodyHearsOfWhatIsSilentOrDeniedOrMayBeCut) {
  const Packet whole = without_fragmenting(udp(pod(0), pod(1), 1500));
  const FabricPathMtu path{.across_zones = 1400};
  struct Row {
    const char* what;
    FabricPathMtu path;
    std::vector<DenyRule> denied;
    Packet packet;
    bool is_reply_denied;
  };
  for (const Row& row : {
           Row{"a silent device", {.across_zones = 1400, .silent = true}, {}, whole, false},
           Row{"without DF", path, {}, udp(pod(0), pod(1), 1500), false},
           Row{"a filter", path, {{.protocol = kIcmp}}, whole, true},
       }) {
    FabricState fabric = two_zones(row.path);
    fabric.denied = row.denied;
    FabricOutcome outcome;
    std::vector<Step> steps;
    forward(fabric, row.packet, 0, kGateway, outcome, &steps);
    EXPECT_EQ(outcome.drop, Drop::FabricMtuExceeded) << row.what;
    EXPECT_FALSE(outcome.reply) << row.what;
    EXPECT_EQ(outcome.denied_reply.has_value(), row.is_reply_denied) << row.what;
    EXPECT_TRUE(steps.back().state_entry.starts_with("path mtu across zones 1400")) << row.what;
    EXPECT_EQ(steps[steps.size() - 2].state_entry, row.is_reply_denied ? "deny icmp" : kRoute)
        << row.what;
  }
}

}  // namespace fabric_path_test
}  // namespace overlane::forward
