#pragma once

#include <cstdint>
#include <optional>

namespace overlane::encap {

/// The ECN field: the lower two bits of the IPv4 TOS byte (RFC 3168).
enum class Ecn : std::uint8_t { NotEct = 0, Ect1 = 1, Ect0 = 2, Ce = 3 };

inline constexpr std::uint8_t kEcnMask = 3;

constexpr Ecn ecn_of(std::uint8_t tos) {
  return static_cast<Ecn>(tos & kEcnMask);
}
constexpr std::uint8_t with_ecn(std::uint8_t tos, Ecn ecn) {
  return static_cast<std::uint8_t>((tos & ~kEcnMask) | static_cast<std::uint8_t>(ecn));
}

/// The outer field on encapsulation. RFC 6040 copies the inner one; Linux sends ECT(0) for an inner
/// CE (INET_ECN_encapsulate, include/net/inet_ecn.h), and Linux is what nodes run.
constexpr Ecn outer_ecn(Ecn inner) {
  return inner == Ecn::Ce ? Ecn::Ect0 : inner;
}

/// The inner field after decapsulation (RFC 6040, figure 4); nothing when the packet must be
/// dropped: congestion was marked on a packet whose sender cannot hear of it.
constexpr std::optional<Ecn> inner_ecn(Ecn inner, Ecn outer) {
  if (outer == Ecn::Ce) {
    if (inner == Ecn::NotEct) return std::nullopt;
    return Ecn::Ce;
  }
  // Linux follows this row of the RFC since 5.11 (b723748750ec).
  if (inner == Ecn::Ect0 && outer == Ecn::Ect1) return Ecn::Ect1;
  return inner;
}

}  // namespace overlane::encap
