#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "dataplane/net/address.h"

namespace overlane {

// The closed list of encapsulations, and what is fixed about each: protocol numbers, overhead,
// which IP family can be inside and outside. Everything else that differs between kinds is in
// dataplane/encap/<kind>. docs/how-to/add-an-encapsulation.md lists what a new row needs.

/// How a packet is wrapped, named as Linux names the device kind. One row of kEncapsulations and
/// one folder under dataplane/encap each.
enum class Encapsulation : std::uint8_t { None, Ipip, Sit, Ip6Tnl, Vxlan, Geneve, Wireguard };

/// What is fixed about an encapsulation.
struct EncapsulationFacts {
  Encapsulation encapsulation;
  std::string_view name;
  /// Protocol number in the outer header for an inner packet of each family; 0 if that family
  /// cannot be inside.
  std::uint8_t protocol_of_ipv4;
  std::uint8_t protocol_of_ipv6;
  /// Length of the outer IP packet minus that of the inner one, in bytes, by the outer family; 0 if
  /// that family cannot be outside. WireGuard's padding comes on top.
  std::uint32_t overhead_over_ipv4;
  std::uint32_t overhead_over_ipv6;
};

inline constexpr std::array kEncapsulations = {
    EncapsulationFacts{Encapsulation::None, "none", 0, 0, 0, 0},
    // RFC 2003: one IPv4 header.
    EncapsulationFacts{Encapsulation::Ipip, "ipip", 4, 0, 20, 0},
    // RFC 4213, section 3: one IPv4 header with protocol 41.
    EncapsulationFacts{Encapsulation::Sit, "sit", 0, 41, 20, 0},
    // RFC 2473: one IPv6 header, and 8 bytes of destination options with the encapsulation limit,
    // which Linux adds unless a device says `encaplimit none` (ip6_tnl_xmit,
    // net/ipv6/ip6_tunnel.c).
    EncapsulationFacts{Encapsulation::Ip6Tnl, "ip6tnl", 4, 41, 0, 48},
    // RFC 7348: IPv4 20 or IPv6 40, UDP 8, VXLAN 8, inner Ethernet 14.
    EncapsulationFacts{Encapsulation::Vxlan, "vxlan", 17, 17, 50, 70},
    // RFC 8926: as VXLAN, with a Geneve header of 8 bytes; options come on top.
    EncapsulationFacts{Encapsulation::Geneve, "geneve", 17, 17, 50, 70},
    // The WireGuard paper, section 5.4.6: IPv4 20 or IPv6 40, UDP 8, header 16, tag 16.
    EncapsulationFacts{Encapsulation::Wireguard, "wireguard", 17, 17, 60, 80},
};

constexpr const EncapsulationFacts& facts(Encapsulation encapsulation) {
  return kEncapsulations[static_cast<std::size_t>(encapsulation)];
}
constexpr std::string_view to_string(Encapsulation e) {
  return facts(e).name;
}
/// The encapsulation of that name, if there is one.
constexpr std::optional<Encapsulation> encapsulation_named(std::string_view name) {
  for (const EncapsulationFacts& row : kEncapsulations) {
    if (row.name == name) return row.encapsulation;
  }
  return std::nullopt;
}

/// Whether the encapsulation exists with an outer header of family `underlay`.
constexpr bool runs_over(Encapsulation e, Family underlay) {
  const bool over_ipv4 = underlay == Family::Ipv4;
  return e == Encapsulation::None ||
         (over_ipv4 ? facts(e).overhead_over_ipv4 : facts(e).overhead_over_ipv6) != 0;
}
/// Whether a packet of family `inner` can be inside.
constexpr bool carries(Encapsulation e, Family inner) {
  const bool ipv4 = inner == Family::Ipv4;
  return e == Encapsulation::None ||
         (ipv4 ? facts(e).protocol_of_ipv4 : facts(e).protocol_of_ipv6) != 0;
}

/// Bytes that a device with Linux's defaults puts in front of an IP packet; 0 unless runs_over().
constexpr std::uint32_t overhead(Encapsulation e, Family underlay) {
  return underlay == Family::Ipv4 ? facts(e).overhead_over_ipv4 : facts(e).overhead_over_ipv6;
}
/// Overhead in bytes over an IPv4 underlay.
constexpr std::uint32_t overhead(Encapsulation e) {
  return overhead(e, Family::Ipv4);
}

}  // namespace overlane
