#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace overlane::document {

/// Finds the brackets outside of strings in 64 bytes of JSON that start outside of a string.
class JsonBlock {
 public:
  static constexpr std::size_t kBytes = 64;

  explicit JsonBlock(const char* bytes);

  /// Number of scanned bytes: all, or those before a string that continues in the next block. 0 if
  /// a string contains an escape or a line end, which needs the slow scan.
  std::size_t size() const { return size_; }
  std::size_t opened() const { return static_cast<std::size_t>(std::popcount(opens_)); }
  std::size_t closed() const { return static_cast<std::size_t>(std::popcount(closes_)); }

 private:
  std::size_t size_ = kBytes;
  std::uint64_t opens_ = 0;
  std::uint64_t closes_ = 0;
};

}  // namespace overlane::document
