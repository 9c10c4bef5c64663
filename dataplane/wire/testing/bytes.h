#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/net/testing/require.h"

namespace overlane::testing {

// Byte vectors in tests of decoders and encoders.

using Bytes = std::vector<std::uint8_t>;

/// Parses hexadecimal digits ("45 00 …"). Spaces are allowed between bytes.
inline Bytes hex(std::string_view text) {
  Bytes bytes;
  for (std::size_t at = 0; at + 1 < text.size(); ++at) {
    if (text[at] == ' ') continue;
    std::from_chars(text.data() + at, text.data() + at + 2, bytes.emplace_back(), 16);
    ++at;
  }
  return bytes;
}

inline Bytes operator+(Bytes front, const Bytes& back) {
  front.insert(front.end(), back.begin(), back.end());
  return front;
}

/// Copies the first `size` bytes, so that a sanitizer sees any read beyond them.
inline Bytes first(const Bytes& bytes, std::size_t size) {
  return {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)};
}

/// Requires that a parsed header is written as the `size` bytes that it was parsed from.
template <typename Header>
void require_same_bytes(const Header& header, std::size_t size,
                        std::span<const std::uint8_t> parsed) {
  require(size <= parsed.size());
  Bytes written(size);
  write(header, written);
  require(std::equal(written.begin(), written.end(), parsed.begin()));
}

}  // namespace overlane::testing
