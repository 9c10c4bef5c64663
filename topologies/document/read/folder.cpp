#include "topologies/document/read/folder.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace overlane::document {
namespace {

namespace fs = std::filesystem;

bool is_manifest(const fs::path& path) {
  const auto extension = path.extension();
  return extension == ".yaml" || extension == ".yml" || extension == ".json";
}

/// Adds a folder's manifests to `found` and its subfolders to `deeper`. Returns the first error.
std::error_code search(const std::string& folder, std::vector<FolderEntry>& found,
                       std::vector<std::string>& deeper) {
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string path = entry->path().string();
    std::error_code unknown;
    if (fs::is_directory(entry->symlink_status(unknown))) {
      deeper.push_back(path);
      continue;
    }
    if (!is_manifest(entry->path())) continue;
    const fs::file_status target = entry->status(unknown);
    if (fs::is_directory(target)) continue;
    FolderEntry manifest{.path = path};
    if (!fs::is_regular_file(target))
      manifest.problem =
          unreadable(path, unknown ? fmt::format("the file cannot be opened: {}", unknown.message())
                                   : "this is no regular file");
    found.push_back(std::move(manifest));
  }
  return error;
}

}  // namespace

Finding unreadable(const std::string& path, std::string message) {
  return {.rule = "unreadable-file",
          .message = std::move(message),
          .place = {path, 0, 0},
          .hint = "check the path and its permissions"};
}

Result<std::vector<FolderEntry>> list_manifests(const std::string& folder) {
  std::vector<FolderEntry> found;
  std::vector<std::string> folders{folder};
  while (!folders.empty()) {
    const std::string next = std::move(folders.back());
    folders.pop_back();
    const std::error_code error = search(next, found, folders);
    if (!error) continue;
    Finding problem =
        unreadable(next, fmt::format("the folder cannot be searched: {}", error.message()));
    if (next == folder && found.empty()) return fail(std::move(problem));
    found.push_back({next, std::move(problem)});
  }
  if (found.empty())
    return fail(unreadable(folder, "the folder holds no .yaml, .yml or .json file"));
  std::ranges::sort(found, {}, &FolderEntry::path);
  return found;
}

}  // namespace overlane::document
