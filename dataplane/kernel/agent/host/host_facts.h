#pragma once

#include <optional>
#include <string>

#include "dataplane/kernel/agent/protocol/messages.h"

namespace overlane::agent {

/// Facts of this host. The uplink is that device, or the one with `reached_at`, the address that
/// the client has connected to. Fails if there is no such device, or if that is the loopback.
Parsed<HostFacts> host_facts(HostNetwork network, const std::optional<std::string>& uplink,
                             const IpAddress& reached_at);

}  // namespace overlane::agent
