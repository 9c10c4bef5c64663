#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "tools/overlane/schema/file_kinds.h"

namespace overlane::command {

/// The JSON Schema (draft 2020-12) of a file kind, for editors and CI. It accepts what the decoder
/// accepts, except that constraints between fields are not expressed and null is rejected: omit
/// absent fields.
nlohmann::ordered_json json_schema(const FileKind& kind);

}  // namespace overlane::command
