#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "dataplane/net/drop.h"

namespace overlane::path {

/// A condition that a packet must pass: drop reasons grouped by what an operator has to fix.
enum class Gate : std::uint8_t {
  Route,          ///< Routes on nodes and in the VPC, and their next hops.
  Encapsulation,  ///< A tunnel's device, neighbours and forwarding entries, at either end.
  AntiSpoofing,   ///< Allowed source and destination addresses of an interface.
  Filter,         ///< Packet filters of nodes, security groups, protocols that the fabric drops.
  Mtu,            ///< Packet sizes and fragments.
};

/// "route", "encapsulation", "anti-spoofing", "filter" or "mtu".
std::string_view to_string(Gate gate);

/// The gate of a drop reason. Nothing for malformed packets, overload and injected faults, which do
/// not occur with one packet in idle states.
std::optional<Gate> gate_of(Drop drop);

}  // namespace overlane::path
