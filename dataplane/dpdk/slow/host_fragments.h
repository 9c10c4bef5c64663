#pragma once

#include <cstdint>
#include <functional>
#include <span>

namespace overlane::dpdk {

/// Hands `take` a packet as fragments of at most `mtu` bytes, or whole where it fits. For packets
/// that the node put together for itself: its stack, on a link, takes them only as they could have
/// come. DF is no hindrance, for they came in fragments. IPv6 fragments get `identification`, which
/// should be another each time. Needs an `mtu` of 68 at the least.
void as_fragments(std::span<const std::uint8_t> packet, std::uint32_t mtu,
                  std::uint32_t identification,
                  const std::function<void(std::span<const std::uint8_t>)>& take);

}  // namespace overlane::dpdk
