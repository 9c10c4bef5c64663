#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>

#include "dataplane/net/drop.h"
#include "dataplane/wire/problem.h"
#include "results/finding/finding.h"

namespace overlane::wire {

inline constexpr std::size_t kVxlanBytes = 8;

inline constexpr std::uint16_t kVxlanPort = 4789;       ///< RFC 7348.
inline constexpr std::uint16_t kVxlanLinuxPort = 8472;  ///< Linux' default, older than the RFC.

/// Bits of VxlanHeader::flags. All but kVxlanVni are reserved in VXLAN.
inline constexpr std::uint8_t kVxlanVni = 0x08;
/// Says that it is VXLAN-GPE (vxlan_gpe.h): a protocol number stands in the reserved field.
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

}  // namespace overlane::wire
