#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "dataplane/net/address.h"

namespace overlane::path {

/// What a walk asked for beyond the states of its two nodes and the addresses of its receiver.
struct Detour {
  bool asks_for_sender = false;      ///< The fabric, for an address of the sending node.
  bool looks_up_others = false;      ///< A node, a route for an address that is neither node's.
  std::vector<std::uint32_t> nodes;  ///< Others that it entered or was routed to. Sorted.
  std::vector<IpAddress> addresses;  ///< Others that it asked the fabric for. Sorted.

  auto operator<=>(const Detour&) const = default;
};

/// Gives detours small numbers.
class Detours {
 public:
  using Number = std::uint16_t;
  static constexpr int kBits = 10;
  static constexpr Number kNone = 0;                ///< Of the empty detour.
  static constexpr Number kAny = (1 << kBits) - 1;  ///< May ask for everything.

  Detours() { clear(); }
  /// Nothing when all numbers are in use.
  std::optional<Number> number(const Detour& detour);
  /// By number; kAny is not among them.
  const std::vector<Detour>& all() const { return all_; }
  void clear();

 private:
  std::map<Detour, Number> numbers_;
  std::vector<Detour> all_;
};

}  // namespace overlane::path
