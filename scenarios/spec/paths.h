#pragma once

#include <string>

namespace overlane::spec {

/// The folder part of a path, with its slash; empty for a bare file name.
std::string folder_of(const std::string& file);

/// `path` as seen from the file that names it: absolute paths and "-" stay.
std::string relative_to(const std::string& file, const std::string& path);

}  // namespace overlane::spec
