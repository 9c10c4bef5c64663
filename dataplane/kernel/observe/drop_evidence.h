#pragma once

#include <string>
#include <string_view>

#include "dataplane/kernel/observe/counters.h"
#include "dataplane/net/drop.h"

namespace overlane::kernel {

/// Whether the kernel's counters bear out that a packet was dropped for this reason. True as well
/// for reasons that the kernel does not count; has_evidence tells them apart.
bool bears_out(const Counters& moved, Drop drop);

/// Whether some counter of the kernel moves when a packet is dropped for this reason.
bool has_evidence(Drop drop);

/// "IpInHdrErrors 1, IcmpOutTimeExcds 1".
std::string to_string(const Counters& moved);

}  // namespace overlane::kernel
