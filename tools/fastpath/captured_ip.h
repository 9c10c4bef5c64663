#pragma once

#include <optional>
#include <span>

#include "dataplane/capture/capture_reader.h"

namespace overlane::fastpath {

/// The bytes of a captured packet from its IP header; nothing if it has none, has a VLAN tag, or
/// its link header is truncated.
std::optional<std::span<const std::uint8_t>> ip_of(std::span<const std::uint8_t> bytes,
                                                   capture::LinkType link);

}  // namespace overlane::fastpath
