#pragma once

#include <cstdint>
#include <span>

#include "dataplane/node/state/node_state.h"

namespace overlane::path {

/// Sets the destination MAC address of frames for a tunnel device in metadata mode, as an eBPF
/// program does there (cilium bpf/bpf_overlay.c): no sender knows it. `bytes` come from the fabric;
/// changed only if they are for such a device.
void readdress(const node::NodeState& state, std::span<std::uint8_t> bytes);

}  // namespace overlane::path
