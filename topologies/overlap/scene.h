#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topologies/overlap/search.h"

namespace overlane::overlap {

/// Who takes part in a search: a shoot, or what somebody declares.
struct Party {
  Position position;
  const Shoot* shoot = nullptr;
  std::vector<Range> ranges;        ///< Without a shoot …
  std::vector<std::string> owners;  ///< … and who has each.
};

/// All that takes part in one search.
struct Scene {
  std::string key;  ///< "aws/vpc-1", "connection/hub".
  SearchScope scope;
  std::vector<Party> parties;
  std::vector<Claim> claims;               ///< Of the parties; they point into them.
  std::vector<std::uint32_t> first_claim;  ///< Of each party.

  Scene() = default;
  Scene(Scene&&) = default;
  Scene(const Scene&) = delete;
};

/// The scenes in which ranges of different parties could meet: of the networks that have more than
/// one party, and of the declared connections.
std::vector<Scene> scenes(const Inventory& inventory, const Positions& positions);

}  // namespace overlane::overlap
