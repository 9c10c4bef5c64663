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

// The limit of each flow of a run, in terms of queueing: the saturated station, the closed window
// or the application that keeps it from being faster, and the constants behind it (`run --why`).

/// Minimum share of the measured time that a station must be busy to count as the limit of a flow,
/// in parts per million.
inline constexpr std::int64_t kSaturatedPpm = 950'000;

/// Minimum share of the measured time that packets must have waited for a cap or an allowance for
/// it to count as a limit, in parts per million: it limits nothing while its burst lasts.
inline constexpr std::int64_t kMinHeldBackPpm = 50'000;

/// Maximum number of flows of one group whose limits are listed separately.
inline constexpr std::size_t kLimitsPerGroup = 8;

/// The period in which busy times were measured: from the end of the warm-up to the end of the run.
struct Period {
  Picos from;
  Picos to;  ///< After `from`.
};

/// The limit of a flow, with the constants that determine it, the most direct one first.
struct FoundLimit {
  model::Limit limit;
  std::vector<Parameter> constants;  ///< Empty if the limit is an entry of the states without a
                                     ///< number.
};

/// The limit of each flow, from the measurements of a run: the busiest station on its path if one
/// is saturated, otherwise the window that stopped its sender most of the time, otherwise its own
/// application. One flow per distinct limit and group.
std::vector<FoundLimit> find_limits(const Network& network,
                                    const std::vector<TrafficGroup>& traffic,
                                    const FlowTable& flows, const NodePaths& paths,
                                    const Accounts& accounts, const Period& measured);

// Limits other than stations.

/// "start of the flow", "transfers of 5000 bytes on average".
std::string transfer_text(const TrafficGroup& group);

/// The limit of a flow without arrivals: most of its packets are dropped for `drop`, under the
/// fabric's state at the end of the run.
FoundLimit stopped_limit(const Network& network, const node::FabricState& fabric, Drop drop);

/// `has_lost`: the connection has retransmitted. `too_big`: some segments exceeded the path MTU.
FoundLimit congestion_window_limit(const Network& network, transport::CongestionControl control,
                                   bool has_lost, bool too_big);

/// A link between two racks on an endpoint's path, with its limit.
struct LinkLimit {
  const core::FifoServer* server = nullptr;
  FoundLimit limit;
};
/// The links between two racks on an endpoint's path; empty if both nodes share a rack or there are
/// no racks.
std::vector<LinkLimit> rack_link_limits(const PacketPath& path, EndpointId sender,
                                        std::uint32_t from, std::uint32_t to);

/// The limit of clients that open connections faster than source ports become free.
FoundLimit source_port_limit();

/// The constants of the round-trip time through hosts and fabric.
std::vector<Parameter> constants_of_way(const Network& network);

}  // namespace overlane::run
