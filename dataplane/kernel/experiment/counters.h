#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "dataplane/kernel/namespaces/network_namespace.h"
#include "dataplane/net/drop.h"

namespace overlane::kernel {

// The kernel's own counters: those of nstat, of devices, and of packet filter rules with comments.
// confirms_drop() checks whether the counters confirm a drop reason (dataplane/net/drop.h).

/// The kernel's counters in one namespace, by their names in nstat(8) ("IpInHdrErrors",
/// "TcpExtIPReversePathFilter", "Ip6InNoRoutes"). Further names: "dev eth0 rx_dropped"
/// (/proc/net/dev), "route in_martian_src" (/proc/net/stat/rt_cache, which counts for all
/// namespaces together) and "rule source-spoofed" (a packet filter rule with that comment).
using Counters = std::map<std::string, std::int64_t>;

Counters read_counters(const NetworkNamespace& node);

/// Differences of the counters that changed, without byte counts and plain traffic counts
/// ("InReceives", "rx_packets").
Counters changed_counters(const Counters& before, const Counters& after);

/// Whether IP processed a packet, either received or sent by the node itself.
bool has_input(const Counters& before, const Counters& after);

/// Whether the changed counters confirm a drop reason: one of its DropFacts::counters changed. Also
/// true for reasons that the kernel does not count.
bool confirms_drop(const Counters& changed, Drop drop);

/// "IpInHdrErrors 1, IcmpOutTimeExcds 1".
std::string to_string(const Counters& changed);

}  // namespace overlane::kernel
