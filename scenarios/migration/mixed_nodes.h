#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "dataplane/node/state/world.h"
#include "scenarios/migration/inputs/transition.h"

namespace overlane::migration {

// Two nodes in the middle of a switch from IPIP to routed pods: one still has the route that its
// old calico-node pod left, the other has none to the first one's pods any more.

/// The route of the old node to the new one's pods.
enum class OldRoute : std::uint8_t {
  Tunnel,       ///< By tunl0.
  Neighbour,    ///< BIRD's without a tunnel, to a node of the same subnet.
  Gateway,      ///< BIRD's without a tunnel, to a node of another subnet.
  Onlink,       ///< To a node of another subnet as if it were a neighbour.
  Unreachable,  ///< BIRD's without a tunnel, where nodes have /32 addresses.
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
  bool to_new = true;           ///< The packet's direction.
  bool new_has_tunnel = true;   ///< The new node kept tunl0, as Felix leaves it.
  bool has_cloud_route = true;  ///< A cloud route to the receiver's pods exists.
  std::uint8_t rp_filter = 0;   ///< The sysctl on the devices of both nodes.
};

/// All of them, 144.
std::vector<MixedCase> mixed_cases();

/// The case's nodes among those of a shoot with two zones, and where the packet goes.
struct MixedWorld {
  node::World world;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};
/// `transition`: from IPIP to routed pods, with three nodes at least, the first and the third in
/// one subnet and the second in another.
MixedWorld mixed_world(const Transition& transition, const MixedCase& mixed);

}  // namespace overlane::migration
