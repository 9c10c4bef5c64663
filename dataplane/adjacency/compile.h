#pragma once

#include <memory>

#include "dataplane/adjacency/adjacency.h"
#include "dataplane/adjacency/link_headers.h"
#include "dataplane/adjacency/port_set.h"

namespace overlane::adjacency {

/// Where no local pod has the address.
inline constexpr std::uint32_t kNobody = ~std::uint32_t{0};

/// A state made ready for fast forwarding. A value but for the state, which all copies share.
struct Compiled {
  std::shared_ptr<const node::NodeState> state;
  std::vector<AddressClass> classes;
  std::vector<std::uint8_t> groups;  ///< AddressClass::group, by class.
  std::vector<Adjacency> adjacencies;
  /// Of one of them that takes IPv4 packets and has any; and of one for IPv6.
  Encapsulation encapsulation = Encapsulation::None;
  Encapsulation encapsulation_of_ipv6 = Encapsulation::None;
  std::vector<NextHop> next_hops;  ///< Of the adjacencies, and all local pods, each once.
  bool has_neighbours = false;     ///< Some adjacency's next hop is kNeighbour.
  /// By class: the position in `next_hops` of the local pod that has the address, or kNobody.
  std::vector<std::uint32_t> pods;
  Pushers pushers;
  std::vector<Entry> from_pods;    ///< For packets of local pods; by class of the destination.
  std::vector<Entry> from_uplink;  ///< For packets without a tunnel; by class of the destination.
  std::vector<DecapEntry> decap_entries;  ///< For IPv4 in IPv4.
  std::vector<DecapEntry> ipv6_in_ipv4;
  std::vector<DecapEntry> over_ipv6;  ///< For either family inside; VXLAN and Geneve.
  PortSet tunnel_ports;               ///< UDP to these is, or looks like, a tunnel's.
};

/// Asks `forward`'s decision sequence once for every pair of a source group and a destination
/// class of one family, and keeps as adjacencies the decisions that hold for all such packets: IPv4
/// without options, or TCP and UDP in IPv6 without extension headers; whole, with a hop limit above
/// 1, no larger than Adjacency::largest. What has none is for the full path.
Compiled compile(std::shared_ptr<const node::NodeState> state);

}  // namespace overlane::adjacency
