#pragma once

#include "dataplane/forward/forward.h"
#include "dataplane/forward/step_observer.h"
#include "dataplane/node/state/node_state.h"

namespace overlane::forward {

// The part of a decision that all steps share (node_decision.h): the tables, the observer, the
// node's runtime, the time and the outcome. Only this type records emissions and drops. A context
// serves one packet and the ICMP errors about it. Everything that it refers to must outlive it.

/// Source of the packet that is being decided: forwarded, or sent by the node itself.
enum class Origin : std::uint8_t { Forwarded, Node };

/// Context of one decision. `Lookup` reads the node's tables: `route(address)` returns
/// std::optional<node::RouteMatch>; `device(name)`, `uplink()` and `receiving_device(key)` return
/// devices; `is_local(address)` tells local addresses; `neighbour(address)` returns the member with
/// that tunnel address; `is_member(address)` tells whether a node of the cluster has the address;
/// `state()` is the state, for everything that is not a table. `Observer` receives a call for each
/// decision (forward/step_observer.h shows the calls).
template <typename Lookup, typename Observer>
struct DecisionContext {
  const Lookup& lookup;
  Observer& observer;
  node::NodeRuntime& runtime;
  Picos now;
  Outcome& outcome;
  bool is_answering = false;      ///< The packet that is being decided is the ICMP error.
  std::uint32_t sealing_mtu = 0;  ///< Emission::sealing_mtu of the packets that WireGuard sends.

  const node::NodeState& state() const { return lookup.state(); }
  const node::PacketFilter* filter() const { return state().filter.get(); }
  /// Returns whether nf_conntrack is loaded, and with it the defragmentation in front of it.
  bool tracks() const { return filter() != nullptr && filter()->tracking != node::Tracking::Off; }

  void emit(Egress egress, const Packet& packet, IpAddress next_hop) {
    observer.emitted(egress, packet, next_hop);
    outcome.emissions.push_back({egress, packet, next_hop, is_answering, sealing_mtu});
  }

  void drop(Drop reason, const Packet& packet, const node::RouteMatch* match = nullptr,
            const node::Device* device = nullptr) {
    drop(reason, packet, DropCause{.match = match, .device = device});
  }
  void drop(Drop reason, const Packet& packet, const DropCause& cause) {
    observer.dropped(reason, packet, cause);
    if (!is_answering) outcome.drop = reason;
  }
};

}  // namespace overlane::forward
