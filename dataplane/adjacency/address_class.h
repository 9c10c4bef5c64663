#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dataplane/fib/prefix_table.h"
#include "dataplane/forward/state_lookup.h"
#include "dataplane/node/state/node_state.h"

namespace overlane::adjacency {

// Partitions all addresses into classes that a node's tables cannot tell apart, so that a
// decision for one address of a class holds for all. Classes refer to the NodeState, which must
// outlive them. ClassLookup answers NodeDecision by class; PrefixFinder finds the class of an
// address without DPDK.

/// Sources that the decision sequence cannot tell from each other, as far as it looks at them
/// without a connection.
struct SourceGroup {
  std::uint8_t value = 0;
  auto operator<=>(const SourceGroup&) const = default;
};

/// One group for each bit of a mask. The last one takes those for which there is no room.
inline constexpr std::uint32_t kSourceGroups = 32;

/// What a node's tables say about the addresses of a prefix that no longer prefix of the list
/// covers. The tables treat all of them alike.
struct AddressClass {
  IpPrefix prefix;
  IpAddress sample;                       ///< One of them.
  std::optional<node::RouteMatch> route;  ///< Points into the state.
  bool is_local = false;                  ///< Whether the node has it.
  bool is_member = false;                 ///< Whether a node of the cluster has it.
  SourceGroup group;
};

/// The classes of all addresses of both families, sorted by prefix: every prefix at which some
/// table, rule or range of the state begins or ends. `state` must outlive them.
std::vector<AddressClass> address_classes(const node::NodeState& state);

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
