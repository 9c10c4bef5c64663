#pragma once

#include <algorithm>
#include <span>

#include "dataplane/net/testing/require.h"
#include "dataplane/wire/testing/bytes.h"

namespace overlane::testing {

/// A parsed header is written as the `size` bytes that it was parsed from.
template <typename Header>
void require_same_bytes(const Header& header, std::size_t size,
                        std::span<const std::uint8_t> parsed) {
  require(size <= parsed.size());
  Bytes written(size);
  write(header, written);
  require(std::equal(written.begin(), written.end(), parsed.begin()));
}

}  // namespace overlane::testing
