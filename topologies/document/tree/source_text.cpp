#include "topologies/document/tree/source_text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#include "topologies/document/tree/json_tree.h"
#include "topologies/document/tree/tree_builder.h"

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

std::size_t count_lines(std::string_view text) {
  std::size_t lines = 0;
  for (auto at = text.find('\n'); at != text.npos; at = text.find('\n', at + 1))
    ++lines;
  return lines;
}

std::size_t count_characters(std::string_view text) {
  // Most texts are ASCII, which can be checked many bytes at a time.
  constexpr std::uint64_t kTopBits = 0x8080808080808080;
  using Words = std::array<std::uint64_t, 4>;
  std::size_t at = 0;
  for (; at + sizeof(Words) <= text.size(); at += sizeof(Words)) {
    Words words;
    std::memcpy(words.data(), text.data() + at, sizeof words);
    if (((words[0] | words[1] | words[2] | words[3]) & kTopBits) != 0) break;
  }
  const auto rest = text.substr(at);
  return at + static_cast<std::size_t>(
                  std::ranges::count_if(rest, [](char byte) { return !is_continuation(byte); }));
}

bool is_plain(std::string_view text) {
  return text.find('\0') == text.npos && text.find('\r') == text.npos && is_valid_utf8(text);
}

std::optional<Finding> check_encoding(std::string_view text, const Origin& origin) {
  const auto refuse = [&](std::string message, std::size_t at) {
    return Refusal{"binary-file", std::move(message),
                   "give a YAML or JSON text file, saved as UTF-8", at}
        .finding(text, origin);
  };
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
    return refuse("this text is UTF-16, not UTF-8", 0);
  const auto nul = text.find('\0');
  if (nul != text.npos) return refuse("this is a binary file: it holds a NUL byte", nul);
  if (is_valid_utf8(text)) return std::nullopt;
  std::size_t at = 0;
  while (const std::size_t length = utf8_length(text.substr(at)))
    at += length;
  return refuse("this is not a text file: the byte here is not valid UTF-8", at);
}

bool has_lone_carriage_return(std::string_view text) {
  for (auto at = text.find('\r'); at != text.npos; at = text.find('\r', at + 1))
    if (at + 1 == text.size() || text[at + 1] != '\n') return true;
  return false;
}

void replace_lone_carriage_returns(std::span<char> text) {
  for (std::size_t at = 0; at < text.size(); ++at)
    if (text[at] == '\r' && (at + 1 == text.size() || text[at + 1] != '\n')) text[at] = '\n';
}

Finding empty_file(const std::string& file) {
  return {.rule = "empty-file",
          .message = "the file holds no document",
          .place = {file, 1, 1},
          .hint = "give a Shoot or Network manifest"};
}

}  // namespace overlane::document
