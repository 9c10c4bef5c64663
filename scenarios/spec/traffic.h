#pragma once

#include <vector>

#include "scenarios/spec/scenario.h"
#include "topologies/document/fields/fields.h"

namespace overlane::spec {

/// Decodes `spec.traffic`: at least one group, names unique.
std::vector<Traffic> decode_traffic(document::Fields& spec);

}  // namespace overlane::spec
