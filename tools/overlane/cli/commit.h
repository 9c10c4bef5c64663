#pragma once

#include <string_view>

namespace overlane::command {

/// The commit of the source that this program was built from, 40 hexadecimal digits, with "-dirty"
/// behind it if files were changed after it; "unknown" outside of a clone.
std::string_view built_commit();

}  // namespace overlane::command
