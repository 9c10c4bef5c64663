#pragma once

#include <string>

#include "topologies/document/tree/tree.h"

namespace overlane::document {

/// RFC 7386: `patch` laid over `base` (which may be absent); a null in the patch removes the key.
/// Every node keeps the place it came from; paths start at `base`'s path, or at `root_path` if
/// there is no base.
Tree merge_patch(const Value& base, const Value& patch, std::string root_path = "");

}  // namespace overlane::document
