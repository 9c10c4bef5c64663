#pragma once

#include <compare>
#include <cstdint>

namespace overlane::node {

/// Ports, or ICMP identifiers, `first` to `last`.
struct PortRange {
  std::uint16_t first = 0;
  std::uint16_t last = 0;

  constexpr bool contains(std::uint16_t port) const { return first <= port && port <= last; }
  constexpr std::uint32_t size() const { return std::uint32_t{last} - first + 1; }
  auto operator<=>(const PortRange&) const = default;
};

}  // namespace overlane::node
