#pragma once

#include "dataplane/encap/testing/push_pop_bench.h"

namespace overlane::encap::testing {

/// A Kind of PushPopBench with one outer IPv4 header (IPIP, SIT). `Of` provides:
///   using Pusher;
///   static Result<Popped, Drop> pop(std::span<std::uint8_t>);   // inlined
template <typename Of, Family kInnerFamily>
struct InIpv4 : Of {
  static constexpr Family kUnderlay = Family::Ipv4;
  static constexpr Family kInner = kInnerFamily;
  static constexpr std::size_t kHeaders = 20;
  static constexpr bool kUdp = false;
  static constexpr bool kChecksum = false;

  static typename Of::Pusher pusher(std::size_t tunnel) {
    return typename Of::Pusher(
        {.source = near_end(kUnderlay).ipv4(), .destination = far_end(kUnderlay, tunnel).ipv4()});
  }
};

/// A Kind of PushPopBench with UDP, a tunnel header of eight bytes and an Ethernet header (VXLAN,
/// Geneve). `Of` provides, besides the members that InIpv4 needs:
///   static constexpr Encapsulation kEncapsulation;
template <typename Of, Family kOuterFamily, Family kInnerFamily, UdpChecksum kUdpChecksum>
struct FrameInUdp : Of {
  static constexpr Family kUnderlay = kOuterFamily;
  static constexpr Family kInner = kInnerFamily;
  static constexpr std::size_t kHeaders = kUnderlay == Family::Ipv4 ? 50 : 70;
  static constexpr bool kUdp = true;
  static constexpr bool kChecksum = kUdpChecksum == UdpChecksum::Computed;

  static typename Of::Pusher pusher(std::size_t tunnel) {
    OuterRules rules = outer_rules(Of::kEncapsulation, kUnderlay);
    rules.udp_checksum = kUdpChecksum;
    return typename Of::Pusher(
        {.source = near_end(kUnderlay),
         .destination = far_end(kUnderlay, tunnel),
         .vni = 4096,
         .inner_source = {{2, 0, 0, 0, 0, 1}},
         .inner_destination = {{2, 0, 0, 0, 1, static_cast<std::uint8_t>(tunnel)}},
         .rules = rules});
  }
};

/// Registers the benchmarks of a FrameInUdp encapsulation.
template <typename Of>
bool add_frame_in_udp(const std::string& name) {
  constexpr Family kV4 = Family::Ipv4;
  constexpr Family kV6 = Family::Ipv6;
  constexpr UdpChecksum kZero = UdpChecksum::Zero;
  constexpr UdpChecksum kComputed = UdpChecksum::Computed;
  PushPopBench<FrameInUdp<Of, kV4, kV4, kZero>>::add(name + "-over-ipv4");
  PushPopBench<FrameInUdp<Of, kV4, kV6, kZero>>::add(name + "-over-ipv4-ipv6-inside");
  PushPopBench<FrameInUdp<Of, kV4, kV4, kComputed>>::add(name + "-over-ipv4-checksum");
  PushPopBench<FrameInUdp<Of, kV6, kV4, kComputed>>::add(name + "-over-ipv6");
  return true;
}

}  // namespace overlane::encap::testing
