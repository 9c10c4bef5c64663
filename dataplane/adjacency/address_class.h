#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dataplane/fib/prefix_table.h"
#include "dataplane/forward/state_lookup.h"
#include "dataplane/node/state/node_state.h"

namespace overlane::adjacency {

// Partitions all addresses into classes. A node's tables treat all addresses of a class alike, so a
// decision for one address of a class holds for all. Classes refer to the NodeState, which must
// outlive them. ClassLookup is a Lookup of NodeDecision that reads the classes. PrefixFinder finds
// the class of an address without DPDK.

/// A group of sources that the decision sequence treats alike for packets without a connection.
struct SourceGroup {
  std::uint8_t value = 0;
  auto operator<=>(const SourceGroup&) const = default;
};

/// Number of groups, one for each bit of a mask. The last group takes all sources for which there
/// is no other group.
inline constexpr std::uint32_t kSourceGroups = 32;

/// Entries of a node's tables for the addresses of a prefix, without those of longer prefixes in
/// the list. The tables treat all of these addresses alike.
struct AddressClass {
  IpPrefix prefix;
  IpAddress sample;                       ///< One address of the class.
  std::optional<node::RouteMatch> route;  ///< Points into the state.
  bool is_local = false;                  ///< True if the node has the address.
  bool is_member = false;                 ///< True if a node of the cluster has the address.
  SourceGroup group;
};

/// Returns the classes of all addresses of both families, sorted by prefix. Every prefix at which a
/// table, rule or range of the state begins or ends has its own class. `state` must outlive the
/// classes.
std::vector<AddressClass> address_classes(const node::NodeState& state);

/// A Lookup of forward::NodeDecision that reads a state's tables by the class of an address. Names
/// and next hops have no class; these lookups are those of forward::StateLookup. `Finder` is any
/// longest-prefix match over the classes' prefixes: `(address)` returns the position of its class.
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

/// A Finder that needs no DPDK table.
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
