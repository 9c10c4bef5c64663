#pragma once

#include <optional>

#include "dataplane/reference/packet_bytes.h"

namespace overlane::reference {

/// The naive encoders: outer headers spelt out byte for byte, with identification 0.
Bytes wrap_in_ipip(const Bytes& inner, IpAddress source, IpAddress destination);
Bytes wrap_in_vxlan(const Bytes& inner, IpAddress source, IpAddress destination, std::uint32_t vni,
                    std::uint16_t port);

/// The inner TOS byte after decapsulation; nothing when the packet must be dropped.
std::optional<std::uint8_t> tos_after_unwrapping(std::uint8_t inner, std::uint8_t outer);

}  // namespace overlane::reference
