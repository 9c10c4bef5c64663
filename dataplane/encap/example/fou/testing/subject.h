#pragma once

#include "dataplane/encap/example/fou/fou.h"
#include "dataplane/encap/testing/naive_headers.h"

namespace overlane::fou::testing {

using encap::testing::Bytes;

/// FOU as a Subject of encap/testing/laws.h.
struct Subject {
  using Tunnel = fou::Tunnel;
  using Pusher = fou::Pusher;

  static Tunnel random_tunnel(RandomStream& random) {
    return {.source = encap::testing::random_address(random, Family::Ipv4).ipv4(),
            .destination = encap::testing::random_address(random, Family::Ipv4).ipv4()};
  }
  static bool carries(Family family) { return family == Family::Ipv4; }
  static Bytes naive(const Tunnel& tunnel, const encap::testing::RandomPacket& inner,
                     std::uint16_t identification) {
    const encap::testing::NaiveOuter outer{tunnel.rules, tunnel.source, tunnel.destination,
                                           identification};
    return outer.udp(inner, inner.bytes);
  }
  static Result<encap::Popped, Drop> pop(std::span<std::uint8_t> packet) {
    return fou::pop(packet);
  }
};

}  // namespace overlane::fou::testing
