#include "dataplane/node/text/diff_lines.h"

#include <map>

namespace overlane::node {
namespace {

std::map<std::string_view, int> counts(const std::vector<std::string>& lines) {
  std::map<std::string_view, int> counts;
  for (const std::string& line : lines)
    ++counts[line];
  return counts;
}

}  // namespace

void DiffLines::change(const std::vector<std::string>& before,
                       const std::vector<std::string>& after) {
  if (before == after) return;
  auto stay = counts(after);
  for (const std::string& line : before)
    if (stay[line]-- <= 0) change(line, std::nullopt);
  auto stayed = counts(before);
  for (const std::string& line : after)
    if (stayed[line]-- <= 0) change(std::nullopt, line);
}

}  // namespace overlane::node
