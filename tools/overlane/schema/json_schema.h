#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "tools/overlane/schema/file_kinds.h"

namespace overlane::command {

/// The JSON Schema (draft 2020-12) of a file kind, for editors and for CI. Accepts what the decoder
/// accepts, except constraints between fields, and no null: omit absent fields.
nlohmann::ordered_json json_schema(const FileKind& kind);

}  // namespace overlane::command
