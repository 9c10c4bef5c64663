#pragma once

#include "dataplane/encap/ipip/ipip.h"
#include "dataplane/encap/testing/naive_headers.h"
#include "dataplane/encap/testing/random_rules.h"

namespace overlane::ipip::testing {

using encap::testing::Bytes;

/// For encap/testing/laws.h.
struct Subject {
  using Tunnel = ipip::Tunnel;
  using Pusher = ipip::Pusher;

  static Tunnel random_tunnel(RandomStream& random) {
    return {.source = encap::testing::random_address(random, Family::Ipv4).ipv4(),
            .destination = encap::testing::random_address(random, Family::Ipv4).ipv4(),
            .rules = encap::testing::random_rules(random, Encapsulation::Ipip, Family::Ipv4)};
  }
  static bool carries(Family family) { return family == Family::Ipv4; }
  static Bytes naive(const Tunnel& tunnel, const encap::testing::RandomPacket& inner,
                     std::uint16_t identification) {
    const encap::testing::NaiveOuter outer{*tunnel.rules, tunnel.source, tunnel.destination,
                                           identification};
    return outer.ip(4, inner, inner.bytes);
  }
  static Result<encap::Popped, Drop> pop(std::span<std::uint8_t> packet) {
    return ipip::pop(packet);
  }
  static encap::Parts parts_of(std::span<std::uint8_t> packet) {
    return encap::parts_of_ipv4(packet, wire::kIpv4InIp, Family::Ipv4);
  }
};

}  // namespace overlane::ipip::testing
