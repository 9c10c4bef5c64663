#pragma once

#include <optional>

#include "results/finding/finding.h"
#include "topologies/document/syntax/cut.h"

namespace overlane::document {

// Explains texts that are not a manifest: an excerpt with `...`, a template, a Terraform file, a
// shell script. Called for texts that cannot be parsed, to replace the parser's message by one that
// says what to do.

/// The finding `elision` for content after a `...` line without a `---` before it: valid YAML, but
/// an excerpt.
std::optional<Finding> find_elision(const TextPart& document);

/// The finding for a text in another format than YAML or JSON, such as Terraform or a shell script,
/// or for a template, by its first line that occurs in no manifest. Call it only for texts that are
/// refused: a block scalar of a manifest may contain such a line.
std::optional<Finding> find_other_format(const TextPart& document);

/// A better finding than yaml-cpp's for a document that it could not parse: reports lines `...` and
/// `{{` before the error, except in block scalars, where they are text.
Finding explain_failure(Finding failure, const TextPart& document);

}  // namespace overlane::document
