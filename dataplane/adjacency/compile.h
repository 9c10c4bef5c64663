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

// Compiles a NodeState into adjacencies: asks the model once for every pair of source group and
// destination class, and keeps the decisions that hold for all packets of the pair. The result
// is a value. A change of the node means
// compiling again.

/// Where no local pod has the address.
inline constexpr std::uint32_t kNobody = ~std::uint32_t{0};

/// A state made ready for fast forwarding. A value but for the state, which all copies share.
struct Compiled {
  std::shared_ptr<const node::NodeState> state;
  std::vector<AddressClass> classes;
  std::vector<std::uint8_t> groups;  ///< AddressClass::group, by class.
  std::vector<Adjacency> adjacencies;
  /// Encapsulation of some adjacency for IPv4 packets that has any, and of some adjacency for IPv6.
  Encapsulation encapsulation = Encapsulation::None;
  Encapsulation encapsulation_of_ipv6 = Encapsulation::None;
  std::vector<NextHop> next_hops;  ///< Next hops of the adjacencies, and all local pods, each once.
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

/// Asks the decision sequence of `forward` about one packet at a time, each as if it were the first
/// that the node sees.
class Probe {
 public:
  /// Both must outlive the probe.
  Probe(const node::NodeState& state, std::span<const AddressClass> classes)
      : state_(state), classes_(classes), finder_(classes) {}

  /// The one packet that this one becomes, if that is all that happens: nothing is dropped,
  /// answered, cut or held, and the node learns nothing from it by which it would treat another
  /// packet differently.
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

/// Where packets come in, and the tunnel that they come in by, if it is one.
struct WayIn {
  forward::Ingress ingress = forward::Ingress::Pod;
  Encapsulation encapsulation = Encapsulation::None;
  forward::TunnelEnds ends;
};

/// Finds decisions that hold for all packets from one address to another, in IPv6 all of TCP and
/// UDP; none where WireGuard
/// wraps them, whose headers are no constant.
class Decider {
 public:
  /// Both must outlive it.
  Decider(const node::NodeState& state, std::span<const AddressClass> classes)
      : probe_(state, classes) {}

  /// Whether a packet gets through as one.
  bool passes(const WayIn& way, IpAddress source, IpAddress destination);

  /// The decision that holds for packets of every kind: UDP, TCP that opens a connection, TCP in
  /// one, an echo request, an ICMP error, another protocol; in IPv6 the first three. Nothing if
  /// kinds differ.
  std::optional<Decision> decision(const WayIn& way, IpAddress source, IpAddress destination);

  /// The largest packet, with DF or without, for which the decision holds, in bytes; less than
  /// least_bytes() when there is none.
  std::uint32_t largest(const WayIn& way, const Decision& decision, IpAddress source,
                        IpAddress destination);

 private:
  std::optional<Decision> decide(const WayIn& way, const forward::Packet& packet);

  Probe probe_;
  std::array<std::uint32_t, 2> last_largest_{};  ///< By family.
};

}  // namespace overlane::adjacency
