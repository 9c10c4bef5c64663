#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace overlane::library {

/// The text of a file in scenarios/library (embedded in the program); nothing if there is no such
/// file.
std::optional<std::string_view> find(std::string_view file_name);

/// All file names, sorted.
std::vector<std::string_view> file_names();

/// The names of the files with this kind, without ".yaml", sorted.
std::vector<std::string> names_of_kind(std::string_view kind);

/// The names of the library's CostProfiles, for messages: "cloudlab, linux-server …".
std::string profile_names();

/// Name of a library file in messages: "<library>/default-calico.yaml".
std::string display_name(std::string_view file_name);

}  // namespace overlane::library
