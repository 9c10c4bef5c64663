#pragma once

#include <map>
#include <optional>
#include <vector>

#include "dataplane/forward/outcome.h"
#include "dataplane/node/runtime/node_runtime.h"
#include "dataplane/node/state/node_state.h"
#include "dataplane/reference/linear_tables.h"
#include "dataplane/reference/packet_bytes.h"

namespace overlane::reference {

// ByteNode is the oracle's node (reference.h): it handles one packet as bytes. byte_node.cpp has
// ingress, routing, delivery and decapsulation; byte_node_tracking.cpp has connections and
// Services; byte_node_output.cpp has fragments and tunnels. An object serves one packet; state,
// runtime and fragments must outlive it.

/// The bytes of fragments that a node holds: payloads by offset.
using HeldFragments = std::map<node::ReassemblyKey, std::map<std::uint32_t, Bytes>>;

/// Where the node's tunnels are; of a packet that is said to be WireGuard's, whoever sends it.
node::TunnelPorts tunnel_ports(const node::NodeState& state, const forward::Packet* given);

/// Handles the bytes of one packet on one node.
class ByteNode {
 public:
  struct Sent {
    forward::Egress egress;
    Bytes bytes;
    IpAddress next_hop;
    bool is_reply;
  };

  ByteNode(const node::NodeState& state, node::NodeRuntime& runtime, Picos now)
      : state_(state), runtime_(runtime), now_(now) {}

  /// Decides about a packet. For a fragment, `fragments` holds the bytes of the fragments before
  /// it; without `fragments`, `whole` is the packet that the fragment is a part of.
  void run(const Bytes& bytes, forward::Ingress ingress, HeldFragments* fragments,
           const forward::Packet* whole);
  /// Handles the reassembly timeout of a packet with missing fragments.
  void time_out(const node::ReassemblyTable::Expired& lost, HeldFragments* fragments);

  std::vector<Sent> sent;
  std::optional<Drop> drop;
  std::optional<node::ReassemblyKey> held;

 private:
  node::TunnelPorts tunnel_ports() const { return reference::tunnel_ports(state_, whole_); }

  void come_in(const Bytes& bytes, const node::Device* ingress);
  bool may_come_from_pod(const Bytes& bytes);
  void route_in(const Bytes& bytes, const node::Device* ingress);
  void forward_on(const Bytes& bytes, const node::Device* ingress);
  bool reverse_path_accepts(IpAddress source, const node::Device& device) const;

  /// The route of a packet that may leave. nullopt if the packet was dropped.
  std::optional<FoundRoute> leading_route(const Bytes& bytes, bool forwarded);
  /// `cause` is the packet as received, for ICMP errors about it. Null for the node's own packets.
  void leave(const Bytes& bytes, const FoundRoute& found, const Bytes* cause);
  void leave_by_tunnel(const Bytes& bytes, const node::Route& route, const node::Device& device);
  std::optional<std::size_t> allowed_peer(const node::Device& device, IpAddress address) const;
  /// Why what came in a WireGuard message is none of a peer's.
  std::optional<Drop> stranger(const Bytes& datagram, const Bytes& inner,
                               const node::Device& device) const;
  std::optional<IpAddress> far_end(const Bytes& inner, const node::Route& route,
                                   const node::Device& device) const;
  std::optional<MacAddress> mac_of(const node::Route& route, const node::Device& device) const;
  bool must_not_leave(const Bytes& bytes, std::size_t mtu, const Bytes* cause,
                      const std::vector<std::uint32_t>& ends);
  std::vector<Bytes> fragments_for(const Bytes& bytes, std::size_t mtu);
  /// The fragments for a packet that came as fragments with these ends.
  std::vector<Bytes> fragments_again(const Bytes& bytes, std::size_t mtu,
                                     const std::vector<std::uint32_t>& ends, bool into_tunnel);
  std::size_t mtu_towards(IpAddress destination, const FoundRoute& found, bool forwarded) const;

  // Connections: byte_node_tracking.cpp. Each gives the packet as it goes on, or none after the
  // drop.
  /// From PREROUTING, or from OUTPUT when it is the node's own.
  std::optional<Bytes> tracked_from(const Bytes& bytes, bool own);
  std::optional<Bytes> after_postrouting(const Bytes& bytes, node::DeviceName device_name,
                                         const node::Device* device, bool own);
  std::optional<node::SourceTranslation> masquerade_rule(const Bytes& bytes,
                                                         const node::Device& device) const;
  bool is_left_untracked(const Bytes& bytes, bool own) const;
  bool answers_would_be_taken(const Bytes& bytes) const;
  void open_connection(const Bytes& bytes, bool own);
  std::optional<Bytes> remembered(const Bytes& bytes);
  /// With its destination as in PREROUTING and OUTPUT …
  Bytes with_new_destination(const Bytes& bytes) const;
  /// … or its source as in POSTROUTING and INPUT.
  Bytes with_new_source(const Bytes& bytes) const;

  // Services: byte_node_tracking.cpp.
  bool redirects() const { return tracks() && state_.services != nullptr; }
  /// The one that a connection opening with this tuple is sent on by, or null.
  const node::Service* service_for(const node::ConntrackTuple& tuple) const;
  /// Chooses an endpoint of the Service for the connection that `place_` opens.
  void send_on(const node::Service& service, const node::ConntrackTuple& tuple);
  std::optional<node::SourceTranslation> hidden_source(const Bytes& bytes,
                                                       const node::Device* device) const;
  /// True when no endpoint takes it, and its sender has been told so.
  bool refuses(const Bytes& bytes, node::ServiceProxy proxy);

  // Fragments: byte_node_output.cpp. Each gives the whole, or none while it is held or after the
  // drop.
  bool tracks() const;
  /// At PREROUTING and OUTPUT, for connection tracking.
  std::optional<Bytes> gathered(const Bytes& bytes, node::DeviceName device);
  std::optional<Bytes> for_this_node(const Bytes& bytes, node::DeviceName device);
  std::optional<Bytes> collect(const Bytes& fragment, node::DeviceName device);

  void local(const Bytes& bytes, node::DeviceName device);
  bool passes_input(const Bytes& bytes) const;
  void unwrap(const Bytes& bytes, Encapsulation encapsulation);
  void tell(const Bytes& cause, std::uint8_t type, std::uint8_t code, std::size_t mtu);
  /// Sends an "unreachable" error, whose code depends on the family: {type, code} of ICMP and of
  /// ICMPv6.
  void report_unreachable(const Bytes& cause, std::uint8_t code, std::uint8_t code_v6);
  /// Sends such an error about a route, which costs the sender's allowance of errors twice.
  void tell_of_route(const Bytes& cause, std::uint8_t code, std::uint8_t code_v6);
  void give_up(Drop reason);

  const node::NodeState& state_;
  node::NodeRuntime& runtime_;
  Picos now_;
  HeldFragments* fragments_ = nullptr;
  const forward::Packet* whole_ = nullptr;
  std::optional<node::Track> place_;  ///< The packet's place in its connection, if tracked.
  /// Ends of the received fragments, if the node reassembled the packet.
  std::vector<std::uint32_t> came_in_;
  std::size_t largest_came_ = 0;  ///< Bytes of the largest received fragment, with headers.
  bool is_own_error_ = false;     ///< True if the current bytes are an ICMP error of this node.
  bool tunnelled_ = false;        ///< True if the current bytes have an outer header.
  bool unwrapped_ = false;        ///< True if this node decapsulated the current bytes.
};

}  // namespace overlane::reference
