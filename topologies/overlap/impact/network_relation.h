#pragma once

#include <compare>
#include <optional>

#include "topologies/overlap/inventory/rules.h"
#include "topologies/overlap/inventory/shoot.h"

namespace overlane::overlap {

/// How the networks of two ranges meet.
enum class NetworkRelation : std::uint8_t {
  OneRouteTable,     ///< One list of routes, in which a destination stands once.
  OneNetwork,        ///< One VPC or vnet, each shoot with route tables of its own.
  Connected,         ///< Two networks, joined by a peering, a transit gateway, a VPN …
  ConnectedForPods,  ///< … over which routes to pods are announced, too.
};

struct Relation {
  NetworkRelation meeting = NetworkRelation::OneNetwork;
  bool sure = true;          ///< That they meet so.
  bool network_sure = true;  ///< That they are in one network, or in two that are connected.

  auto operator<=>(const Relation&) const = default;
};

constexpr bool is_connected(NetworkRelation meeting) {
  return meeting == NetworkRelation::Connected || meeting == NetworkRelation::ConnectedForPods;
}

/// All of a range that decides what an overlap with it means.
struct Side {
  Role role = Role::Pods;
  DataplaneMode dataplane_mode = DataplaneMode::None;
  bool assumed = false;
  bool inner = true;
  bool outer = true;

  auto operator<=>(const Side&) const = default;
};

Side side_of(const Range& range);

/// What an overlap comes to.
struct Impact {
  const rules::Rule* rule = nullptr;
  Severity severity = Severity::Note;  ///< The rule's, less where something is not known.
  bool sure = true;                    ///< Not only if what is possible of the networks is so.

  bool operator==(const Impact&) const = default;
};

/// Of ranges of two shoots, or of a shoot and somebody else; nothing where one is meant to lie in
/// the other (nodes in their VPC).
std::optional<Impact> impact_of(const Side& a, const Side& b, Relation relation,
                                effective::Provider provider);

/// What a range is to others.
enum class Part : std::uint8_t { Pods, Services, Hosts };
/// Pods whose addresses the cloud hands to the nodes' interfaces are hosts to its network.
Part part_of(Role role, DataplaneMode dataplane_mode);

}  // namespace overlane::overlap
