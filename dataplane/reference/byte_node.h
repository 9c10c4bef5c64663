#pragma once

#include <optional>
#include <vector>

#include "dataplane/forward/outcome.h"
#include "dataplane/node/node_runtime.h"
#include "dataplane/node/node_state.h"
#include "dataplane/reference/linear_tables.h"
#include "dataplane/reference/packet_bytes.h"

namespace overlane::reference {

/// One node's way with one packet's bytes.
class ByteNode {
 public:
  struct Sent {
    forward::Egress egress;
    Bytes bytes;
    IpAddress next_hop;
    bool is_reply;
  };

  /// `packet` is what the bytes were made of: it stands for the fragments that came before.
  ByteNode(const node::NodeState& state, node::NodeRuntime& runtime, const forward::Packet& packet,
           Picos now)
      : state_(state), runtime_(runtime), packet_(packet), now_(now) {}

  void run(forward::Ingress ingress);

  std::vector<Sent> sent;
  std::optional<Drop> drop;
  bool held = false;

  /// UDP ports that carry VXLAN as far as this node is concerned.
  std::vector<std::uint16_t> vxlan_ports() const;

 private:
  void route_in(const Bytes& bytes, const node::Device* ingress);
  void forward_on(const Bytes& bytes, const node::Device* ingress);
  bool reverse_path_accepts(IpAddress source, const node::Device& device) const;

  /// The route of a packet that may leave, or none after the drop.
  std::optional<FoundRoute> leading_route(const Bytes& bytes, bool forwarded);
  void leave(const Bytes& bytes, const FoundRoute& found, bool forwarded);
  void leave_by_tunnel(const Bytes& bytes, const node::Route& route, const node::Device& device);
  bool fits(const Bytes& bytes, std::size_t mtu, bool forwarded, std::vector<Bytes>& pieces);
  std::size_t mtu_towards(IpAddress destination, const FoundRoute& found, bool forwarded) const;

  void local(const Bytes& bytes);
  std::optional<Bytes> collect(const Bytes& fragment);
  void unwrap(const Bytes& bytes, Encapsulation encapsulation);
  void tell(const Bytes& cause, std::uint8_t type, std::uint8_t code, std::size_t mtu);
  void give_up(Drop reason);

  const node::NodeState& state_;
  node::NodeRuntime& runtime_;
  const forward::Packet& packet_;
  Picos now_;
  bool telling_ = false;    ///< Whether the bytes at hand are an ICMP error of the node's own.
  bool tunnelled_ = false;  ///< Whether they have an outer header.
};

}  // namespace overlane::reference
