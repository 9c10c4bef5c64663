#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dataplane/forward/connection.h"
#include "dataplane/forward/outcome.h"
#include "dataplane/node/state/node_state.h"

namespace overlane::forward {

// The Observer interface of NodeDecision and its two plain implementations. An Observer receives a
// call for each decision, in order, with the entries of the state that caused it (Wrapping,
// Translation, DropCause). NoObserver ignores everything and costs nothing; StepObserver writes
// each decision in words. byte_rewrite::ByteRewriter is an Observer that changes bytes. References
// in the arguments are valid during the call only.

/// The state's entries for an encapsulation.
struct Wrapping {
  const node::Route& route;  ///< The route into the device.
  const node::Device& device;
  std::uint32_t mtu = 0;  ///< MTU of the inner packet in bytes, which limits WireGuard's padding.
  /// The member of VXLAN's neighbour entry for the next hop, or the WireGuard peer whose allowed
  /// IPs contain the destination. Null without such an entry and for other devices.
  const node::Member* peer = nullptr;
};

/// A translation of one side of a packet, and its rule.
struct Translation {
  const node::Track& track;
  Side side = Side::Source;
  /// The masquerade rule of a new connection; nothing for a known connection.
  std::optional<node::MasqueradeRule> rule;
};

/// The entries of the state that caused a drop; null where there is none.
struct DropCause {
  const node::RouteMatch* match = nullptr;
  const node::Device* device = nullptr;
  const node::TunnelGuard* guard = nullptr;  ///< The guard that rejects the packet.
  const node::Service* service = nullptr;    ///< The Service without endpoints.
};

/// Ignores all decisions; for the hot path.
struct NoObserver {
  void admitted(const Packet&, const node::RouteMatch&) {}
  void routed(const Packet&, const node::RouteMatch&) {}
  void fragmented(const Packet&, std::uint32_t, const node::RouteMatch&, const node::Device*) {}
  void refragmented(const Packet&, std::size_t) {}
  std::optional<Drop> encapsulated(const Packet&, const Wrapping&) { return std::nullopt; }
  void decapsulated(const Packet&, const node::Device&, const node::TunnelGuard*) {}
  void held(const Packet&, const node::ReassemblyKey&) {}
  void given_up(const node::ReassemblyKey&) {}
  void reassembled(Packet&, const node::ReassemblyKey&) {}
  void translated(const Packet&, const Packet&, const Translation&) {}
  void answered(const Packet&, const Packet&) {}
  void answer_ended() {}
  void held_back(IpAddress) {}
  void emitted(Egress, const Packet&, IpAddress) {}
  void dropped(Drop, const Packet&, const DropCause&) {}
};

/// Appends each decision of a node as a Step. The state and the steps must outlive this object.
class StepObserver {
 public:
  StepObserver(const node::NodeState& state, std::vector<Step>& steps)
      : state_(state), steps_(steps) {}

  /// A pod's packet passed the source check; `reverse` is the route to its source.
  void admitted(const Packet& packet, const node::RouteMatch& reverse);
  void routed(const Packet& packet, const node::RouteMatch& match);
  void fragmented(const Packet& packet, std::uint32_t mtu, const node::RouteMatch& match,
                  const node::Device* device);
  void refragmented(const Packet& packet, std::size_t fragments);
  /// Returns a reason to drop the packet instead of sending it into the tunnel. Only observers with
  /// the packet's bytes have one.
  std::optional<Drop> encapsulated(const Packet& packet, const Wrapping& wrapping);
  /// `guard`: the entry of the packet filter that admitted the packet; null without one.
  void decapsulated(const Packet& packet, const node::Device& device,
                    const node::TunnelGuard* guard);
  void held(const Packet& packet, const node::ReassemblyKey& key);
  void given_up(const node::ReassemblyKey&) {}
  /// Observers with the packet's bytes may set the fields that its fragments could not show.
  void reassembled(Packet& packet, const node::ReassemblyKey& key);
  void translated(const Packet& before, const Packet& after, const Translation& translation);
  void answered(const Packet& error, const Packet& cause);
  /// The ICMP error is sent; the next calls concern its cause again.
  void answer_ended() {}
  void held_back(IpAddress destination);
  void emitted(Egress egress, const Packet& packet, IpAddress next_hop);
  void dropped(Drop reason, const Packet& packet, const DropCause& cause);

 private:
  void add(std::string decision, std::string because, std::string state_entry = "");
  void resolved(const Packet& packet, const Wrapping& wrapping);

  const node::NodeState& state_;
  std::vector<Step>& steps_;
};

/// Returns a packet's outermost header in words, such as "10.250.0.4 > 10.250.0.5 ipip 1500 bytes".
std::string describe(const Packet& packet);
/// Returns an error in words, such as "fragmentation needed, MTU 1400".
std::string describe(const IcmpError& error);

}  // namespace overlane::forward
