#include <set>

#include <gtest/gtest.h>

#include "dataplane/forward/packet_builder.h"
#include "sim/run/decide/decisions.h"

namespace overlane::run {

namespace receive_core_test {

using host::TunnelRss;

constexpr std::uint32_t kCores = 16;
constexpr std::uint16_t kVxlanPort = 4789;

/// A TCP packet of a flow between two pods, in a tunnel between two nodes.
forward::Packet tunnelled(Encapsulation encapsulation, std::uint16_t port) {
  forward::Packet packet =
      forward::PacketBuilder(forward::kTcp, IpAddress::parse("100.64.0.2").value(),
                             IpAddress::parse("100.64.1.2").value())
          .ports(port, 80)
          .length(1000)
          .build();
  packet.encapsulation = encapsulation;
  packet.outer = packet.inner;
  packet.outer.source = IpAddress::parse("10.250.0.1").value();
  packet.outer.destination = IpAddress::parse("10.250.0.2").value();
  packet.outer.protocol = encapsulation == Encapsulation::Ipip ? forward::kIpip : forward::kUdp;
  packet.outer_source_port = 40'000;  // Equal for all flows, so that ports do not spread them.
  packet.outer_destination_port = kVxlanPort;
  return packet;
}

/// The number of cores that receive 64 flows between two pods.
std::size_t cores_of(Encapsulation encapsulation, TunnelRss ipip, TunnelRss udp,
                     bool is_fragment = false) {
  host::Machine machine{.cores = kCores};
  machine.ipip_rss = ipip;
  machine.udp_tunnel_rss = udp;
  std::set<std::uint16_t> cores;
  for (std::uint16_t port = 0; port < 64; ++port) {
    forward::Packet packet = tunnelled(encapsulation, static_cast<std::uint16_t>(1000 + port));
    packet.outer.more_fragments = is_fragment;
    cores.insert(receive_core(packet, machine));
  }
  return cores.size();
}

TEST(ReceiveCore, FollowsTheHeaderThatTheNicHashes) {
  constexpr auto kOuter = TunnelRss::Outer, kInner = TunnelRss::Inner;
  EXPECT_EQ(cores_of(Encapsulation::Ipip, kOuter, kInner), 1u);
  EXPECT_GT(cores_of(Encapsulation::Ipip, kInner, kOuter), kCores / 2);
  for (const Encapsulation udp : {Encapsulation::Vxlan, Encapsulation::Geneve}) {
    EXPECT_EQ(cores_of(udp, kInner, kOuter), 1u);
    EXPECT_GT(cores_of(udp, kOuter, kInner), kCores / 2);
  }
  EXPECT_EQ(cores_of(Encapsulation::Wireguard, kInner, kInner), 1u) << "encrypted";
}

TEST(ReceiveCore, OfAFragmentIsThatOfTheOuterAddresses) {
  for (const Encapsulation tunnel : {Encapsulation::Ipip, Encapsulation::Vxlan})
    EXPECT_EQ(cores_of(tunnel, TunnelRss::Inner, TunnelRss::Inner, true), 1u);
}

}  // namespace receive_core_test

}  // namespace overlane::run
