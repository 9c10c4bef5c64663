#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topologies/path/trace.h"
#include "topologies/witness/world.h"

namespace overlane::witness {

/// A packet that an overlap may affect.
struct Question {
  std::string sender;
  std::string meant;
  IpAddress destination;
  std::uint16_t port = 0;  ///< TCP, the receiver's.
  int rank = 0;            ///< 0: the worst.
  path::TraceRequest request;
  std::string assumption;  ///< In addition to the world's; may be empty.
};

/// The case from the sides that capture packets, which are `a`. Services come before pods and pods
/// before nodes; of two equal sides, both.
std::vector<Case> views(const Case& overlap);

/// The packets to trace in a world of that view, the worst first.
std::vector<Question> questions(const World& world, const Case& view);

/// The receiver of a dropped packet.
inline constexpr std::string_view kNowhere = "nowhere";

}  // namespace overlane::witness
