#include "topologies/document/syntax/block_list.h"

#include <algorithm>

#include "topologies/document/syntax/cut.h"

namespace overlane::document {
namespace {

constexpr std::string_view kKey = "items:";

/// Offset of the text after the line `items:`, or npos.
std::size_t find_items(std::string_view text) {
  const auto is_key_line = [&](std::size_t at) {
    std::string_view rest = text.substr(at);
    const std::string_view line = take_line(rest);
    return line.starts_with(kKey) && is_empty_line(line.substr(kKey.size()));
  };
  constexpr std::string_view kKeyLine = "\nitems:";
  std::size_t at = 0;
  while (!is_key_line(at)) {
    at = text.find(kKeyLine, at);
    if (at == text.npos) return at;
    ++at;
  }
  const auto end = text.find('\n', at);
  return end == text.npos ? text.npos : end + 1;
}

bool is_item_line(std::string_view line, std::size_t column) {
  return line[column] == '-' &&
         (line.size() == column + 1 || kBlank.find(line[column + 1]) != kBlank.npos);
}

/// Whether the text contains an alias (`*name`). False positives in literal text are possible.
bool may_hold_alias(std::string_view text) {
  constexpr std::string_view kBefore = " \t\n[{,";
  for (auto at = text.find('*'); at != text.npos; at = text.find('*', at + 1)) {
    const bool starts = at > 0 && kBefore.find(text[at - 1]) != kBefore.npos;
    const bool named = at + 1 < text.size() &&
                       std::string_view(" \t\r\n*").find(text[at + 1]) == std::string_view::npos;
    if (starts && named) return true;
  }
  return false;
}

}  // namespace

std::optional<BlockList> find_block_list(std::string_view document) {
  const auto begin = find_items(document);
  if (begin == document.npos) return std::nullopt;
  std::vector<std::size_t> starts;
  std::size_t column = 0;
  std::string_view rest = document.substr(begin);
  std::size_t end = document.size();
  while (!rest.empty()) {
    const auto at = static_cast<std::size_t>(rest.data() - document.data());
    const std::string_view line = take_line(rest);
    if (is_empty_line(line)) continue;
    const auto indentation = line.find_first_not_of(' ');
    if (starts.empty()) column = indentation;
    if (indentation > column) continue;
    if (indentation < column || !is_item_line(line, column)) {
      end = at;
      break;
    }
    starts.push_back(at);
  }
  if (starts.empty()) return std::nullopt;
  if (may_hold_alias(document.substr(starts.front(), end - starts.front()))) return std::nullopt;

  BlockList list;
  list.items.reserve(starts.size());
  for (std::size_t i = 0; i < starts.size(); ++i)
    list.items.push_back(
        document.substr(starts[i], (i + 1 < starts.size() ? starts[i + 1] : end) - starts[i]));
  list.head.append(document.substr(0, begin)).append(document.substr(end));
  return list;
}

}  // namespace overlane::document
