#pragma once

#include <string>
#include <vector>

#include "dataplane/kernel/set_up/set_up.h"

namespace overlane::kernel {

// The steps of set_up, in order; each appends its commands.

/// What holds before any device exists.
void add_sysctls(const node::NodeState& state, std::vector<Command>& commands);

/// Ports and tunnel devices with addresses and MTU, up; then the neighbours behind them.
void add_devices(const node::NodeState& state, UplinkPair uplink, SetUp& set_up);

/// The main table; then down goes what is down, which takes its routes with it.
void add_routes(const node::NodeState& state, std::vector<Command>& commands);

/// Sysctls of devices, and forwarding databases.
void add_device_settings(const node::NodeState& state, std::vector<Command>& commands);

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
