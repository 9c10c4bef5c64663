#pragma once

#include <span>

#include "topologies/rules/rule.h"

namespace overlane::check {

// Rules that have no check in a table.

/// Of readers of documents.
std::span<const rules::Rule> input_rules();
/// Of the decoders of fields.
std::span<const rules::Rule> field_rules();
/// Of this folder.
std::span<const rules::Rule> check_rules();

}  // namespace overlane::check
