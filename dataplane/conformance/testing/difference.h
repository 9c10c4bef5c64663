#pragma once

#include <string>

#include "dataplane/kernel/experiment/experiment.h"
#include "dataplane/node/state/node_state.h"
#include "dataplane/reference/reference.h"

namespace overlane::kernel {

// The comparison of the referee: what the kernel emitted against what the byte path expects.
// Fields that a kernel draws at random are left out.

/// Empty when the kernel did with a packet what the byte path says, else the first difference in
/// one line: how many packets came out, where, to which next hop, and all their bytes; and for a
/// drop that the kernel counts, its counter, if `is_counted`.
///
/// Of the bytes only what the kernel draws at random is left out, of headers that the node itself
/// made (outer headers, ICMP errors, IPv6 fragments): the identification, the IPv6 flow label, the
/// UDP source port of a tunnel packet within its range, which is checked like the outer UDP
/// checksum, and the source port of a masqueraded packet within its range, where the packet filter
/// has it drawn. Also the inner Ethernet addresses of devices that need none (Device::external,
/// Device::remote).
std::string difference(const node::NodeState& state, const Observed& kernel,
                       const reference::ByteOutcome& expected, bool is_counted);

}  // namespace overlane::kernel
