#pragma once

#include "dataplane/encap/testing/naive_headers.h"
#include "dataplane/encap/testing/random_rules.h"
#include "dataplane/encap/vxlan/vxlan.h"

namespace overlane::vxlan::testing {

using encap::testing::Bytes;

/// VXLAN as a Subject of encap/testing/laws.h.
struct Subject {
  using Tunnel = vxlan::Tunnel;
  using Pusher = vxlan::Pusher;

  static constexpr Accepts kAccepts{.zero_checksum_over_ipv6 = true};

  static Tunnel random_tunnel(RandomStream& random) {
    const Family underlay = random.below(2) == 0 ? Family::Ipv4 : Family::Ipv6;
    return {.source = encap::testing::random_address(random, underlay),
            .destination = encap::testing::random_address(random, underlay),
            .vni = static_cast<std::uint32_t>(random.below(1 << 24)),
            .inner_source = encap::testing::random_mac(random),
            .inner_destination = encap::testing::random_mac(random),
            .rules = encap::testing::random_rules(random, Encapsulation::Vxlan, underlay)};
  }
  static bool carries(Family) { return true; }
  static Bytes naive(const Tunnel& tunnel, const encap::testing::RandomPacket& inner,
                     std::uint16_t identification) {
    Bytes bytes{8, 0, 0, 0};
    encap::testing::append(bytes, std::uint64_t{tunnel.vni} * 256, 4);
    for (const std::uint8_t byte : tunnel.inner_destination.bytes)
      bytes.push_back(byte);
    for (const std::uint8_t byte : tunnel.inner_source.bytes)
      bytes.push_back(byte);
    encap::testing::append(bytes, inner.family == Family::Ipv4 ? 0x0800 : 0x86dd, 2);
    bytes.insert(bytes.end(), inner.bytes.begin(), inner.bytes.end());
    const encap::testing::NaiveOuter outer{*tunnel.rules, tunnel.source, tunnel.destination,
                                           identification};
    return outer.udp(inner, bytes);
  }
  static Result<encap::Popped, Drop> pop(std::span<std::uint8_t> packet) {
    return vxlan::pop(packet, kAccepts);
  }
  static encap::Parts parts_of(std::span<std::uint8_t> packet) {
    return vxlan::parts_of(packet, kAccepts);
  }
};

}  // namespace overlane::vxlan::testing
