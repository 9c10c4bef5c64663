#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "results/finding/finding.h"
#include "topologies/derive/derive.h"
#include "topologies/document/syntax/parse.h"
#include "topologies/effective/effective_dataplane.h"

namespace overlane::migration {

/// What the other shoots of the landscape mean for a switch, and how many nodes this one has.
struct Neighbours {
  std::uint32_t given_nodes = 0;  ///< Nodes of the shoot in the documents.
  std::uint32_t shoots = 0;       ///< Others in the documents.
  /// Routes to their nodes in the route table that the shoot shares with them.
  std::uint32_t routes = 0;
  /// Overlaps and exceeded quotas that the switch brings about and that strike at once …
  std::vector<std::string> blockers;
  Findings later;  ///< … and those that strike when nodes are created, or that are warnings.
};

/// Compares the shoot, in the mode that it is switched to, with all others in the documents, as
/// `overlane overlap` does. Without others only the shoot's Nodes are counted.
Neighbours neighbours(document::Stream documents, const derive::DeriveOptions& derive,
                      const effective::EffectiveDataplane& after);

}  // namespace overlane::migration
