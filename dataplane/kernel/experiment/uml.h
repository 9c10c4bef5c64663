#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "dataplane/kernel/experiment/place.h"
#include "dataplane/kernel/namespaces/supervised.h"

namespace overlane::kernel {

/// Boots Debian's user-mode Linux on the host's own files, runs `command` in it as root in the
/// folder `directory`, and ends it; what it printed. All its processes are gone when this returns;
/// if this process ends before, they are killed, and `folder`, which is for their files, is
/// removed. Fails if user-mode Linux is not there or does not end.
Parsed<std::string> run_in_user_mode_linux(const std::vector<std::string>& command,
                                           const std::filesystem::path& directory,
                                           const TemporaryFolder& folder);

/// Whether the running kernel is one.
bool is_user_mode_linux();

/// Boots Debian's user-mode Linux on the host's own files, runs `inner REQUEST ANSWER` in it as
/// root, and ends it. What it printed is in the message when no answer came. All its processes are
/// gone and its temporary folder is removed when this returns.
Parsed<Answer> ask_user_mode_linux(const Request& request, const InnerCommand& inner);

/// What runs inside instead of init: it mounts, loads modules, runs `command` and halts.
std::string boot_script(const std::string& command);

}  // namespace overlane::kernel
