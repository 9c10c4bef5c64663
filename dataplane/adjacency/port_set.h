#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace overlane::adjacency {

/// A few UDP ports, of which most packets have none.
class PortSet {
 public:
  PortSet() = default;
  explicit PortSet(std::vector<std::uint16_t> ports) : ports_(std::move(ports)) {
    for (const std::uint16_t port : ports_)
      mask_ |= std::uint64_t{1} << port % 64;
  }

  bool contains(std::uint16_t port) const {
    return (mask_ >> port % 64 & 1u) != 0 && std::ranges::find(ports_, port) != ports_.end();
  }

 private:
  std::uint64_t mask_ = 0;  ///< Says no for most ports.
  std::vector<std::uint16_t> ports_;
};

}  // namespace overlane::adjacency
