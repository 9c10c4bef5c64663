#pragma once

#include <span>

#include "dataplane/adjacency/address_class.h"
#include "dataplane/fib/prefix_table.h"

namespace overlane::adjacency {

/// The tables of a state by the class of an address, for forward::NodeDecision. `Finder` is any
/// longest-prefix match over the classes' prefixes: `(address)` → position of its class.
template <typename Finder>
class ClassLookup {
 public:
  ClassLookup(const node::NodeState& state, std::span<const AddressClass> classes,
              const Finder& find)
      : state_(state), classes_(classes), find_(find) {}

  const node::NodeState& state() const { return state_; }
  const std::optional<node::RouteMatch>& route(IpAddress address) const {
    return class_of(address).route;
  }
  const node::Device* device(node::DeviceName name) const { return state_.find_device(name); }
  const node::Device* uplink() const { return state_.uplink(); }
  const node::Device* receiving_device(const node::TunnelKey& key) const {
    return node::receiving_device(state_, key);
  }
  bool is_local(IpAddress address) const { return class_of(address).is_local; }
  bool is_member(IpAddress address) const { return class_of(address).is_member; }
  /// Asked about next hops only, which have no class of their own.
  const node::Member* neighbour(IpAddress address) const {
    return state_.cluster->with_tunnel_address(address);
  }

 private:
  const AddressClass& class_of(IpAddress address) const { return classes_[find_(address)]; }

  const node::NodeState& state_;
  std::span<const AddressClass> classes_;
  const Finder& find_;
};

/// The Finder that needs no table of DPDK's.
class PrefixFinder {
 public:
  explicit PrefixFinder(std::span<const AddressClass> classes);
  std::uint32_t operator()(IpAddress address) const {
    return table_.longest_match(address)->second;
  }

 private:
  fib::PrefixTable<std::uint32_t> table_;
};

}  // namespace overlane::adjacency
