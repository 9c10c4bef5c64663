#pragma once

#include <optional>
#include <string>
#include <vector>

#include "topologies/compile/compile.h"
#include "topologies/witness/network.h"
#include "topologies/witness/witness.h"

// The states in which an overlap's packets are traced: both shoots placed, compiled and joined,
// with the contested address. A SharedNetwork owns the states; the shoots belong to the caller and
// must outlive it.

namespace overlane::witness {

/// The owner of one of the two ranges: a shoot, or a single host.
struct PlacedOwner {
  std::string name;
  const effective::EffectiveDataplane* shoot = nullptr;  ///< Null for a host.
  std::uint32_t begin = 0;                               ///< First of its nodes in
                                                         ///< SharedNetwork::states; `end` follows
                                                         ///< the last one.
  std::uint32_t end = 0;
};

/// The joined states of both shoots of an OverlapCase. `near` is OverlapCase::a.
struct SharedNetwork {
  compile::Compiled states;
  PlacedOwner near;
  PlacedOwner far;
  /// An address of the far side in the intersection, and also of the near side if its pod CIDRs,
  /// nodes or services can have it. With Layout::CurrentPodCidrs, an address of the near side.
  IpAddress contested;
  std::optional<Bystander> bystander;  ///< Set if pods of both share a route table.
  bool pods_reach_others = false;      ///< Routes between pods of both were added (JoinedStates).
  std::vector<std::string> assumptions;
};

/// How the pod CIDRs of the nodes are chosen.
enum class Layout : std::uint8_t {
  UntilConflict,    ///< Advanced until the far side has the contested address.
  CurrentPodCidrs,  ///< The first ones of each range. The contested address belongs to a pod of the
                    ///< near side.
};

/// Places, compiles and joins the shoots. Layout::CurrentPodCidrs requires pods on both sides.
/// Fails like find_witness().
Result<SharedNetwork> make_shared_network(const OverlapCase& overlap,
                                          Layout layout = Layout::UntilConflict);

/// TCP port of the near shoot's Service at the contested address.
inline constexpr std::uint16_t kServicePort = 443;

}  // namespace overlane::witness
