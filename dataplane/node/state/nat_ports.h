#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>

#include "dataplane/node/state/conntrack_tuple.h"
#include "dataplane/node/state/port_range.h"

namespace overlane::node {

/// What a packet's source becomes.
struct SourceTranslation {
  IpAddress source;
  std::optional<PortRange> ports;
  bool random_fully = false;  ///< Never keep the port (--random-fully, as Felix asks for).

  auto operator<=>(const SourceTranslation&) const = default;
};

/// The tuple that the network sees instead of `original`; nothing when no port is free. `is_taken`
/// says whether a connection of this tuple could not be told from another one.
///
/// Follows get_unique_tuple and nf_nat_l4proto_unique_tuple (nf_nat_core.c): the port stays when it
/// may and is free. Else 128 ports of the range are tried, then 64, 32, 16 and 8 more, each from
/// another place: with almost all ports taken Linux, too, finds none although one is free. Where
/// Linux draws the place at random, here the tuple's hash gives it, so that a run repeats. Two
/// differences: a source with a translation towards another destination does not get the same port
/// by preference (find_appropriate_src), and a connection in TIME_WAIT does not yield its port.
std::optional<ConntrackTuple> translate_source(
    const ConntrackTuple& original, const SourceTranslation& translation,
    const std::function<bool(const ConntrackTuple&)>& is_taken);

}  // namespace overlane::node
