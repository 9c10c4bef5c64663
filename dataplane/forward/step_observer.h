#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dataplane/forward/connection.h"
#include "dataplane/forward/outcome.h"
#include "dataplane/node/state/node_state.h"

namespace overlane::forward {

// The Observer interface of NodeDecision and its two plain implementations. An Observer is told
// each decision, in order, with the entries of the state that it was made by (Wrapping,
// Translation, DropCause). NoObserver ignores everything and costs nothing; StepObserver writes
// each decision down for people. byte_rewrite::ByteRewriter is an Observer that changes bytes.
// References in the arguments are valid during the call only.

/// How a tunnel device wraps a packet.
struct Wrapping {
  const node::Route& route;  ///< By which the packet came to the device.
  const node::Device& device;
  std::uint32_t mtu = 0;  ///< MTU of the packet inside: WireGuard's padding ends there.
  /// Who has VXLAN's neighbour entry for the next hop, or among whose allowed IPs the destination
  /// is; null where there is none, and for other devices.
  const node::Member* peer = nullptr;
};

/// What of a packet's connection was translated, and why.
struct Translation {
  const node::Track& track;
  Side side = Side::Source;
  /// By which the packet opens a masqueraded connection; nothing for one that is known.
  std::optional<node::MasqueradeRule> rule;
};

/// The entries by which a packet is dropped, as far as there are any.
struct DropCause {
  const node::RouteMatch* match = nullptr;
  const node::Device* device = nullptr;
  const node::TunnelGuard* guard = nullptr;  ///< The guard that rejects the packet.
  const node::Service* service = nullptr;    ///< Without endpoints.
};

/// Hears nothing: the hot path.
struct NoObserver {
  void admitted(const Packet&, const node::RouteMatch&) {}
  void routed(const Packet&, const node::RouteMatch&) {}
  void fragmented(const Packet&, std::uint32_t, const node::RouteMatch&, const node::Device*) {}
  void taken_apart(const Packet&, std::size_t) {}
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

/// Writes each decision of a node down as a Step.
class StepObserver {
 public:
  StepObserver(const node::NodeState& state, std::vector<Step>& steps)
      : state_(state), steps_(steps) {}

  /// From a pod, whose source address `reverse` leads back to it.
  void admitted(const Packet& packet, const node::RouteMatch& reverse);
  void routed(const Packet& packet, const node::RouteMatch& match);
  void fragmented(const Packet& packet, std::uint32_t mtu, const node::RouteMatch& match,
                  const node::Device* device);
  void taken_apart(const Packet& packet, std::size_t fragments);
  /// Why the packet must not enter the tunnel after all, for who has its bytes.
  std::optional<Drop> encapsulated(const Packet& packet, const Wrapping& wrapping);
  /// `guard`: by which the packet filter let it in, if it asked.
  void decapsulated(const Packet& packet, const node::Device& device,
                    const node::TunnelGuard* guard);
  void held(const Packet& packet, const node::ReassemblyKey& key);
  void given_up(const node::ReassemblyKey&) {}
  /// The packet may be changed: who has its bytes fills in what its fragments could not show.
  void reassembled(Packet& packet, const node::ReassemblyKey& key);
  void translated(const Packet& before, const Packet& after, const Translation& translation);
  void answered(const Packet& error, const Packet& cause);
  /// What follows is about the cause again.
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

/// "10.250.0.4 > 10.250.0.5 ipip 1500 bytes" and the like: a packet's outermost header in words.
std::string describe(const Packet& packet);
/// "fragmentation needed, MTU 1400".
std::string describe(const IcmpError& error);

}  // namespace overlane::forward
