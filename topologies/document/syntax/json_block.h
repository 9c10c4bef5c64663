#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace overlane::document {

/// Finds the brackets outside of strings in 64 bytes of JSON.
class JsonBlock {
 public:
  static constexpr std::size_t kBytes = 64;

  /// `in_string`: the bytes start within a string.
  JsonBlock(const char* bytes, bool in_string);

  /// Whether a string contains an escape or a line end, which needs the slow scan.
  bool needs_slow_scan() const { return needs_slow_scan_; }
  bool ends_in_string() const { return ends_in_string_; }
  std::size_t opened() const { return static_cast<std::size_t>(std::popcount(opens_)); }
  std::size_t closed() const { return static_cast<std::size_t>(std::popcount(closes_)); }

 private:
  bool needs_slow_scan_;
  bool ends_in_string_;
  std::uint64_t opens_;
  std::uint64_t closes_;
};

}  // namespace overlane::document
