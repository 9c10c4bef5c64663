#pragma once

#include <array>
#include <compare>
#include <optional>

#include "dataplane/net/address.h"

namespace overlane::graph {

inline constexpr std::array kFamilies = {Family::Ipv4, Family::Ipv6};

/// An optional value per IP family.
template <typename T>
struct ByFamily {
  std::optional<T> ipv4;
  std::optional<T> ipv6;

  std::optional<T>& operator[](Family family) { return family == Family::Ipv4 ? ipv4 : ipv6; }
  /// Null when there is none.
  const T* in(Family family) const {
    const auto& value = family == Family::Ipv4 ? ipv4 : ipv6;
    return value ? &*value : nullptr;
  }

  auto operator<=>(const ByFamily&) const = default;
};

}  // namespace overlane::graph
