#pragma once

#include <vector>

#include "scenarios/spec/scenario.h"
#include "topologies/document/fields/fields.h"

namespace overlane::spec {

/// Decodes `spec.traffic`: names are unique, and if it is required, there is one group at least.
std::vector<Traffic> decode_traffic(document::Fields& spec, bool is_required);

}  // namespace overlane::spec
