#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dataplane/forward/outcome.h"
#include "dataplane/forward/packet.h"
#include "dataplane/forward/walk.h"
#include "dataplane/node/state/fabric_state.h"
#include "topologies/compile/compile.h"

namespace overlane::path {

// Traces one packet of real bytes through a cluster: over veths, routes, tunnels and filters of the
// nodes and the routes and filters of the VPC, to its end. Each step is a decision of
// forward::NodeDecision, the same code that the simulator runs, applied to bytes as the kernel
// would apply it. The result lists decisions with the state's line that decided (hops), the
// packet's bytes at each interface (legs), and the first failure. The functions are pure; any
// thread may call them.

/// A traced packet: the requested one, its answer, or a fragment or ICMP error that one of them
/// caused.
struct TracedPacket {
  enum class Kind : std::uint8_t { Packet, Fragment, IcmpError, Answer };
  Kind kind = Kind::Packet;
  std::string name;                 ///< "packet", "fragment 1 of 2", "ICMP error", "answer".
  std::optional<std::uint32_t> of;  ///< Parent of a fragment or error: index into Trace::packets.
};

/// One decision on the path.
struct Hop {
  std::uint32_t packet = 0;  ///< Index into Trace::packets.
  std::string place;         ///< "node-1/pod-0", "node-1", "vpc".
  std::string decision;      ///< "route", "encapsulate", "deliver", "drop".
  std::string because;       ///< One sentence.
  std::string state_entry;   ///< The line of the state's text that decided; empty if none did.
  std::optional<Drop> drop;
};

/// The bytes of a packet at one interface, from the outermost IP header on. They have no link-layer
/// header, because no state has the link-layer addresses of veths and uplinks.
struct Leg {
  std::size_t hop = 0;       ///< Index into Trace::hops: the decision that led here.
  std::uint32_t packet = 0;  ///< Index into Trace::packets.
  std::string interface;     ///< "node-1/eth0".
  bool leaves = false;       ///< Sent by the node; otherwise received.
  std::vector<std::uint8_t> bytes;
};

/// A delivered packet.
struct DeliveredPacket {
  std::uint32_t packet = 0;  ///< Index into Trace::packets.
  std::string place;         ///< "node-2/pod-0", "node-2", "nameserver", "outside".
  std::uint32_t node = 0;    ///< The receiving node; the sender's if no node received it.
  bool outside = false;      ///< Delivered to the provider's nameserver, or outside the VPC.
  forward::Packet as;        ///< The packet as received.
};

/// Why the packet, or its answer, was not delivered: the first drop.
struct Failure {
  std::size_t hop = 0;  ///< Index into Trace::hops.
  Drop drop = Drop::NoRoute;
  std::uint32_t node = 0;  ///< The node that dropped it, or that sent it into the VPC.
  bool in_vpc = false;
  forward::Packet packet;  ///< The packet when it was dropped.
};

struct Trace {
  std::vector<TracedPacket> packets;
  std::vector<Hop> hops;  ///< All hops of a packet precede those of the next one.
  std::vector<Leg> legs;  ///< In the order of hops.
  std::vector<DeliveredPacket> arrived;
  bool delivered = false;          ///< Whether all bytes of the packet were delivered.
  std::optional<bool> answered;    ///< Whether all bytes of the answer were, if requested.
  std::optional<Failure> failure;  ///< Absent if packet and answer were delivered.

  /// Whether packet and requested answer were delivered.
  bool succeeded() const { return delivered && answered.value_or(true); }
  /// Whether the packet is an ICMP error or a fragment of one.
  bool is_of_error(std::uint32_t packet) const;
};

/// The service whose address the packet is sent to. If the nodes' states have the service
/// (compile::add_services()), they translate the address; otherwise `translator` does.
struct ServiceFront {
  IpAddress address;
  std::uint16_t port = 0;
  std::string translator;  ///< "kube-proxy (iptables)".
  bool in_pod = false;     ///< Translates at the sender's socket; otherwise on its node.
};

struct TraceRequest {
  std::uint32_t from_node = 0;
  bool from_pod = true;    ///< Otherwise the node itself sends.
  forward::Packet packet;  ///< The sent packet: not encapsulated, not fragmented; for a service, to
                           ///< the chosen pod.
  std::optional<ServiceFront> service;
  bool answer =
      false;  ///< Also trace an answer of the same size, or of its sender's MTU if that is smaller.
};

/// Follows one packet of real bytes from its sender to its end, through every decision of
/// forward::NodeDecision and of the VPC, on nodes without learned state (neighbours, path MTUs,
/// connections). Fragments and ICMP errors are followed to their ends as well. The receiver answers
/// the packet as received, so that translations apply in reverse. A loop is reported once.
///
/// A packet from a node's address to an external address leaves the VPC if its route leads out;
/// external hosts cannot answer other addresses. The provider's nameserver can answer every address
/// to which the VPC has a route; whether it answers pods' own addresses is not known.
Trace trace(const compile::Compiled& states, const TraceRequest& request);

/// The name of the pod with this address, "node-1/pod-0". The pods of a node are counted in the
/// order of their addresses. Returns the address as text if no pod of the node has it.
std::string pod_name(const node::NodeState& state, IpAddress address);

/// Whether external hosts can answer an address that instance `from` sends from: the instance's own
/// (IPv4: through the VPC's NAT), and global IPv6 addresses that the VPC routes to the instance,
/// such as pods'.
bool is_known_outside(const node::FabricState& fabric, IpAddress source, std::uint32_t from);

/// Whether the VPC leads packets for `address` to instance `owner`: it is the instance's own, or a
/// route leads there.
bool leads_to_instance(const node::FabricState& fabric, IpAddress address, std::uint32_t owner);

/// Whether a packet from instance `from` is for a nameserver of the provider that can answer it.
bool reaches_nameserver(const compile::Compiled& states, const forward::Packet& packet,
                        std::uint32_t from);

/// Whether a packet from instance `from` leaves the VPC and can be answered: its route leads out,
/// its destination is global, and its source is reachable from outside.
bool leaves_vpc(const node::FabricState& fabric, const forward::Packet& packet, std::uint32_t from);

// walk() follows one packet without its bytes and records no hops. It costs less than trace() and
// is for callers with many packets. find_black_hole() repeats the walk as TCP repeats a segment,
// and finds paths that drop large packets without an ICMP error (RFC 2923, section 2.1).

using forward::Walk;

/// Walks one packet, as forward::walk() does.
Walk walk(const compile::Compiled& states, std::uint32_t from_node, const forward::Packet& packet);

/// A path MTU black hole (RFC 2923 2.1): packets of this size are dropped, smaller ones are
/// delivered, and the sender gets no ICMP error.
struct BlackHole {
  Drop drop = Drop::FabricMtuExceeded;
  /// The lines of the state's text that cause it: the MTU, and the cause of the missing ICMP error.
  std::vector<std::string> entries;
};

/// Sends the packet repeatedly as TCP does, and returns the black hole on its path. Nothing if one
/// of the packets is delivered, the sender gets an ICMP error, or the drop does not depend on the
/// size.
std::optional<BlackHole> find_black_hole(const compile::Compiled& states, std::uint32_t from_node,
                                         const forward::Packet& packet);

}  // namespace overlane::path
