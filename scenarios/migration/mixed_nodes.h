#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "dataplane/node/state/world.h"
#include "scenarios/migration/inputs/transition.h"

namespace overlane::migration {

// Two nodes during a switch from IPIP to routed pods. The old node still has the route that its old
// calico-node pod wrote; the new node no longer has a route to the pods of the old node.
// mixed_cases() lists all combinations of such states, and mixed_world() builds the world of one.

/// The route of the old node to the new one's pods.
enum class OldRoute : std::uint8_t {
  Tunnel,       ///< A route by tunl0.
  Neighbour,    ///< A route of BIRD without a tunnel, to a node of the same subnet.
  Gateway,      ///< A route of BIRD without a tunnel, to a node of another subnet.
  Onlink,       ///< An onlink route to a node of another subnet, as if it were a neighbour.
  Unreachable,  ///< A route of BIRD without a tunnel, where nodes have /32 addresses.
  None,
};

inline constexpr std::array<std::pair<std::string_view, OldRoute>, 6> kOldRoutes{{
    {"tunl0", OldRoute::Tunnel},
    {"plain, to a neighbour", OldRoute::Neighbour},
    {"plain, via the gateway", OldRoute::Gateway},
    {"plain, onlink to another subnet", OldRoute::Onlink},
    {"unreachable", OldRoute::Unreachable},
    {"none", OldRoute::None},
}};

struct MixedCase {
  OldRoute route{};
  bool to_new = true;           ///< Direction of the packet: true from the old node to the new one.
  bool new_has_tunnel = true;   ///< The new node still has tunl0, which Felix does not delete.
  bool has_cloud_route = true;  ///< A cloud route to the receiver's pods exists.
  std::uint8_t rp_filter = 0;   ///< The sysctl rp_filter on the devices of both nodes.
};

/// Returns all 144 cases.
std::vector<MixedCase> mixed_cases();

/// The world of a shoot with two zones that contains the two nodes of a case, and the nodes between
/// which the packet travels.
struct MixedWorld {
  node::World world;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};
/// Builds the world of a case. `transition` must lead from IPIP to routed pods and have at least
/// three nodes: the first and the third in one subnet, the second in another.
MixedWorld mixed_world(const Transition& transition, const MixedCase& mixed);

}  // namespace overlane::migration
