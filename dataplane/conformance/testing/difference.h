#pragma once

#include <string>

#include "dataplane/kernel/experiment/experiment.h"
#include "dataplane/node/state/node_state.h"
#include "dataplane/reference/reference.h"

namespace overlane::kernel {

// Compares what a Linux kernel did with a packet to the outcome of the byte path.

/// Returns the first difference in one line, or an empty string. Compares the number of packets,
/// their egress, next hop and bytes, and, if `is_counted`, the kernel's counter of a drop that the
/// kernel counts.
///
/// Fields that the kernel draws at random are not compared, in headers that the node itself made
/// (outer headers, ICMP errors, IPv6 fragments): the identification, the IPv6 flow label, the UDP
/// source port of a tunnel packet, and the source port of a masqueraded packet if the packet filter
/// makes it random. Ports must be in their range, and the outer UDP checksum must be right. The
/// inner Ethernet addresses of devices that need none (Device::external, Device::remote) are not
/// compared.
std::string difference(const node::NodeState& state, const Observed& kernel,
                       const reference::ByteOutcome& expected, bool is_counted);

}  // namespace overlane::kernel
