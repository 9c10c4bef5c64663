#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "dataplane/adjacency/address_class.h"
#include "dataplane/adjacency/adjacency.h"
#include "dataplane/adjacency/fast_parse.h"
#include "dataplane/adjacency/rewrite_for_tx.h"
#include "dataplane/forward/outcome.h"
#include "dataplane/forward/packet_transform.h"

namespace overlane::adjacency {

// Compiles a NodeState into adjacencies. For every pair of a source group and a destination class
// it runs the model's decision sequence, and keeps the decisions that hold for all packets of the
// pair. The result is a value. After a change of the node's state it must be compiled again.

/// Value in Compiled::pods for classes that are no local pod.
inline constexpr std::uint32_t kNoPod = ~std::uint32_t{0};

/// The compiled form of a state. Copies are independent, except for the state, which they share.
struct Compiled {
  std::shared_ptr<const node::NodeState> state;
  std::vector<AddressClass> classes;
  std::vector<std::uint8_t> groups;  ///< AddressClass::group, by class.
  std::vector<Adjacency> adjacencies;
  /// Encapsulation of some adjacency for IPv4 packets, and of some adjacency for IPv6 packets; None
  /// if none has one. Used as a hint.
  Encapsulation encapsulation = Encapsulation::None;
  Encapsulation encapsulation_of_ipv6 = Encapsulation::None;
  std::vector<NextHop> next_hops;  ///< Next hops of the adjacencies, and all local pods, each once.
  bool has_neighbours = false;     ///< True if some adjacency's next hop is kNeighbour.
  /// Position in `next_hops` of the local pod that has the address, or kNoPod; by class.
  std::vector<std::uint32_t> pods;
  Pushers pushers;
  /// Entries for packets of local pods, by class of the destination.
  std::vector<Entry> from_pods;
  /// Entries for bare packets from the uplink, by class of the destination.
  std::vector<Entry> from_uplink;
  std::vector<DecapEntry> decap_entries;  ///< Tunnel devices that carry IPv4 over IPv4.
  std::vector<DecapEntry> ipv6_in_ipv4;
  /// Tunnel devices over IPv6 (VXLAN, Geneve), for either inner family.
  std::vector<DecapEntry> over_ipv6;
  PortSet tunnel_ports;  ///< UDP destination ports of packets that may be tunnel packets.
};

/// Compiles a state. Runs the decision sequence of `forward` for every pair of a source group and a
/// destination class of one family, and keeps the decisions that hold for all of these packets:
/// IPv4 without options, or TCP and UDP in IPv6 without extension headers; not fragmented, with a
/// hop limit above 1, no larger than Adjacency::largest. All other packets take the full path.
Compiled compile(std::shared_ptr<const node::NodeState> state);

/// Runs the decision sequence of `forward` for one packet at a time, each with the runtime of a
/// node that has seen no packet before.
class Probe {
 public:
  /// `state` and `classes` must outlive the probe.
  Probe(const node::NodeState& state, std::span<const AddressClass> classes)
      : state_(state), classes_(classes), finder_(classes) {}

  /// Returns the emission if the decision has exactly one emission and no other effect: no drop, no
  /// ICMP error, no fragmentation, no held fragment, and no change of the runtime that affects
  /// later packets.
  std::optional<forward::Emission> single(const forward::Packet& packet, forward::Ingress ingress);

 private:
  const node::NodeState& state_;
  std::span<const AddressClass> classes_;
  PrefixFinder finder_;
  forward::Outcome outcome_;
};

/// The part of a decision that all packets of an adjacency share: the TTL decreases by one, and a
/// tunnel adds its outer headers.
struct Decision {
  forward::Egress egress = forward::Egress::Uplink;
  IpAddress next_hop;
  Encapsulation encapsulation = Encapsulation::None;
  forward::TunnelEnds ends;

  auto operator<=>(const Decision&) const = default;
};

/// Ingress of packets, and the tunnel that carries them, if any.
struct IngressPath {
  forward::Ingress ingress = forward::Ingress::Pod;
  Encapsulation encapsulation = Encapsulation::None;
  forward::TunnelEnds ends;
};

/// Finds decisions that hold for all packets from one address to another (in IPv6 only TCP and
/// UDP). Finds none for packets that WireGuard encapsulates, since its headers are not constant.
class Decider {
 public:
  /// `state` and `classes` must outlive this object.
  Decider(const node::NodeState& state, std::span<const AddressClass> classes)
      : probe_(state, classes) {}

  /// Returns whether a packet passes the node as a single packet.
  bool passes(const IngressPath& path, IpAddress source, IpAddress destination);

  /// Returns the decision that holds for packets of every kind: UDP, the first packet of a TCP
  /// connection, a later one, an echo request, an ICMP error and another protocol; in IPv6 the
  /// first three kinds. Returns nothing if the kinds have different decisions.
  std::optional<Decision> decision(const IngressPath& path, IpAddress source,
                                   IpAddress destination);

  /// Returns the size in bytes of the largest packet for which the decision holds with and without
  /// DF. Returns less than min_bytes() if there is none.
  std::uint32_t largest(const IngressPath& path, const Decision& decision, IpAddress source,
                        IpAddress destination);

 private:
  std::optional<Decision> decide(const IngressPath& path, const forward::Packet& packet);

  Probe probe_;
  std::array<std::uint32_t, 2> last_largest_{};  ///< By family.
};

}  // namespace overlane::adjacency
