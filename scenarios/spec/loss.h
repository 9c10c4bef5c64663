#pragma once

#include <optional>

#include "sim/fabric/loss.h"
#include "topologies/document/fields/fields.h"

namespace overlane::spec {

/// What the fabric loses; nothing where nobody says so. What is wrong goes to the fields' Problems.
std::optional<fabric::Loss> decode_loss(document::Fields fields);

}  // namespace overlane::spec
