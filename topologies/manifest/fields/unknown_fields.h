#pragma once

#include <initializer_list>
#include <string_view>

#include "topologies/document/fields/fields.h"

namespace overlane::manifest {

/// For a block with more fields than this program wants to know: a warning `unknown-field` for
/// every key that is none of `wanted`, but so close to one that it must be meant.
void warn_misspelt(const document::Value& block, std::initializer_list<std::string_view> wanted,
                   document::Problems& problems);

}  // namespace overlane::manifest
