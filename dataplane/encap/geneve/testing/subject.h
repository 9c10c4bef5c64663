#pragma once

#include <array>

#include "dataplane/encap/geneve/geneve.h"
#include "dataplane/encap/testing/naive_headers.h"
#include "dataplane/encap/testing/random_rules.h"

namespace overlane::geneve::testing {

using encap::testing::Bytes;

/// Geneve as a Subject of encap/testing/laws.h.
struct Subject {
  struct Tunnel : geneve::Tunnel {
    /// The bytes of `options`. Pusher sets the span, so that a copied tunnel does not point into
    /// its original.
    Bytes option_bytes;
    bool critical = false;
  };
  struct Pusher : geneve::Pusher {
    explicit Pusher(const Tunnel& tunnel) : geneve::Pusher(with_options(tunnel)) {}
    static geneve::Tunnel with_options(const Tunnel& tunnel) {
      geneve::Tunnel plain = tunnel;
      plain.options = tunnel.option_bytes;
      return plain;
    }
  };

  static constexpr Accepts kAccepts{
      .zero_checksum_over_ipv6 = true, .ip_inside = true, .critical_options = true};

  static void append_option(Tunnel& tunnel, RandomStream& random) {
    const std::uint64_t words = random.below(5);
    if (tunnel.option_bytes.size() + 4 + words * 4 > kMaxOptionBytes) return;
    const std::uint64_t type = random.below(256);
    tunnel.critical |= type >= 128;
    encap::testing::append(tunnel.option_bytes, random.next(), 2);
    encap::testing::append(tunnel.option_bytes, type, 1);
    encap::testing::append(tunnel.option_bytes, words, 1);
    for (std::uint64_t i = 0; i < words; ++i)
      encap::testing::append(tunnel.option_bytes, random.next(), 4);
  }

  static Tunnel random_tunnel(RandomStream& random) {
    const Family underlay = random.below(2) == 0 ? Family::Ipv4 : Family::Ipv6;
    Tunnel tunnel;
    tunnel.source = encap::testing::random_address(random, underlay);
    tunnel.destination = encap::testing::random_address(random, underlay);
    tunnel.vni = static_cast<std::uint32_t>(random.below(1 << 24));
    tunnel.inner_source = encap::testing::random_mac(random);
    tunnel.inner_destination = encap::testing::random_mac(random);
    tunnel.inner_proto_inherit = random.below(3) == 0;
    tunnel.rules = encap::testing::random_rules(random, Encapsulation::Geneve, underlay);
    for (std::uint64_t left = random.below(2) * random.below(20); left > 0; --left)
      append_option(tunnel, random);
    return tunnel;
  }
  static bool carries(Family) { return true; }
  static Bytes naive(const Tunnel& tunnel, const encap::testing::RandomPacket& inner,
                     std::uint16_t identification) {
    const std::uint64_t type = inner.family == Family::Ipv4 ? 0x0800 : 0x86dd;
    Bytes bytes;
    encap::testing::append(bytes, tunnel.option_bytes.size() / 4, 1);
    encap::testing::append(bytes, tunnel.critical ? 0x40 : 0, 1);
    encap::testing::append(bytes, tunnel.inner_proto_inherit ? type : 0x6558, 2);
    encap::testing::append(bytes, std::uint64_t{tunnel.vni} * 256, 4);
    bytes.insert(bytes.end(), tunnel.option_bytes.begin(), tunnel.option_bytes.end());
    if (!tunnel.inner_proto_inherit) {
      for (const std::uint8_t byte : tunnel.inner_destination.bytes)
        bytes.push_back(byte);
      for (const std::uint8_t byte : tunnel.inner_source.bytes)
        bytes.push_back(byte);
      encap::testing::append(bytes, type, 2);
    }
    bytes.insert(bytes.end(), inner.bytes.begin(), inner.bytes.end());
    const encap::testing::NaiveOuter outer{*tunnel.rules, tunnel.source, tunnel.destination,
                                           identification};
    return outer.udp(inner, bytes);
  }
  static Result<encap::Popped, Drop> pop(std::span<std::uint8_t> packet) {
    return geneve::pop(packet, kAccepts);
  }
  static encap::Parts parts_of(std::span<std::uint8_t> packet) {
    return geneve::parts_of(packet, kAccepts);
  }
};

}  // namespace overlane::geneve::testing
