#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>

#include "dataplane/net/drop.h"
#include "dataplane/wire/problem.h"
#include "results/finding/finding.h"

namespace overlane::wire {

// The VXLAN header (RFC 7348) and VXLAN-GPE, which is recognised in order not to be taken for
// VXLAN.

inline constexpr std::size_t kVxlanBytes = 8;

inline constexpr std::uint16_t kVxlanPort = 4789;       ///< RFC 7348.
inline constexpr std::uint16_t kVxlanLinuxPort = 8472;  ///< Linux' default, older than the RFC.

/// Bits of VxlanHeader::flags. All but kVxlanVni are reserved in VXLAN.
inline constexpr std::uint8_t kVxlanVni = 0x08;
/// Says that it is VXLAN-GPE (VxlanGpeHeader): a protocol number stands in the reserved field.
inline constexpr std::uint8_t kVxlanNextProtocol = 0x04;

/// A VXLAN header (RFC 7348, section 5).
struct VxlanHeader {
  std::uint32_t vni = 0;  ///< 24 bits.
  std::uint8_t flags = kVxlanVni;
  std::uint32_t reserved_24 = 0;  ///< Behind the flags.
  std::uint8_t reserved_8 = 0;    ///< Behind the VNI.

  auto operator<=>(const VxlanHeader&) const = default;
};

/// The header and what is wrong with it: Problem::VniNotValid, and Problem::ReservedBits, which
/// RFC 7348 has receivers ignore and vxlan_rcv drops (drivers/net/vxlan/vxlan_core.c). Nothing when
/// there are fewer than 8 bytes.
std::optional<Inspected<VxlanHeader>> inspect_vxlan(std::span<const std::uint8_t> payload);

/// Drop::Malformed when it is truncated or the I flag is clear. Reserved bits are left to the
/// caller.
Result<VxlanHeader, Drop> parse_vxlan(std::span<const std::uint8_t> payload);

/// Writes kVxlanBytes to the front of `to`, which must hold them.
void write(const VxlanHeader& header, std::span<std::uint8_t> to);

inline constexpr std::size_t kVxlanGpeBytes = 8;
inline constexpr std::uint16_t kVxlanGpePort = 4790;

/// Values of VxlanGpeHeader::next_protocol (draft-ietf-nvo3-vxlan-gpe, section 3.2).
inline constexpr std::uint8_t kGpeIpv4 = 1;
inline constexpr std::uint8_t kGpeIpv6 = 2;
inline constexpr std::uint8_t kGpeEthernet = 3;
inline constexpr std::uint8_t kGpeNsh = 4;

/// A VXLAN-GPE header (draft-ietf-nvo3-vxlan-gpe, section 3.1): recognised, so that it is not taken
/// for VXLAN, of which only its P flag and usually its port tell it apart.
struct VxlanGpeHeader {
  std::uint8_t version = 0;       ///< 2 bits.
  bool has_vni = true;            ///< I.
  bool has_next_protocol = true;  ///< P; else the payload is an Ethernet frame.
  bool is_flooded = false;        ///< B: broadcast, unknown or multicast traffic.
  bool is_maintenance = false;    ///< O: an OAM packet.
  std::uint16_t reserved_16 = 0;  ///< Behind the flags.
  std::uint8_t next_protocol = kGpeEthernet;
  std::uint32_t vni = 0;        ///< 24 bits.
  std::uint8_t reserved_8 = 0;  ///< Behind the VNI.

  auto operator<=>(const VxlanGpeHeader&) const = default;
};

/// Whether the payload of a UDP datagram to `destination_port` is VXLAN-GPE rather than VXLAN: by
/// its port, or by the P flag of its first byte.
bool is_vxlan_gpe(std::uint16_t destination_port, std::span<const std::uint8_t> payload);

/// The header and what is wrong with it: Problem::WrongVersion when it is not 0,
/// Problem::VniNotValid, Problem::ReservedBits. Nothing when there are fewer than 8 bytes.
std::optional<Inspected<VxlanGpeHeader>> inspect_vxlan_gpe(std::span<const std::uint8_t> payload);

/// Drop::Malformed when it is truncated, of another version or without a VNI.
Result<VxlanGpeHeader, Drop> parse_vxlan_gpe(std::span<const std::uint8_t> payload);

/// Writes kVxlanGpeBytes to the front of `to`, which must hold them. Reserved flags are zero.
void write(const VxlanGpeHeader& header, std::span<std::uint8_t> to);

}  // namespace overlane::wire
