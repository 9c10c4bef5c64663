#include "topologies/document/tree/line_map.h"

#include <algorithm>
#include <cstring>

#include "topologies/document/tree/text_check.h"

namespace overlane::document {

Origin Origin::after(std::string_view text) const {
  // Faster than rfind, which compares single bytes.
  const auto* newline = static_cast<const char*>(memrchr(text.data(), '\n', text.size()));
  if (newline == nullptr) return {file, line, column + static_cast<int>(count_characters(text))};
  const auto before = static_cast<std::size_t>(newline + 1 - text.data());
  return {file, line + static_cast<int>(count_lines(text)),
          1 + static_cast<int>(count_characters(text.substr(before)))};
}

SourceLocation Origin::place(std::string_view text, std::size_t offset) const {
  const Origin there = after(text.substr(0, offset));
  return {file, there.line, there.column};
}

LineMap::LineMap(Origin origin, std::string_view text) : origin_(std::move(origin)) {
  starts_.reserve(count_lines(text));
  for (auto at = text.find('\n'); at != text.npos; at = text.find('\n', at + 1))
    starts_.push_back(static_cast<std::uint32_t>(at + 1));
  const std::size_t wide = text.size() - count_characters(text);
  if (wide == 0) return;
  continuations_.reserve(wide);
  for (std::size_t at = 0; at < text.size(); ++at)
    if (is_continuation(text[at])) continuations_.push_back(static_cast<std::uint32_t>(at));
}

SourceLocation LineMap::place(std::uint32_t offset) const {
  const auto next_line = std::ranges::upper_bound(starts_, offset);
  const auto line = static_cast<int>(next_line - starts_.begin());
  const std::uint32_t start = line == 0 ? 0 : *std::prev(next_line);
  const auto wide = std::ranges::lower_bound(continuations_, offset) -
                    std::ranges::lower_bound(continuations_, start);
  const int column = static_cast<int>(offset - start) - static_cast<int>(wide);
  return {origin_.file, origin_.line + line, column + (line == 0 ? origin_.column : 1)};
}

}  // namespace overlane::document
