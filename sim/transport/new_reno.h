#pragma once

#include <cstdint>

namespace overlane::transport {

/// NewReno's congestion avoidance (RFC 5681 section 3.1, with byte counting of RFC 3465): one more
/// segment per acknowledged window.
class NewReno {
 public:
  /// The window after a congestion event.
  static std::int64_t reduced(std::int64_t window) { return window / 2; }

  /// Growth of `window` for `acknowledged` new bytes.
  std::int64_t growth(std::int64_t window, std::int64_t acknowledged, std::uint32_t mss) {
    acknowledged_ += static_cast<std::uint32_t>(acknowledged);
    if (acknowledged_ < window) return 0;
    acknowledged_ -= static_cast<std::uint32_t>(window);
    return mss;
  }
  void congestion() { acknowledged_ = 0; }

 private:
  std::uint32_t acknowledged_ = 0;  ///< Since the last growth.
};

}  // namespace overlane::transport
