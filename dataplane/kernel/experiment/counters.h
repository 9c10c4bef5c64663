#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "dataplane/kernel/namespaces/network_namespace.h"
#include "dataplane/net/drop.h"

namespace overlane::kernel {

// What the kernel itself counts: nstat's counters, device counters and the comments of packet
// filters. bears_out() compares them with the row of a drop reason (dataplane/net/drop.h).

/// The kernel's own counts in one namespace, by the names that nstat(8) gives them
/// ("IpInHdrErrors", "TcpExtIPReversePathFilter", "Ip6InNoRoutes"), and beside those:
/// "dev eth0 rx_dropped" (/proc/net/dev), "route in_martian_src" (/proc/net/stat/rt_cache, which is
/// one for all namespaces) and "rule source-spoofed" (a packet filter's comment).
using Counters = std::map<std::string, std::int64_t>;

Counters read_counters(const NetworkNamespace& node);

/// What moved; bytes and plain traffic counts ("InReceives", "rx_packets") are left out.
Counters moved(const Counters& before, const Counters& after);

/// Whether IP has seen a packet: one that came in, or one of the node's own.
bool has_input(const Counters& before, const Counters& after);

/// Whether one of DropFacts::counters has moved. True as well for reasons that the kernel does not
/// count.
bool bears_out(const Counters& moved, Drop drop);

/// "IpInHdrErrors 1, IcmpOutTimeExcds 1".
std::string to_string(const Counters& moved);

}  // namespace overlane::kernel
