#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "dataplane/net/drop.h"

namespace overlane::path {

/// A condition that a packet must pass, as an operator sees it: drop reasons grouped by what has to
/// be fixed.
enum class Gate : std::uint8_t {
  Route,          ///< A route on a node or in the VPC, and what it names.
  Encapsulation,  ///< A tunnel's device, neighbours and forwarding entries, at either end.
  AntiSpoofing,   ///< Who may send from, or be sent to at, an address.
  Filter,         ///< Packet filters of nodes, security groups, what a fabric does not carry.
  Mtu,            ///< Sizes, and what becomes of fragments.
};

/// "route", "encapsulation", "anti-spoofing", "filter" or "mtu".
std::string_view to_string(Gate gate);

/// The gate that a drop is about. Nothing for what takes a broken packet, load or a fault on
/// purpose, which one packet through idle states does not meet.
std::optional<Gate> gate_of(Drop drop);

}  // namespace overlane::path
