#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "dataplane/net/address.h"

namespace overlane::wire {

/// What a checksum that covers a pseudo header turns out to be.
enum class ChecksumState : std::uint8_t {
  Right,
  Absent,   ///< UDP sent 0: none was computed.
  Partial,  ///< The pseudo header's sum alone: captured before the NIC filled in the rest.
  Wrong,
};

/// The state of the checksum of a whole TCP, UDP or ICMPv6 segment between these addresses. Nothing
/// for another protocol or a segment that ends before the field.
std::optional<ChecksumState> checksum_state(const IpAddress& source, const IpAddress& destination,
                                            std::uint8_t protocol,
                                            std::span<const std::uint8_t> segment);

}  // namespace overlane::wire
