#pragma once

#include <string>
#include <vector>

#include "topologies/document/parse.h"
#include "topologies/domains/decode.h"
#include "topologies/explain/derive.h"
#include "topologies/overlap/inventory.h"

namespace overlane::overlap {

/// Documents of one landscape: objects of one name are one object there.
struct Landscape {
  std::string name;  ///< Empty: the only one.
  document::Stream documents;
  document::Stream candidates;  ///< Laid over the others: "what if".
};

/// Reads every shoot, its Nodes, and what RoutingDomains documents among the others declare beside
/// `declared`. A document that cannot be used has
/// a finding, and so has a shoot that is given twice; the first one counts then, and a candidate
/// before all. Nothing depends on the number of threads (0: one per core).
Inventory read_inventory(std::vector<Landscape> landscapes,
                         std::vector<domains::DeclarationFile> declared,
                         const explain::DeriveOptions& options, unsigned threads = 0);

}  // namespace overlane::overlap
