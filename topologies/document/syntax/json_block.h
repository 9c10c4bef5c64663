#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace overlane::document {

/// The brackets in 64 bytes of JSON that begin outside of a string, without those in strings.
class JsonBlock {
 public:
  static constexpr std::size_t kBytes = 64;

  explicit JsonBlock(const char* bytes);

  /// As many of the bytes as are told about: all, or those before a string that goes on behind
  /// them. None if there is an escape or a line end in a string among them, for which one must look
  /// closer.
  std::size_t size() const { return size_; }
  std::size_t opened() const { return static_cast<std::size_t>(std::popcount(opens_)); }
  std::size_t closed() const { return static_cast<std::size_t>(std::popcount(closes_)); }

 private:
  std::size_t size_ = kBytes;
  std::uint64_t opens_ = 0;
  std::uint64_t closes_ = 0;
};

}  // namespace overlane::document
