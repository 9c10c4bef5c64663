#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "dataplane/net/address.h"

namespace overlane::neighbour {

/// Whom a packet of either family says it comes from; nothing when its header is not sound.
std::optional<IpAddress> source_of(std::span<const std::uint8_t> packet);

}  // namespace overlane::neighbour
