#pragma once

#include <cstdint>
#include <span>

#include "dataplane/node/state/node_state.h"

namespace overlane::path {

/// Where a tunnel device in metadata mode takes packets, an eBPF program gives the frames inside
/// their address (cilium bpf/bpf_overlay.c): no sender knows it. Changes `bytes`, which come in
/// from the fabric, when they are for such a device.
void readdress(const node::NodeState& state, std::span<std::uint8_t> bytes);

}  // namespace overlane::path
