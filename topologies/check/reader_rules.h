#pragma once

#include <span>

#include "topologies/rules/rule.h"

// Rules whose findings come from readers and decoders, not from a function in a table: a document
// that cannot be parsed, an unknown key, a value out of range. They have entries here so that
// every finding has a rule with documentation.
namespace overlane::check {

// Rules that have no check in a table.

/// Rules of the readers of documents.
std::span<const rules::Rule> input_rules();
/// Rules of the decoders of fields.
std::span<const rules::Rule> field_rules();
/// Rules of this folder: about annotations and selections.
std::span<const rules::Rule> check_rules();

}  // namespace overlane::check
