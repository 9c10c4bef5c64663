#include "topologies/sources/citation.h"

#include <fmt/format.h>

namespace overlane::sources {
namespace {

constexpr std::size_t kShortCommit = 7;

std::vector<const Source*> sources_of(std::string_view part) {
  std::vector<const Source*> found;
  if (!is_unsourced(part))
    for_each_source(part, [&](const Source& source) { found.push_back(&source); });
  return found;
}

/// " (commit 2ff8d81, 2026-08-21)", " (2026-08)", or the range of the dates of several commits.
std::string date_of(const std::vector<const Source*>& found) {
  if (found.empty()) return {};
  const auto date = [](const Source* source) { return source->at.date; };
  const auto [first, last] = std::ranges::minmax_element(found, {}, date);
  const std::string_view commit = (*first)->at.commit;
  if (std::ranges::any_of(found, [&](const Source* one) { return one->at.commit != commit; }) ||
      date(*first) != date(*last))
    return fmt::format(" ({} to {})", date(*first), date(*last));
  if (commit.empty()) return fmt::format(" ({})", date(*first));
  return fmt::format(" (commit {}, {})", commit.substr(0, kShortCommit), date(*first));
}

}  // namespace

std::vector<const Source*> Citation::sources() const {
  std::vector<const Source*> all;
  for_each_part(text_, [&](std::string_view part) {
    const auto found = sources_of(part);
    all.insert(all.end(), found.begin(), found.end());
  });
  return all;
}

std::string_view Citation::date() const {
  std::string_view newest;
  for (const Source* source : sources())
    newest = std::max(newest, source->at.date);
  return newest;
}

std::string Citation::dated() const {
  return with_dates(text_);
}

std::string with_dates(std::string_view text) {
  std::string dated;
  for_each_part(text, [&](std::string_view part) {
    if (!dated.empty()) dated += "; ";
    dated.append(part).append(date_of(sources_of(part)));
  });
  return dated;
}

}  // namespace overlane::sources
