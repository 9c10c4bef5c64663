#pragma once

#include "dataplane/forward/forward.h"
#include "dataplane/forward/step_observer.h"
#include "dataplane/node/state/node_state.h"

namespace overlane::forward {

// What the parts of one decision share (node_decision.h): the tables, the observer, what the node
// remembers, the time and the outcome. Emissions and drops are recorded here only. A context serves
// one packet, with the ICMP errors about it; everything it refers to must outlive it.

/// Where the packet at hand came from.
enum class Origin : std::uint8_t { Forwarded, Node };

/// Lookup answers what the node's tables say: `route(address)` → std::optional<node::RouteMatch>,
/// `device(name)`, `uplink()`, `receiving_device(key)`, `is_local(address)`, `neighbour(address)`
/// (the member behind a tunnel address), `is_member(address)` (whether it is a node's of the
/// cluster), and `state()` for what is not a table.
/// Observer hears of each decision (forward/step_observer.h shows the calls).
template <typename Lookup, typename Observer>
struct DecisionContext {
  const Lookup& lookup;
  Observer& observer;
  node::NodeRuntime& runtime;
  Picos now;
  Outcome& outcome;
  bool is_answering = false;      ///< The packet at hand is the ICMP error.
  std::uint32_t sealing_mtu = 0;  ///< Emission::sealing_mtu of what WireGuard sends.

  const node::NodeState& state() const { return lookup.state(); }
  const node::PacketFilter* filter() const { return state().filter.get(); }
  /// Whether nf_conntrack is loaded, and with it the defragmentation before it.
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
