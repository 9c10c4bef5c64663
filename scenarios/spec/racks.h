#pragma once

#include <optional>

#include "sim/fabric/path.h"
#include "topologies/document/fields/fields.h"

namespace overlane::spec {

/// The racks of a VPC in a Topology file.
struct RacksSpec {
  fabric::Racks racks;
  bool gives_queue = false;  ///< Otherwise `racks` has the default.
  SourceLocation place;
};

/// Reads `racks` of a VPC; nothing if absent or invalid. Invalid values are reported.
std::optional<RacksSpec> decode_racks(document::Fields& vpc);

}  // namespace overlane::spec
