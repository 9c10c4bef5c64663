#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topologies/path/trace.h"
#include "topologies/witness/shared_network.h"

// Which packets to trace for an overlap, the worst first: from pods, nodes and hosts of either
// shoot to the contested address and back. Each packet names the intended receiver, which the trace
// is compared with.

namespace overlane::witness {

/// A packet that an overlap may affect.
struct CandidatePacket {
  std::string sender;
  std::string meant;
  IpAddress destination;
  std::uint16_t port = 0;  ///< TCP, the receiver's.
  int rank = 0;            ///< 0: the worst.
  path::TraceRequest request;
  std::string assumption;  ///< In addition to those of the SharedNetwork; may be empty.
};

/// Returns the case as seen from each side that can capture packets; that side is `a`. Services
/// have precedence over pods, and pods over nodes; two equal sides give two views.
std::vector<OverlapCase> views(const OverlapCase& overlap);

/// Returns the packets to trace in the shared network of `view`, the most severe first.
std::vector<CandidatePacket> candidate_packets(const SharedNetwork& world, const OverlapCase& view);

/// The receiver of a dropped packet.
inline constexpr std::string_view kNowhere = "nowhere";

}  // namespace overlane::witness
