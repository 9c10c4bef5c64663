#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "dataplane/net/drop.h"
#include "topologies/path/trace.h"

namespace overlane::path {

// What an operator has to fix for a packet that was dropped. Gate groups the drop reasons of
// dataplane/net/drop.h by that question; needed() finds the missing route, device, neighbour or
// rule, as the line of the state's text that would have let the packet pass. It looks for the
// cause, which may be on another node than the drop.

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

/// The missing or wrong configuration that caused a drop.
struct Needed {
  Gate gate = Gate::Route;
  std::string place;  ///< Where it is missing: "node-1", "vpc".
  std::string what;   ///< One sentence, without the entry.
  std::string
      entry;  ///< The line of the state's text that would have let the packet pass, or empty.
  bool is_there = false;  ///< The entry exists, so the cause is another one.
};

/// The configuration whose absence caused the failure. If the route used is not the one that the
/// shoot's CNI writes, the gate is that of the missing route: without its tunnel device a node has
/// no routes through it, so the VPC's drop of the unencapsulated packet is only a symptom.
Needed needed(const compile::Compiled& states, const Failure& failure);

}  // namespace overlane::path
