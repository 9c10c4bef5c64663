#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dataplane/fib/prefix_table.h"
#include "dataplane/net/flow_hash.h"
#include "dataplane/node/state/world.h"

namespace overlane::path {

// PeerRelations numbers the relation of a node to a peer: the node's own routes to the pods of
// another node in its cluster table. Two routes are equivalent if they contain only addresses of
// their peers, in the same roles (node address, tunnel address). Equivalent routes have one number.
// So a cluster whose nodes all route to each other in the same way has one relation instead of one
// literal for each route. The world and the addresses must outlive a PeerRelations. After a change
// of the world, the caller says which relations to forget. Used by one thread.

// The other classes are the parts of the comparison of nodes in node_classes.cpp: a Key describes
// one property of a node in numbers, LiveAddresses finds the owner of an address, Literals are the
// prefixes that keys contain unchanged, and KeyNumbers gives equal keys one number. Used by one
// thread.

/// A property of a node, as numbers. Nodes with equal keys have equal properties.
using Key = std::vector<std::uint64_t>;

/// Appends each word to the key.
template <typename... Words>
void put(Key& key, Words... words) {
  (key.push_back(static_cast<std::uint64_t>(words)), ...);
}
void put(Key& key, node::DeviceName name);
/// Appends `part` after its length, so that keys of different parts are never equal.
void put_part(Key& key, const Key& part);

struct KeyHash {
  std::size_t operator()(const Key& key) const;
};

/// An address that packets may have, and a node that it belongs to.
struct OwnedAddress {
  IpAddress address;
  std::uint32_t node = 0;

  auto operator<=>(const OwnedAddress&) const = default;
};

/// The addresses of all nodes that walks may look up ("live" addresses).
class LiveAddresses {
 public:
  /// Whether a prefix contains any live address, and the node that has them all; nothing if there
  /// are none, or if several nodes have them.
  struct Held {
    bool any = false;
    std::optional<std::uint32_t> only;
  };

  void insert(const OwnedAddress& added);
  void insert(const std::vector<OwnedAddress>& added);
  Held held(const IpPrefix& prefix) const;
  /// Whether any node has this address.
  bool contains(IpAddress address) const;
  /// Whether `is_so` holds for each node that has this address.
  template <typename IsSo>
  bool all_of(IpAddress address, const IsSo& is_so) const {
    const std::vector<OwnedAddress>& owned = of(address.is_ipv4());
    auto at = std::ranges::lower_bound(owned, address, {}, &OwnedAddress::address);
    for (; at != owned.end() && at->address == address; ++at)
      if (!is_so(at->node)) return false;
    return true;
  }
  /// The nodes that share an address with another node.
  std::vector<std::uint32_t> sharing() const;

 private:
  const std::vector<OwnedAddress>& of(bool ipv4) const { return sorted_[ipv4 ? 0 : 1]; }

  std::array<std::vector<OwnedAddress>, 2> sorted_;  ///< IPv4, IPv6.
};

/// The prefixes and addresses that keys contain unchanged, not by role.
class Literals {
 public:
  void fix(const IpPrefix& prefix) { fixed_.push_back(prefix); }
  void fix(IpAddress address) { fix(IpPrefix::host(address)); }
  void fix(const std::vector<IpPrefix>& prefixes) {
    for (const IpPrefix& prefix : prefixes)
      fix(prefix);
  }
  /// Numbers all literals that have been fixed. Later calls of fix() may add no new literal; check
  /// this with are_known().
  void number();
  /// Starts a new list of fixed literals for are_known(). Numbers remain.
  void begin_again() { fixed_.clear(); }
  /// Whether all literals that were fixed since begin_again() have numbers.
  bool are_known() const;

  /// Whether the prefix is a literal or contains a literal address.
  bool touches(const IpPrefix& prefix) const;
  bool is_host(IpAddress address) const { return std::ranges::binary_search(hosts_, address); }
  /// Calls `use` with each literal that contains the address, and its number.
  template <typename Use>
  void holders(IpAddress address, const Use& use) const {
    numbers_.longest_match(address, [&](const IpPrefix& literal, std::uint32_t number) {
      use(literal, number);
      return false;
    });
  }

 private:
  std::vector<IpPrefix> fixed_;  ///< Literals fixed since begin_again().
  fib::PrefixTable<std::uint32_t> numbers_;
  std::vector<IpAddress> hosts_;  ///< Sorted.
};

/// The classes of nodes with equal keys, by number. The number of a key never changes.
class KeyNumbers {
 public:
  /// The number of a node that is in no class.
  static constexpr std::uint32_t kNone = UINT32_MAX;

  explicit KeyNumbers(std::size_t nodes) : class_of_(nodes, kNone) {}

  void enter(std::uint32_t node, Key key);
  void leave(std::uint32_t node);
  std::uint32_t class_of(std::uint32_t node) const { return class_of_[node]; }
  bool is_alone(std::uint32_t node) const {
    return class_of_[node] == kNone || sizes_[class_of_[node]] == 1;
  }
  /// Number of classes so far, including classes that all nodes have left.
  std::uint32_t count() const { return static_cast<std::uint32_t>(sizes_.size()); }

 private:
  std::unordered_map<Key, std::uint32_t, KeyHash> classes_;
  std::vector<std::uint32_t> class_of_;
  std::vector<std::uint32_t> sizes_;  ///< Nodes by class.
};

/// A node's own route to a peer's pods, with roles in place of the peer's addresses.
struct PeerEntry {
  bool is_removed = false;  ///< The route that the cluster table gives is removed.
  node::DeviceName device;
  node::RouteKind kind{};
  bool onlink = false;
  node::RouteProtocol protocol{};
  std::uint32_t mtu = 0;
  std::uint8_t via = 0;                 ///< Role of the next hop; 0: none.
  std::uint8_t tunnel_destination = 0;  ///< Role of the tunnel destination; 0: none.

  auto operator<=>(const PeerEntry&) const = default;
};

/// The relations of all nodes to all peers, computed on demand.
class PeerRelations {
 public:
  /// A relation without a number, because there are too many different routes.
  static constexpr std::uint32_t kNoRelation = UINT32_MAX;

  PeerRelations(const node::World& world, const LiveAddresses& live);

  /// The nodes of each row of the cluster tables, by row.
  const std::vector<std::vector<std::uint32_t>>& nodes_of_rows() const { return nodes_of_row_; }
  std::span<const std::uint32_t> nodes_of(std::uint32_t row) const;
  /// A node's row in the cluster tables.
  std::uint32_t row_of(std::uint32_t node) const { return rows_[node].value; }

  /// The entry of n's own route to `destination`. Nothing if this is not the pod CIDR of a peer, or
  /// if the route contains addresses that are not the peer's.
  std::optional<PeerEntry> entry(std::uint32_t n, const IpPrefix& destination) const;
  /// The peer whose pod CIDR this is in n's table, if the CIDR is that peer's own.
  std::optional<std::uint32_t> peer_behind(std::uint32_t n, const IpPrefix& prefix) const;
  /// Whether a change affects only the result of relation().
  bool is_about_peers(std::uint32_t n, const node::NodeChange& change) const;
  /// Number of the relation of n's own routes to the peer's pods; 0: no such route.
  std::uint32_t relation(std::uint32_t n, std::uint32_t peer) const;
  /// A key of all own routes of n to peers: each different entry, and the pod CIDRs of its peers
  /// except for the entry with the most peers.
  Key spell(std::uint32_t n) const;

  /// Sets whether n has own or removed routes to the pods of any peer.
  void set_routes(std::uint32_t n, bool has_routes) { has_routes_[n] = has_routes; }
  bool any_routes() const;

  /// Forgets the relation of n to the peer.
  void forget(std::uint32_t n, std::uint32_t peer);
  /// Forgets the relations of n to all peers, after a change of its own routes.
  void forget_routes_of(std::uint32_t n);
  /// Forgets the relations that depend on n's addresses, after a change of them.
  void forget_addresses_of(std::uint32_t n);

 private:
  /// Limit of different entries, so that a relation with entries of both families fits in 16 bits.
  static constexpr std::uint32_t kMaxEntries = 60;
  static constexpr std::uint16_t kStale = UINT16_MAX;

  std::uint32_t count() const { return static_cast<std::uint32_t>(world_.nodes.size()); }
  std::uint32_t find_relation(std::uint32_t n, std::uint32_t peer) const;
  bool holds_alone(std::uint32_t node, const IpPrefix& prefix) const;
  const node::Member& member(std::uint32_t n, std::uint32_t peer) const;

  const node::World& world_;
  const LiveAddresses& live_;
  std::vector<node::MemberIndex> rows_;
  std::vector<std::vector<std::uint32_t>> nodes_of_row_;
  /// The last argument and result of holds_alone(), by node and family.
  mutable std::vector<std::array<std::pair<std::optional<IpPrefix>, bool>, 2>> held_alone_;
  std::vector<bool> has_routes_;
  mutable std::vector<PeerEntry> entries_;
  /// By node and peer: the relation if it is known, otherwise kStale. Empty until the first use.
  mutable std::vector<std::uint16_t> relations_;
};

}  // namespace overlane::path
