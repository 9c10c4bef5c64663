#pragma once

#include <initializer_list>
#include <string_view>

#include "topologies/document/fields/fields.h"

namespace overlane::manifest {

/// For a block with fields that this program does not decode: a warning `unknown-field` for each
/// key that is close to, but none of, `wanted`.
void warn_misspelt(const document::Value& block, std::initializer_list<std::string_view> wanted,
                   document::Problems& problems);

}  // namespace overlane::manifest
