#pragma once

#include <optional>

#include "sim/fabric/path.h"
#include "topologies/document/fields/fields.h"

namespace overlane::spec {

/// Random loss in the fabric; nothing if absent. Adds errors to the fields' Problems.
std::optional<fabric::Loss> decode_loss(document::Fields fields);

}  // namespace overlane::spec
