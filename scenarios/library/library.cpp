#include "scenarios/library/library.h"

#include <fmt/format.h>

namespace overlane::library {
namespace {

struct File {
  std::string_view name;
  std::string_view text;
};

constexpr File kFiles[] = {
#include "scenarios_library_files.inc"
};

}  // namespace

std::optional<std::string_view> find(std::string_view file_name) {
  for (const File& file : kFiles) {
    if (file.name == file_name) return file.text;
  }
  return std::nullopt;
}

std::vector<std::string_view> file_names() {
  std::vector<std::string_view> names;
  for (const File& file : kFiles)
    names.push_back(file.name);
  return names;
}

std::string profile_names() {
  constexpr std::string_view kSuffix = ".yaml";
  std::string names;
  for (const File& file : kFiles) {
    if (file.text.find("\nkind: CostProfile\n") == std::string_view::npos) continue;
    names += fmt::format("{}{}", names.empty() ? "" : ", ",
                         file.name.substr(0, file.name.size() - kSuffix.size()));
  }
  return names;
}

std::string display_name(std::string_view file_name) {
  return fmt::format("<library>/{}", file_name);
}

}  // namespace overlane::library
