#pragma once

#include <string>

#include "dataplane/capture/decoded_packet.h"

namespace overlane::capture {

/// A packet for people: one line with its number, the time since `start`, its length and its
/// headers; each packet inside on a line of its own, further to the right; then a line per problem.
std::string print(const DecodedPacket& packet, Timestamp start);

}  // namespace overlane::capture
