#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topologies/overlap/search/search.h"

namespace overlane::overlap {

/// Who takes part in a search: a shoot, or what somebody declares.
struct Party {
  Position position;
  const Shoot* shoot = nullptr;
  std::vector<Range> ranges;        ///< Without a shoot …
  std::vector<std::string> owners;  ///< … and who has each.

  /// Who has the range, which is one of the party's.
  std::string owner_of(const Range& range) const;
};

/// All that takes part in one search.
struct Scene {
  std::string key;  ///< "aws/vpc-1", "connection/hub".
  SearchScope scope;
  std::vector<Party> parties;
  std::vector<Claim> claims;  ///< Of the parties; they point into them.

  Scene() = default;
  Scene(Scene&&) = default;
  Scene(const Scene&) = delete;

  const Party& party_of(const Claim& claim) const { return parties[claim.party]; }
};

/// The scenes in which ranges of different parties could meet: of the networks that have more than
/// one party, and of the declared connections.
std::vector<Scene> scenes(const Inventory& inventory, const Positions& positions);

}  // namespace overlane::overlap
