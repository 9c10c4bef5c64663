#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dataplane/net/address.h"
#include "dataplane/net/drop.h"
#include "results/finding/finding.h"

namespace overlane::wire {

inline constexpr std::size_t kEthernetBytes = 14;
/// EtherTypes (IEEE 802 numbers, IANA). Below kFirstEtherType stands a length, and LLC behind it.
inline constexpr std::uint16_t kFirstEtherType = 0x0600;
inline constexpr std::uint16_t kEtherTypeIpv4 = 0x0800;
inline constexpr std::uint16_t kEtherTypeArp = 0x0806;
inline constexpr std::uint16_t kEtherTypeIpv6 = 0x86dd;

/// An Ethernet II header up to the first EtherType, which may announce a VLAN tag (vlan.h).
struct EthernetHeader {
  MacAddress destination;
  MacAddress source;
  std::uint16_t ether_type = kEtherTypeIpv4;

  auto operator<=>(const EthernetHeader&) const = default;
};

/// Drop::Malformed when there are fewer than 14 bytes.
Result<EthernetHeader, Drop> parse_ethernet(std::span<const std::uint8_t> frame);

/// Writes kEthernetBytes to the front of `to`, which must hold them.
void write(const EthernetHeader& header, std::span<std::uint8_t> to);

/// An IP packet in a frame, with the EtherType of the version that it begins with.
std::vector<std::uint8_t> framed(std::span<const std::uint8_t> packet,
                                 const MacAddress& destination, const MacAddress& source);

}  // namespace overlane::wire
