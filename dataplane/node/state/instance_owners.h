#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "dataplane/fib/prefix_table.h"
#include "dataplane/net/address.h"
#include "dataplane/net/flow_hash.h"
#include "dataplane/node/state/fabric_state.h"

namespace overlane::node {

/// Which instance of a fabric's state owns an address (Instance::owns), without asking each.
class InstanceOwners {
 public:
  /// Good until the state changes.
  explicit InstanceOwners(const FabricState& state);

  /// The number of the first instance that owns it, or nothing.
  std::optional<std::uint32_t> find(IpAddress address) const;

 private:
  std::unordered_map<IpAddress, std::uint32_t, AddressHash> by_address_;
  fib::PrefixTable<std::uint32_t> by_prefix_;  ///< The first with that prefix.
};

}  // namespace overlane::node
