#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "dataplane/fib/prefix_table.h"
#include "dataplane/net/address.h"
#include "dataplane/node/state/fabric_state.h"

namespace overlane::path {

// What a walk read besides its sender and its receiver, and which of that a change of the fabric
// touches. Most walks read nothing else, so a detour is a small number beside the outcome of a
// pair; pairs whose detour is touched by a change are walked again.

/// For which addresses a fabric gives another answer than before: another route, another owner.
class ChangedAddresses {
 public:
  explicit ChangedAddresses(const node::FabricState& fabric)
      : fabric_(fabric), routes_(fabric.route_tables.size()) {}

  void add_route(std::uint32_t table, const IpPrefix& destination) {
    routes_.at(table).set(destination, true);
    any_ = true;
  }
  void add_owner(const IpPrefix& owned) {
    owned_.set(owned, true);
    any_ = true;
  }

  /// Whether a table's route for the address changed, or which instance owns it. A changed prefix
  /// behind a longer one, which did not change, concerns no address in that.
  bool concern(IpAddress address) const {
    if (!any_) return false;
    if (owned_.longest_match(address) != nullptr) return true;
    for (std::size_t table = 0; table < routes_.size(); ++table) {
      const auto* changed = routes_[table].longest_match(address);
      if (changed == nullptr) continue;
      const auto* used = fabric_.route_tables[table].routes.longest_match(address);
      if (used == nullptr || used->first.bits() <= changed->first.bits()) return true;
    }
    return false;
  }
  bool concern(const std::vector<IpAddress>& addresses) const {
    return std::ranges::any_of(addresses, [&](IpAddress address) { return concern(address); });
  }

 private:
  const node::FabricState& fabric_;
  std::vector<fib::PrefixTable<bool>> routes_;  ///< By route table.
  fib::PrefixTable<bool> owned_;
  bool any_ = false;
};

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
  static constexpr Number kNone = 0;                ///< The empty detour.
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
