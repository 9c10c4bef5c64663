#pragma once

#include <optional>

#include "sim/fabric/loss.h"
#include "topologies/document/fields/fields.h"

namespace overlane::spec {

/// Random loss of the fabric; absent if not given. Errors are added to the fields' Problems.
std::optional<fabric::Loss> decode_loss(document::Fields fields);

}  // namespace overlane::spec
