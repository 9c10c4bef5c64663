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

/// The case from the sides that capture packets, which are `a`. Services come before pods and pods
/// before nodes; of two equal sides, both.
std::vector<OverlapCase> views(const OverlapCase& overlap);

/// The packets to trace in the shared network of that view, the worst first.
std::vector<CandidatePacket> candidate_packets(const SharedNetwork& world, const OverlapCase& view);

/// The receiver of a dropped packet.
inline constexpr std::string_view kNowhere = "nowhere";

}  // namespace overlane::witness
