#pragma once

#include <optional>
#include <string>
#include <vector>

#include "topologies/compile/compile.h"
#include "topologies/witness/network.h"
#include "topologies/witness/witness.h"

namespace overlane::witness {

/// One of the two whose ranges meet: a shoot, or a host of nobody's.
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
  /// An address of the far side in the intersection. Of the near side, too, where its pod CIDRs,
  /// machines or services reach it. (AsTheyStand: the other way round.)
  IpAddress contested;
  std::optional<Bystander> bystander;  ///< Where pods of both stand in one list of routes.
  bool pods_reach_others = false;      ///< Pods of both were meant to talk (Joined).
  std::vector<std::string> assumptions;
};

/// Where the nodes' pod CIDRs are.
enum class Layout : std::uint8_t {
  NetworkRelation,  ///< As far on as it takes for the contested address to be the far side's.
  AsTheyStand,      ///< The first of each range: the contested address is a pod's of the near side.
};

/// AsTheyStand is for pods of both sides. Fails as find_witness().
Result<World> make_world(const Case& overlap, Layout layout = Layout::NetworkRelation);

/// A Service of the near shoot at the contested address takes TCP to this port.
inline constexpr std::uint16_t kServicePort = 443;

}  // namespace overlane::witness
