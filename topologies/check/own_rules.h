#pragma once

#include <span>

#include "topologies/rules/rule.h"

namespace overlane::check {

// Rules whose findings come from elsewhere than from a table of checks.

/// Of those who read documents and tell what cannot be used.
std::span<const rules::Rule> input_rules();
/// Of the decoders of fields.
std::span<const rules::Rule> field_rules();
/// Of this folder.
std::span<const rules::Rule> check_rules();

}  // namespace overlane::check
