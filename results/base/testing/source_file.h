#pragma once

#include <string>
#include <string_view>

namespace overlane {

/// The absolute path of a file of the source tree from which the tests were built; `path` is
/// relative to its root, and empty for the root. The root's path is in one object file alone, so
/// that ccache finds all others in another clone.
std::string source_file(std::string_view path);

}  // namespace overlane
