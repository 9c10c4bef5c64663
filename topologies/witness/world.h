#pragma once

#include <optional>
#include <string>
#include <vector>

#include "topologies/compile/compile.h"
#include "topologies/witness/network.h"
#include "topologies/witness/witness.h"

namespace overlane::witness {

/// The owner of one of the two ranges: a shoot, or a single host.
struct Owner {
  std::string name;
  const effective::EffectiveDataplane* shoot = nullptr;  ///< Null: a host.
  std::uint32_t begin = 0;                               ///< Its nodes in World::states.
  std::uint32_t end = 0;
};

/// Both shoots of a Case as states. `near` is Case::a.
struct World {
  compile::Compiled states;
  Owner near;
  Owner far;
  /// An address of the far side in the intersection, also of the near side if its pod CIDRs, nodes
  /// or services can have it. (CurrentPodCidrs: the other way round.)
  IpAddress contested;
  std::optional<Bystander> bystander;  ///< If pods of both share a route table.
  bool pods_reach_others = false;      ///< Routes between pods of both were added (Joined).
  std::vector<std::string> assumptions;
};

/// The pod CIDRs of the nodes.
enum class Layout : std::uint8_t {
  UntilConflict,    ///< Advanced until the far side has the contested address.
  CurrentPodCidrs,  ///< The first of each range: the contested address is of a pod of the near
                    ///< side.
};

/// CurrentPodCidrs is for pods of both sides. Fails as find_witness().
Result<World> make_world(const Case& overlap, Layout layout = Layout::UntilConflict);

/// TCP port of the near shoot's Service at the contested address.
inline constexpr std::uint16_t kServicePort = 443;

}  // namespace overlane::witness
