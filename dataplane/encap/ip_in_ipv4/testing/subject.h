#pragma once

#include "dataplane/encap/ip_in_ipv4/ip_in_ipv4.h"
#include "dataplane/encap/testing/naive_headers.h"
#include "dataplane/encap/testing/random_rules.h"

namespace overlane::encap::testing {

/// Subject of encap/testing/laws.h for both kinds of IP in IPv4. `kPop` is pop() of the kind.
template <typename PusherOfKind, Encapsulation kEncapsulation, std::uint8_t kProtocol,
          Family kInner, auto kPop>
struct IpInIpv4Subject {
  using Tunnel = IpInIpv4Tunnel;
  using Pusher = PusherOfKind;
  static constexpr Family kInnerFamily = kInner;

  static Tunnel random_tunnel(RandomStream& random) {
    return {.source = random_address(random, Family::Ipv4).ipv4(),
            .destination = random_address(random, Family::Ipv4).ipv4(),
            .rules = random_rules(random, kEncapsulation, Family::Ipv4)};
  }
  static bool carries(Family family) { return family == kInner; }
  static Bytes naive(const Tunnel& tunnel, const RandomPacket& inner,
                     std::uint16_t identification) {
    const NaiveOuter outer{*tunnel.rules, tunnel.source, tunnel.destination, identification};
    return outer.ip(kProtocol, inner, inner.bytes);
  }
  static Result<Popped, Drop> pop(std::span<std::uint8_t> packet) { return kPop(packet); }
  static Parts parts_of(std::span<std::uint8_t> packet) {
    return parts_of_ipv4(packet, kProtocol, kInner);
  }
};

}  // namespace overlane::encap::testing

namespace overlane::ipip::testing {

using encap::testing::Bytes;
using Subject = encap::testing::IpInIpv4Subject<Pusher, Encapsulation::Ipip, 4, Family::Ipv4, pop>;

}  // namespace overlane::ipip::testing

namespace overlane::sit::testing {

using encap::testing::Bytes;
using Subject = encap::testing::IpInIpv4Subject<Pusher, Encapsulation::Sit, 41, Family::Ipv6, pop>;

}  // namespace overlane::sit::testing
