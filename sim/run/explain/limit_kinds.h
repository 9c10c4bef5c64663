#pragma once

#include <string>
#include <vector>

#include "sim/run/explain/limits.h"

namespace overlane::run {

// Limits that are no stations.

/// "start of the flow", "transfers of 5000 bytes on average".
std::string transfer_text(const TrafficGroup& group);

/// Nothing arrives, most of all by `drop`, with the fabric as it is by now.
FoundLimit stopped_limit(const Network& network, const node::FabricState& fabric, Drop drop);

/// `has_lost`: the connection has sent something again. `too_big`: some of it did not fit the path.
FoundLimit congestion_window_limit(const Network& network, bool has_lost, bool too_big);

/// The links between two racks by which an end's packets go, each with what it is as a limit;
/// nothing where both nodes share a rack or there are none.
struct LinkLimit {
  const core::FifoServer* server = nullptr;
  FoundLimit limit;
};
std::vector<LinkLimit> rack_link_limits(const PacketPath& path, EndId sender, std::uint32_t from,
                                        std::uint32_t to);

/// Too many connections, one after the other.
FoundLimit source_port_limit();

/// What the way through hosts and fabric takes, there and back.
std::vector<Parameter> constants_of_way(const Network& network);

}  // namespace overlane::run
