#pragma once

#include <string>
#include <vector>

#include "dataplane/kernel/set_up/set_up.h"

namespace overlane::kernel {

// The last step of set_up() (set_up.h): the commands of iptables that make the packet filter of a
// node. They follow Felix (calico/felix/rules) and kube-proxy.

/// Felix's packet filters. Every rule that drops carries the name of its Drop as a comment, by
/// which its counter is found.
void add_filters(const node::NodeState& state, std::vector<Command>& commands);

/// Whether any device, pod or route of the state is of this family.
bool has_ipv6(const node::NodeState& state);

/// A link-layer address of ours: what it is for, and which of them.
MacAddress numbered_mac(std::uint8_t role, std::size_t number);

/// "100.96.1.1/32".
std::string host_prefix(IpAddress address);

}  // namespace overlane::kernel
