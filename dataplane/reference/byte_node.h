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

// ByteNode is the node of the byte path (reference.h), the oracle of forward::forward: it handles
// one packet as bytes. byte_node.cpp has ingress, routing, delivery and decapsulation;
// byte_node_tracking.cpp has connection tracking, NAT and Services; byte_node_output.cpp has
// reassembly, fragmentation and encapsulation. An object serves one packet on one thread; state,
// runtime and fragments must outlive it.

/// The bytes of fragments that a node holds for reassembly, by offset. Offset 0 has the whole first
/// fragment with its headers; the others have payloads only. Entries match runtime.reassembly.
using HeldFragments = std::map<node::ReassemblyKey, std::map<std::uint32_t, Bytes>>;

/// The tunnel ports of the node, by which decode() recognises tunnels. If `given` is a WireGuard
/// packet, its source and destination addresses do not matter. `given` may be null.
node::TunnelPorts tunnel_ports(const node::NodeState& state, const forward::Packet* given);

/// Handles the bytes of one packet on one node.
class ByteNode {
 public:
  /// A packet that the node emits.
  struct Sent {
    forward::Egress egress;
    Bytes bytes;
    IpAddress next_hop;
    bool is_reply;
  };

  /// `members`: an index of the node's cluster, or null.
  ByteNode(const node::NodeState& state, node::NodeRuntime& runtime, Picos now,
           const PrefixIndex* members = nullptr)
      : state_(state), runtime_(runtime), now_(now), members_(members) {}

  /// Decides about a packet; the results are in `sent`, `drop` and `held`. For a fragment,
  /// `fragments` holds the bytes of the fragments before it. Without `fragments` (null), `whole` is
  /// the descriptor of the packet that the fragment is a part of.
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

  /// The unicast route of a packet. Without one, drops the packet, sends an ICMP error about a
  /// forwarded one, and returns nullopt.
  std::optional<FoundRoute> leading_route(const Bytes& bytes, bool forwarded);
  /// Sends a packet by its route. `cause` is the packet as received, for ICMP errors about it; null
  /// for the node's own packets.
  void leave(const Bytes& bytes, const FoundRoute& found, const Bytes* cause);
  void leave_by_tunnel(const Bytes& bytes, const node::Route& route, const node::Device& device);
  /// The index of the WireGuard peer whose allowed IPs contain the address, in the members of the
  /// cluster.
  std::optional<std::size_t> allowed_peer(const node::Device& device, IpAddress address) const;
  /// The drop reason if a WireGuard message names no session with a peer, or its inner source is
  /// not among the peer's allowed IPs.
  std::optional<Drop> stranger(const Bytes& datagram, const Bytes& inner,
                               const node::Device& device) const;
  std::optional<IpAddress> far_end(const Bytes& inner, const node::Route& route,
                                   const node::Device& device) const;
  std::optional<MacAddress> mac_of(const node::Route& route, const node::Device& device) const;
  bool must_not_leave(const Bytes& bytes, std::size_t mtu, const Bytes* cause,
                      const std::vector<std::uint32_t>& ends);
  std::vector<Bytes> fragments_for(const Bytes& bytes, std::size_t mtu);
  /// The fragments of a packet that the node reassembled from fragments with these ends.
  std::vector<Bytes> fragments_again(const Bytes& bytes, std::size_t mtu,
                                     const std::vector<std::uint32_t>& ends, bool into_tunnel);
  std::size_t mtu_towards(IpAddress destination, const FoundRoute& found, bool forwarded) const;

  // Connection tracking and NAT, in byte_node_tracking.cpp. A function that returns optional bytes
  // returns the packet after translation, or nullopt if it dropped the packet.

  /// Connection tracking and destination NAT in PREROUTING, or in OUTPUT if `own` is true.
  std::optional<Bytes> tracked_from(const Bytes& bytes, bool own);
  /// Source NAT and confirmation of the connection in POSTROUTING.
  std::optional<Bytes> after_postrouting(const Bytes& bytes, node::DeviceName device_name,
                                         const node::Device* device, bool own);
  std::optional<node::SourceTranslation> masquerade_rule(const Bytes& bytes,
                                                         const node::Device& device) const;
  bool is_left_untracked(const Bytes& bytes, bool own) const;
  bool answers_would_be_taken(const Bytes& bytes) const;
  void open_connection(const Bytes& bytes, bool own);
  /// Confirms the connection of a packet for the node itself (INPUT).
  std::optional<Bytes> remembered(const Bytes& bytes);
  /// The packet with the destination that NAT gives it in PREROUTING and OUTPUT.
  Bytes with_new_destination(const Bytes& bytes) const;
  /// The packet with the source that NAT gives it in POSTROUTING and INPUT.
  Bytes with_new_source(const Bytes& bytes) const;

  // Services, in byte_node_tracking.cpp.
  bool redirects() const { return tracks() && state_.services != nullptr; }
  /// The Service that redirects a new connection with this tuple, or null.
  const node::Service* service_for(const node::ConntrackTuple& tuple) const;
  /// Chooses an endpoint of the Service for the connection that `place_` opens.
  void send_on(const node::Service& service, const node::ConntrackTuple& tuple);
  /// The source NAT of a packet with kube-proxy's masquerade mark.
  std::optional<node::SourceTranslation> hidden_source(const Bytes& bytes,
                                                       const node::Device* device) const;
  /// Drops a packet to a Service without an endpoint for it, if the node has this proxy, and sends
  /// an ICMP error. Returns whether it did.
  bool refuses(const Bytes& bytes, node::ServiceProxy proxy);

  // Reassembly, in byte_node_output.cpp. Each function that takes a fragment returns the whole
  // packet, or nullopt if the fragment is held or dropped.

  bool tracks() const;
  /// Reassembly in PREROUTING and OUTPUT, for connection tracking.
  std::optional<Bytes> gathered(const Bytes& bytes, node::DeviceName device);
  /// Reassembly of a packet for the node itself.
  std::optional<Bytes> for_this_node(const Bytes& bytes, node::DeviceName device);
  std::optional<Bytes> collect(const Bytes& fragment, node::DeviceName device);

  void local(const Bytes& bytes, node::DeviceName device);
  bool passes_input(const Bytes& bytes) const;
  void unwrap(const Bytes& bytes, Encapsulation encapsulation);
  /// Sends an ICMP error about `cause` to its source, if rate limit and routes allow it. `mtu` is
  /// the MTU or the pointer in the message.
  void tell(const Bytes& cause, std::uint8_t type, std::uint8_t code, std::size_t mtu);
  /// Sends a "destination unreachable" error about `cause` with the code of its family.
  void report_unreachable(const Bytes& cause, std::uint8_t code, std::uint8_t code_v6);
  /// Sends a "destination unreachable" error about a route, which Linux limits twice: by the cost
  /// of route errors per sender, and by the rate limit of all errors.
  void tell_of_route(const Bytes& cause, std::uint8_t code, std::uint8_t code_v6);
  /// Sets `drop`, unless the dropped packet is the node's own ICMP error.
  void give_up(Drop reason);

  const node::NodeState& state_;
  node::NodeRuntime& runtime_;
  Picos now_;
  const PrefixIndex* members_;
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
