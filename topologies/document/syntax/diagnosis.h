#pragma once

#include <optional>

#include "results/finding/finding.h"
#include "topologies/document/syntax/cut.h"

namespace overlane::document {

/// What YAML itself would allow but is no whole document: content after a `...` line without a
/// `---` before it.
std::optional<Finding> find_elision(const TextPart& document);

/// A more telling finding than yaml-cpp's for a document that it could not parse: lines `...` and
/// `{{` before the error, unless they stand in a block of text, where they mean nothing.
Finding explain_failure(Finding failure, const TextPart& document);

}  // namespace overlane::document
