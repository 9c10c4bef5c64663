#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "tools/overlane/schema/file_kinds.h"

namespace overlane::command {

/// The JSON Schema (draft 2020-12) of a file kind, for editors and for CI. It takes what the
/// decoder takes, but for what concerns several fields at once, and no null: a field that is not
/// given is left out.
nlohmann::ordered_json json_schema(const FileKind& kind);

}  // namespace overlane::command
