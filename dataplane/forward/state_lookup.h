#pragma once

#include "dataplane/node/state/node_state.h"

namespace overlane::forward {

/// A Lookup of NodeDecision: the state's own tables.
class StateLookup {
 public:
  explicit StateLookup(const node::NodeState& state) : state_(state) {}

  const node::NodeState& state() const { return state_; }
  auto route(IpAddress address) const { return node::lookup(state_, address); }
  const node::Device* device(node::DeviceName name) const { return state_.find_device(name); }
  const node::Device* uplink() const { return state_.uplink(); }
  const node::Device* receiving_device(const node::TunnelKey& key) const {
    return node::receiving_device(state_, key);
  }
  bool is_local(IpAddress address) const { return node::is_local(state_, address); }
  const node::Member* neighbour(IpAddress address) const {
    return state_.cluster->with_tunnel_address(address);
  }
  bool is_member(IpAddress address) const {
    return state_.cluster->with_node_address(address) != nullptr;
  }

 private:
  const node::NodeState& state_;
};

}  // namespace overlane::forward
