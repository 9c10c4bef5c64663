#pragma once

#include <initializer_list>

#include "dataplane/conformance/testing/case.h"

namespace overlane::conformance::testing {

using Arrivals = std::vector<Arrival>;
/// Where the fragments of a packet end, in bytes of its payload.
using Ends = std::vector<std::uint32_t>;

/// Ends of the fragments of packets of 1,000 bytes.
inline const Ends kThree{400, 800, 980};
inline const Ends kTwo{800, 980};
inline const Ends kUneven{200, 800, 980};
inline const Ends kThreeV6{400, 800, 960};

/// The fragments of a bare packet, as `from` sends them. Behind one that ends between multiples of
/// 8 the next begins too early.
Arrivals as_fragments(Arrival (*from)(Packet), Packet whole, const Ends& ends);

/// Fragments of a tunnel packet's outer packet.
Arrivals outer_fragments(Packet whole, const Ends& ends);

/// Each fragment in a tunnel packet of its own.
Arrivals in_tunnel(const node::testing::ClusterShape& shape, const Arrivals& fragments);

/// The arrivals in this order.
Arrivals ordered(const Arrivals& arrivals, std::initializer_list<std::size_t> order);

/// What becomes of arrivals when `held` of them are held before something comes of the next.
std::vector<std::string> then(std::size_t held, std::string outcome);

/// A packet that comes out as fragments; {} in `line` is the size of each.
std::string fragments(const std::string& line, const Ends& ends);

}  // namespace overlane::conformance::testing
