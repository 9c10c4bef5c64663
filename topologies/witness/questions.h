#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topologies/path/trace.h"
#include "topologies/witness/world.h"

namespace overlane::witness {

/// A packet that an overlap may hurt.
struct Question {
  std::string sender;
  std::string meant;
  IpAddress destination;
  std::uint16_t port = 0;  ///< TCP, the receiver's.
  int rank = 0;            ///< What hurts most has the lowest.
  path::TraceRequest request;
  std::string assumption;  ///< Beside those of the world; may be empty.
};

/// The case as those see it whose own ranges catch the packets: in `a` of each. Services come
/// before pods and these before nodes; of two equal sides both are such.
std::vector<Case> views(const Case& overlap);

/// The packets to follow in a world of that view, what hurts most first.
std::vector<Question> questions(const World& world, const Case& view);

/// Where a dropped packet lands.
inline constexpr std::string_view kNowhere = "nowhere";

}  // namespace overlane::witness
