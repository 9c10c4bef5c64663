#pragma once

#include <string>
#include <string_view>

#include "dataplane/capture/decode.h"

namespace overlane::capture {

// Prints a decoded packet: for people, and as one line of JSON for `overlane decode`.

/// A packet for people: one line with its number, the time since `start`, its length and its
/// headers; each packet inside on a line of its own, further to the right; then a line per problem.
std::string print(const DecodedPacket& packet, Timestamp start);

/// One line of JSON without its end: "file" when one is given, "number", "timestamp",
/// "length_bytes", "layers" (each with "layer" first) and "problems".
std::string to_json(const DecodedPacket& packet, std::string_view file = "");

}  // namespace overlane::capture
