#pragma once

#include <string>
#include <string_view>

#include "dataplane/capture/decoded_packet.h"

namespace overlane::capture {

/// One line of JSON without its end: "file" when one is given, "number", "timestamp",
/// "length_bytes", "layers" (each with "layer" first) and "problems".
std::string to_json(const DecodedPacket& packet, std::string_view file = "");

}  // namespace overlane::capture
