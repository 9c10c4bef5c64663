#pragma once

#include <cstdint>
#include <span>

#include "dataplane/encap/encapsulation.h"
#include "dataplane/net/address.h"
#include "dataplane/net/drop.h"
#include "results/finding/result.h"

namespace overlane::encap {

/// What one tunnel packet's outer headers say beyond what follows from the inner packet.
struct TunnelHeader {
  Ipv4Address source;
  Ipv4Address destination;
  std::uint16_t identification = 0;
  // VXLAN only.
  std::uint32_t vni = 0;
  std::uint16_t destination_port = 0;
  MacAddress inner_source_mac;
  MacAddress inner_destination_mac;

  auto operator<=>(const TunnelHeader&) const = default;
};

/// Writes the outer headers by the rules of outer_header.h into the first overhead(encapsulation)
/// bytes of `packet`, behind which the inner IPv4 packet already stands and is left as it is.
/// Drop::Malformed when that is no IPv4 packet of exactly that size, or too long once wrapped. The
/// outer UDP checksum is zero, as RFC 7348 asks (Linux fills it in only for a device with udpcsum).
Result<TunnelHeader, Drop> push(Encapsulation encapsulation, const TunnelHeader& header,
                                std::span<std::uint8_t> packet);

/// A tunnel packet's headers and the packet that was in it.
struct Popped {
  TunnelHeader header;
  std::uint16_t source_port = 0;  ///< VXLAN.
  std::span<std::uint8_t> inner;
};

/// Finds the inner packet of `packet`, an IPv4 packet that is no fragment, and sets its ECN field
/// (with its checksum) by RFC 6040. Everything is checked before it is believed: lengths, both IPv4
/// checksums, a UDP checksum that is not zero, the VXLAN flag, the inner EtherType.
Result<Popped, Drop> pop(Encapsulation encapsulation, std::span<std::uint8_t> packet);

}  // namespace overlane::encap
