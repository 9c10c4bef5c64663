#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topologies/path/trace.h"
#include "topologies/witness/shared_network.h"

// The packets to trace for an overlap, the most severe first: from pods, nodes and hosts of either
// shoot to the contested address and back. Each packet names the intended receiver, with which the
// trace is compared.

namespace overlane::witness {

/// A packet that an overlap may affect.
struct CandidatePacket {
  std::string sender;
  std::string meant;
  IpAddress destination;
  std::uint16_t port = 0;  ///< TCP port of the receiver.
  int rank = 0;            ///< 0 is the most severe.
  path::TraceRequest request;
  std::string assumption;  ///< An assumption in addition to those of the SharedNetwork; may be
                           ///< empty.
};

/// The case as seen from each side that can capture packets; that side is `a`. Services have
/// precedence over pods, and pods over nodes; two equal sides give two views.
std::vector<OverlapCase> views(const OverlapCase& overlap);

/// The packets to trace in the shared network of `view`, the most severe first.
std::vector<CandidatePacket> candidate_packets(const SharedNetwork& world, const OverlapCase& view);

/// Name of the receiver of a dropped packet.
inline constexpr std::string_view kNowhere = "nowhere";

}  // namespace overlane::witness
