#pragma once

#include <cstdint>
#include <cstring>

#include "dataplane/net/address.h"
#include "dataplane/net/byte_order.h"

namespace overlane::adjacency {

/// A link-layer address to compare with what stands in frames.
class MacWord {
 public:
  explicit MacWord(const MacAddress& mac) {
    std::memcpy(&word_, mac.bytes.data(), mac.bytes.size());
  }

  /// Whether these bytes are that address. Two more must be there to read.
  bool is_at(const std::uint8_t* at) const {
    return ((load<std::uint64_t>(at) ^ word_) & kMask) == 0;
  }

 private:
  static constexpr std::uint64_t kMask = network_order(std::uint64_t{0xffffffffffff0000});
  std::uint64_t word_ = 0;
};

}  // namespace overlane::adjacency
