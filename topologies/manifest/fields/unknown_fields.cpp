#include "topologies/manifest/fields/unknown_fields.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "topologies/document/fields/spelling.h"

namespace overlane::manifest {

void warn_misspelt(const document::Value& block, std::initializer_list<std::string_view> wanted,
                   document::Problems& problems) {
  const std::span<const std::string_view> words(wanted.begin(), wanted.size());
  if (!block.is(document::Kind::Mapping)) return;
  for (const document::Value entry : block) {
    if (std::ranges::find(words, entry.key()) != words.end()) continue;
    const std::string_view meant = document::closest(entry.key(), words);
    if (meant.empty()) continue;
    problems.warning(entry, "unknown-field",
                     fmt::format("{} is not a known field and has no effect", entry.path()),
                     fmt::format("did you mean {}?", meant));
  }
}

}  // namespace overlane::manifest
