#pragma once

#include <cstdint>
#include <span>

#include "dataplane/net/address.h"
#include "dataplane/net/drop.h"
#include "results/finding/result.h"

namespace overlane::wire {

inline constexpr std::size_t kEthernetBytes = 14;
inline constexpr std::uint16_t kEtherTypeIpv4 = 0x0800;

/// An Ethernet II header, without VLAN tags.
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

}  // namespace overlane::wire
