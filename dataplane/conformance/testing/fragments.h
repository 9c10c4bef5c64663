#pragma once

#include <initializer_list>

#include "dataplane/conformance/testing/case.h"

namespace overlane::conformance::testing {

// Fragments as arrivals of cases, and the lines that cases expect for them.

using Arrivals = std::vector<Arrival>;
/// The ends of a packet's fragments, in bytes of its payload.
using Ends = std::vector<std::uint32_t>;

/// Ends of the fragments of packets of 1,000 bytes.
inline const Ends kThree{400, 800, 980};
inline const Ends kTwo{800, 980};
inline const Ends kUneven{200, 800, 980};
inline const Ends kThreeV6{400, 800, 960};

/// The fragments of a packet without tunnel headers, as arrivals made by `from`. An end that is no
/// multiple of 8 is rounded down for the begin of the next fragment, so that both overlap.
Arrivals as_fragments(Arrival (*from)(Packet), Packet whole, const Ends& ends);

/// The fragments of the outer packet of a tunnel packet.
Arrivals outer_fragments(Packet whole, const Ends& ends);

/// The fragments, each in a tunnel packet of its own.
Arrivals in_tunnel(const node::testing::ClusterShape& shape, const Arrivals& fragments);

/// The arrivals in this order.
Arrivals ordered(const Arrivals& arrivals, std::initializer_list<std::size_t> order);

/// Expected lines of arrivals: `held` times "held", then `outcome`.
std::vector<std::string> then(std::size_t held, std::string outcome);

/// The expected line of a packet that leaves as fragments. {} in `line` stands for the size of
/// each.
std::string fragments(const std::string& line, const Ends& ends);

}  // namespace overlane::conformance::testing
