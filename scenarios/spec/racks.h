#pragma once

#include <optional>

#include "sim/fabric/racks.h"
#include "topologies/document/fields/fields.h"

namespace overlane::spec {

/// What a Topology file says about the racks of a VPC.
struct RacksSpec {
  fabric::Racks racks;
  bool gives_queue = false;  ///< Else `racks` has the usual one.
  SourceLocation place;
};

/// Reads `racks` of a VPC; absent, or without what it needs, which is an error, it reads as
/// nothing.
std::optional<RacksSpec> decode_racks(document::Fields& vpc);

}  // namespace overlane::spec
