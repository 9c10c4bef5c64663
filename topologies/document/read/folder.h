#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/finding/finding.h"

namespace overlane::document {

/// The finding for a file or folder that cannot be opened or read.
Finding unreadable(const std::string& path, std::string message);

/// A file with manifests, or an unreadable part of the folder.
struct FolderEntry {
  std::string path;
  std::optional<Finding> problem;
};

/// Every .yaml, .yml and .json file below a folder, sorted by path. Links to folders are not
/// followed. Fails if the folder itself cannot be searched or holds no such file.
Result<std::vector<FolderEntry>> list_manifests(const std::string& folder);

}  // namespace overlane::document
