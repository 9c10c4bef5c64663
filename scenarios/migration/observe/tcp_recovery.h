#pragma once

#include <optional>

#include "dataplane/net/units.h"

namespace overlane::migration {

/// How long an established TCP connection that sends all the time stands still because of an outage
/// of this length: until its first retransmission afterwards, as the timeout doubles each time
/// (RFC 6298). Nothing: it has given up before (tcp_retries2, 15 retransmissions).
std::optional<Picos> tcp_stall(Picos outage);

}  // namespace overlane::migration
