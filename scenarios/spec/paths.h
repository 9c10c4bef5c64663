#pragma once

#include <string>

namespace overlane::spec {

/// The folder part of a path, with its slash; empty for a bare file name.
std::string folder_of(const std::string& file);

/// `path` relative to the file that contains it: absolute paths and "-" are unchanged.
std::string relative_to(const std::string& file, const std::string& path);

}  // namespace overlane::spec
