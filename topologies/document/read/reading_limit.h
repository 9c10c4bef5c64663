#pragma once

#include <optional>
#include <string>

#include "results/finding/finding.h"

namespace overlane::document {

// Limits the files that this process reads to one folder, for a program that reads paths on behalf
// of others (`overlane mcp`). The limit holds where files are opened, not where paths are given,
// because files name other files: a Scenario its topology, a Topology its shoots. It is a property
// of the process, like the root of chroot(2): it is set once, before other threads start, and is
// never lifted. Files that are linked into the program and standard input are not affected. A
// process that can replace files in the folder while they are read can bypass the limit.

/// Limits reading to the current folder and everything below it. `hint` tells how to choose another
/// folder. Without a call, every path may be read. Throws std::filesystem::filesystem_error if the
/// current folder does not exist.
void limit_reading_to_current_folder(std::string hint);

/// The finding for a path that leads out of the folder, also by "..", an absolute name or a
/// symbolic link; nothing if the path may be read. Does not say whether such a path exists.
std::optional<Finding> refused_by_reading_limit(const std::string& path);

}  // namespace overlane::document
