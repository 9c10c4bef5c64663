#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "topologies/path/reach/node_key.h"

namespace overlane::path {

// What the own routes of one node say of the pods of another, a "peer" in its cluster table. A
// route that names only addresses of the peer says the same as one that names another peer's by
// the same roles (its node address, its tunnel address), and both get one number: the relation of
// the two nodes. So a cluster whose nodes all route to each other in one way has one relation
// instead of as many literals as it has routes. The world and the addresses must outlive this
// object, which follows changes by being told which relations to forget. Used by one thread.

/// What a node's own routes say of a peer's pods, with the peer's addresses by role.
struct PeerEntry {
  bool is_removed = false;  ///< The derived route is hidden.
  node::DeviceName device;
  node::RouteKind kind{};
  bool onlink = false;
  node::RouteProtocol protocol{};
  std::uint32_t mtu = 0;
  std::uint8_t via = 0;  ///< Roles; 0: none.
  std::uint8_t tunnel_destination = 0;

  auto operator<=>(const PeerEntry&) const = default;
};

class PeerRelations {
 public:
  /// A relation without a number: there are too many different ones.
  static constexpr std::uint32_t kNoRelation = UINT32_MAX;

  PeerRelations(const node::World& world, const LiveAddresses& live);

  /// The nodes of each row of the cluster tables, by row.
  const std::vector<std::vector<std::uint32_t>>& nodes_of_rows() const { return nodes_of_row_; }
  std::span<const std::uint32_t> nodes_of(std::uint32_t row) const;
  /// A node's row in the cluster tables.
  std::uint32_t row_of(std::uint32_t node) const { return rows_[node].value; }

  /// What n's own routes say of a destination, if it is a peer's pod CIDR, and they say it by role.
  std::optional<PeerEntry> entry(std::uint32_t n, const IpPrefix& destination) const;
  /// The peer whose pod CIDR this is in n's table, if the CIDR is that peer's own.
  std::optional<std::uint32_t> peer_behind(std::uint32_t n, const IpPrefix& prefix) const;
  /// Whether a change concerns nothing but what relation() says.
  bool is_about_peers(std::uint32_t n, const node::NodeChange& change) const;
  /// A number for what n's own routes say of the peer's pods; 0: nothing.
  std::uint32_t relation(std::uint32_t n, std::uint32_t peer) const;
  /// The peers of whom most is said alike, and the others by their pod CIDRs.
  Key spell(std::uint32_t n) const;

  /// Whether n has routes to the pods of any peer, or hidden ones.
  void set_routes(std::uint32_t n, bool has_routes) { has_routes_[n] = has_routes; }
  bool any_routes() const;

  void forget(std::uint32_t n, std::uint32_t peer);
  /// The node's own routes have changed.
  void forget_routes_of(std::uint32_t n);
  /// The node has got other addresses.
  void forget_addresses_of(std::uint32_t n);

 private:
  /// More different entries have no relation, so that those of both families fit in 16 bits.
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
  /// By node and family: what holds_alone() was asked last, and what it said.
  mutable std::vector<std::array<std::pair<std::optional<IpPrefix>, bool>, 2>> held_alone_;
  std::vector<bool> has_routes_;
  mutable std::vector<PeerEntry> entries_;
  /// By node and peer: relations that were asked for, else kStale. Empty until one is.
  mutable std::vector<std::uint16_t> relations_;
};

}  // namespace overlane::path
