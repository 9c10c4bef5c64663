#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "dataplane/fib/prefix_table.h"
#include "dataplane/node/state/fabric_state.h"

namespace overlane::path {

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

}  // namespace overlane::path
