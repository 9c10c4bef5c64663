#pragma once

#include "dataplane/kernel/observe/counters.h"

namespace overlane::kernel {

/// Adds "rule COMMENT" for every packet filter of the thread's namespace that has a comment: how
/// many packets it matched, summed over the rules of one comment. Asks the kernel itself
/// (IPT_SO_GET_ENTRIES, linux/netfilter_ipv4/ip_tables.h), because iptables-save once per packet is
/// too slow in user-mode Linux.
void read_rule_counters(Counters& counters);

}  // namespace overlane::kernel
