#pragma once

#include <string>

#include "topologies/document/tree/tree.h"

namespace overlane::document {

/// Applies a JSON merge patch (RFC 7386) to `base`, which may be absent; a null in the patch
/// removes the key. Every node keeps its source location; paths start at `base`'s path, or at
/// `root_path` if there is no base.
Tree merge_patch(const Value& base, const Value& patch, std::string root_path = "");

}  // namespace overlane::document
