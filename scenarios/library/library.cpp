#include "scenarios/library/library.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

std::vector<std::string> names_of_kind(std::string_view kind) {
  constexpr std::string_view kSuffix = ".yaml";
  std::vector<std::string> names;
  for (const File& file : kFiles)
    if (file.text.find(fmt::format("\nkind: {}\n", kind)) != std::string_view::npos)
      names.emplace_back(file.name.substr(0, file.name.size() - kSuffix.size()));
  return names;
}

std::string profile_names() {
  return fmt::format("{}", fmt::join(names_of_kind("CostProfile"), ", "));
}

std::string display_name(std::string_view file_name) {
  return fmt::format("<library>/{}", file_name);
}

}  // namespace overlane::library
