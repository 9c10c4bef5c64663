#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/run/app/flow.h"
#include "sim/run/inputs/network.h"
#include "sim/run/packet/accounts.h"
#include "sim/run/path/packet_path.h"

namespace overlane::run {

/// A station counts as what limits a flow when it was busy for at least this share of the
/// measurement, in parts per million.
inline constexpr std::int64_t kSaturatedPpm = 950'000;

/// A cap or an allowance counts only when packets waited for it for at least this share, in parts
/// per million: while its burst lasts, it limits nobody.
inline constexpr std::int64_t kMinHeldBackPpm = 50'000;

/// Most flows of one group whose limits are listed separately.
inline constexpr std::size_t kLimitsPerGroup = 8;

/// When busy times were measured: from the end of the warm-up to that of the run.
struct Period {
  Picos from;
  Picos to;  ///< After `from`.
};

/// What limits a flow, and the constants that make it, the first one most directly.
struct FoundLimit {
  model::Limit limit;
  std::vector<Parameter> constants;  ///< Nothing: no number, but a state entry makes it.
};

/// What kept each flow from going faster, read off the measurements of a run: the busiest station
/// on its way when one is saturated, else the window that stopped its sender most of the time, else
/// its own application. One flow per distinct answer and group.
std::vector<FoundLimit> find_limits(const Network& network,
                                    const std::vector<TrafficGroup>& traffic,
                                    const FlowTable& flows, const NodePaths& paths,
                                    const Accounts& accounts, const Period& measured);

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
std::vector<LinkLimit> rack_link_limits(const PacketPath& path, EndpointId sender,
                                        std::uint32_t from, std::uint32_t to);

/// Too many connections, one after the other.
FoundLimit source_port_limit();

/// What the way through hosts and fabric takes, there and back.
std::vector<Parameter> constants_of_way(const Network& network);

}  // namespace overlane::run
