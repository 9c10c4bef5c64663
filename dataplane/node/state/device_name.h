#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <compare>
#include <string_view>

namespace overlane::node {

/// The name of a network device, at most 15 characters (IFNAMSIZ, linux/if.h). Held in place, so
/// that a route can be copied without allocating.
class DeviceName {
 public:
  static constexpr std::size_t kLongest = 15;

  constexpr DeviceName() = default;
  constexpr DeviceName(std::string_view name) {  // NOLINT: reads as a name
    assert(name.size() <= kLongest);
    std::ranges::copy(name.substr(0, kLongest), name_.begin());
  }
  constexpr DeviceName(const char* name) : DeviceName(std::string_view(name)) {}  // NOLINT

  constexpr std::string_view view() const { return name_.data(); }
  constexpr bool empty() const { return name_[0] == '\0'; }

  auto operator<=>(const DeviceName&) const = default;

 private:
  std::array<char, kLongest + 1> name_{};
};

}  // namespace overlane::node
