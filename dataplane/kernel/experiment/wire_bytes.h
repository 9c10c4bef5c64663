#pragma once

#include <cstdint>
#include <vector>

#include "dataplane/forward/packet.h"
#include "dataplane/kernel/experiment/experiment.h"
#include "dataplane/node/state/node_state.h"

namespace overlane::kernel {

/// reference::encode, and the link-layer addresses inside VXLAN, which no descriptor has: those of
/// the members of the cluster that have the outer addresses.
std::vector<std::uint8_t> wire_bytes(const node::NodeState& state, const forward::Packet& packet);

/// Where the inner IP packet begins in those bytes: 0 in a bare packet.
std::size_t inner_offset(const forward::Packet& packet);

/// The packet as an injection that waits for `expected` packets. From a pod it comes through the
/// veth of the pod that has its source address, or else of the first pod. The node listens for it.
Injection inject(const node::NodeState& state, const forward::Packet& packet,
                 forward::Ingress ingress, std::size_t expected);

}  // namespace overlane::kernel
