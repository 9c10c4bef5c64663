#include "dataplane/neighbour/packet_source.h"

#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"

namespace overlane::neighbour {

std::optional<IpAddress> source_of(std::span<const std::uint8_t> packet) {
  if (packet.empty()) return std::nullopt;
  if (packet[0] >> 4 == 6) {
    const auto header = wire::parse_quoted_ipv6(packet);
    return header ? std::optional(header->source) : std::nullopt;
  }
  const auto header = wire::parse_quoted_ipv4(packet);
  return header ? std::optional(IpAddress(header->source)) : std::nullopt;
}

}  // namespace overlane::neighbour
