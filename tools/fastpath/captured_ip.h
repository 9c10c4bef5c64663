#pragma once

#include <optional>
#include <span>

#include "dataplane/capture/captured_packet.h"

namespace overlane::fastpath {

/// What a captured packet has from its IP header on; nothing when it carries none, is tagged for a
/// VLAN, or its link header is cut.
std::optional<std::span<const std::uint8_t>> ip_of(std::span<const std::uint8_t> bytes,
                                                   capture::LinkType link);

}  // namespace overlane::fastpath
