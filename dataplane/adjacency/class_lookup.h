#pragma once

#include <span>

#include "dataplane/adjacency/address_class.h"
#include "dataplane/fib/prefix_table.h"
#include "dataplane/forward/state_lookup.h"

namespace overlane::adjacency {

/// The tables of a state by the class of an address, for forward::NodeDecision; what is asked by
/// name, and about next hops, which have no class of their own, as forward::StateLookup has it.
/// `Finder` is any longest-prefix match over the classes' prefixes: `(address)` → position of its
/// class.
template <typename Finder>
class ClassLookup : public forward::StateLookup {
 public:
  ClassLookup(const node::NodeState& state, std::span<const AddressClass> classes,
              const Finder& find)
      : StateLookup(state), classes_(classes), find_(find) {}

  const std::optional<node::RouteMatch>& route(IpAddress address) const {
    return class_of(address).route;
  }
  bool is_local(IpAddress address) const { return class_of(address).is_local; }
  bool is_member(IpAddress address) const { return class_of(address).is_member; }

 private:
  const AddressClass& class_of(IpAddress address) const { return classes_[find_(address)]; }

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
