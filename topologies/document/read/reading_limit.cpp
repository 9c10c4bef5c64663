#include "topologies/document/read/reading_limit.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace overlane::document {
namespace {

struct ReadingLimit {
  std::filesystem::path folder;  ///< Canonical; empty: no limit.
  std::string hint;
};

ReadingLimit& reading_limit() {
  static ReadingLimit limit;
  return limit;
}

/// Whether a canonical path is the folder or below it.
bool is_inside(const std::filesystem::path& path, const std::filesystem::path& folder) {
  return std::ranges::mismatch(folder, path).in1 == folder.end();
}

}  // namespace

void limit_reading_to_current_folder(std::string hint) {
  reading_limit() = {std::filesystem::canonical("."), std::move(hint)};
}

std::optional<Finding> refused_by_reading_limit(const std::string& path) {
  const ReadingLimit& limit = reading_limit();
  if (limit.folder.empty() || path == "-") return std::nullopt;
  std::error_code error;
  const auto resolved = std::filesystem::weakly_canonical(limit.folder / path, error);
  if (!error && is_inside(resolved, limit.folder)) return std::nullopt;
  return Finding{.rule = "unreadable-file",
                 .message = fmt::format("this is outside {}, and only files below it may be read",
                                        limit.folder.string()),
                 .place = {path, 0, 0},
                 .hint = limit.hint};
}

}  // namespace overlane::document
