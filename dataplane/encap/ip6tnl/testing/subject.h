#pragma once

#include "dataplane/encap/ip6tnl/ip6tnl.h"
#include "dataplane/encap/testing/naive_headers.h"
#include "dataplane/encap/testing/random_rules.h"

namespace overlane::ip6tnl::testing {

using encap::testing::Bytes;

/// ip6tnl as a Subject of encap/testing/laws.h.
struct Subject {
  using Tunnel = ip6tnl::Tunnel;
  using Pusher = ip6tnl::Pusher;

  static Tunnel random_tunnel(RandomStream& random) {
    Tunnel tunnel{
        .source = encap::testing::random_address(random, Family::Ipv6),
        .destination = encap::testing::random_address(random, Family::Ipv6),
        .rules = encap::testing::random_rules(random, Encapsulation::Ip6Tnl, Family::Ipv6)};
    if (random.below(2) == 0) tunnel.limit.reset();
    return tunnel;
  }
  static bool carries(Family) { return true; }
  static Bytes naive(const Tunnel& tunnel, const encap::testing::RandomPacket& inner,
                     std::uint16_t /*identification*/) {
    const encap::testing::NaiveOuter outer{*tunnel.rules, tunnel.source, tunnel.destination};
    const std::uint8_t protocol = inner.family == Family::Ipv4 ? 4 : 41;
    auto limit = tunnel.limit;
    if (inner.encapsulation_limit)
      limit = static_cast<std::uint8_t>(*inner.encapsulation_limit - 1);
    if (!limit) return outer.ip(protocol, inner, inner.bytes);
    Bytes payload{protocol, 0, 4, 1, *limit, 1, 1, 0};
    payload.insert(payload.end(), inner.bytes.begin(), inner.bytes.end());
    return outer.ip(60, inner, payload);
  }
  static Result<encap::Popped, Drop> pop(std::span<std::uint8_t> packet) {
    return ip6tnl::pop(packet);
  }
  static encap::Parts parts_of(std::span<std::uint8_t> packet) { return ip6tnl::parts_of(packet); }
};

}  // namespace overlane::ip6tnl::testing
