#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "dataplane/net/address.h"
#include "dataplane/net/drop.h"
#include "results/finding/finding.h"

namespace overlane::wire {

// Ethernet II headers and the VLAN tags (IEEE 802.1Q) behind them. Parsers never read beyond the
// given bytes and return a Drop for a truncated header.

inline constexpr std::size_t kEthernetBytes = 14;
/// EtherTypes (IEEE 802 numbers, IANA). A value below kFirstEtherType is a length, and an LLC
/// header follows.
inline constexpr std::uint16_t kFirstEtherType = 0x0600;
inline constexpr std::uint16_t kEtherTypeIpv4 = 0x0800;
inline constexpr std::uint16_t kEtherTypeArp = 0x0806;
inline constexpr std::uint16_t kEtherTypeIpv6 = 0x86dd;

/// An Ethernet II header up to the first EtherType, which may announce a VLAN tag.
struct EthernetHeader {
  MacAddress destination;
  MacAddress source;
  std::uint16_t ether_type = kEtherTypeIpv4;

  auto operator<=>(const EthernetHeader&) const = default;
};

/// Parses the header at the front of `frame`. Drop::Malformed if there are fewer than 14 bytes.
Result<EthernetHeader, Drop> parse_ethernet(std::span<const std::uint8_t> frame);

/// Writes kEthernetBytes to the front of `to`, which must hold them.
void write(const EthernetHeader& header, std::span<std::uint8_t> to);

/// Returns an Ethernet frame with an IP packet. The EtherType follows from the packet's IP version.
std::vector<std::uint8_t> framed(std::span<const std::uint8_t> packet,
                                 const MacAddress& destination, const MacAddress& source);

inline constexpr std::size_t kVlanTagBytes = 4;
inline constexpr std::uint16_t kEtherTypeVlan = 0x8100;         ///< 802.1Q, a customer tag.
inline constexpr std::uint16_t kEtherTypeServiceVlan = 0x88a8;  ///< 802.1ad, the outer of two.

/// True if a VLAN tag follows this EtherType.
constexpr bool announces_vlan(std::uint16_t ether_type) {
  return ether_type == kEtherTypeVlan || ether_type == kEtherTypeServiceVlan;
}

/// The four bytes behind a tag's EtherType (IEEE 802.1Q, 9.6): the tag's control field and the next
/// EtherType.
struct VlanTag {
  std::uint8_t priority = 0;  ///< 3 bits.
  bool drop_eligible = false;
  std::uint16_t vlan_id = 0;  ///< 12 bits.
  std::uint16_t ether_type = 0;

  auto operator<=>(const VlanTag&) const = default;
};

/// Parses one tag. Drop::Malformed if there are fewer than 4 bytes. Another tag may follow if
/// announces_vlan() is true for its EtherType.
Result<VlanTag, Drop> parse_vlan(std::span<const std::uint8_t> behind_ether_type);

/// Writes kVlanTagBytes to the front of `to`, which must hold them.
void write(const VlanTag& tag, std::span<std::uint8_t> to);

}  // namespace overlane::wire
