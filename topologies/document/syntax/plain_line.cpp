#include "topologies/document/syntax/plain_line.h"

#include <algorithm>
#include <array>

namespace overlane::document {
namespace {

/// Longer keys are rare, and yaml-cpp has its own limits.
constexpr std::size_t kLongestPlainKey = 256;
constexpr std::size_t kLongestValue = std::size_t{64} << 10;

constexpr std::string_view kLetters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

constexpr std::array<bool, 256> letters_and(std::string_view others) {
  std::array<bool, 256> bytes{};
  for (const std::string_view set : {kLetters, others})
    for (const char byte : set)
      bytes[static_cast<unsigned char>(byte)] = true;
  return bytes;
}

// A subset of what YAML allows.
constexpr auto kFirstOfText = letters_and("_./<(+");
constexpr auto kFirstOfKey = letters_and("_/");
constexpr auto kInKey = letters_and("_./-:,=@{}[]\"'()");

bool is_in(const std::array<bool, 256>& set, char byte) {
  return set[static_cast<unsigned char>(byte)];
}

/// As in yaml-cpp.
bool is_null(std::string_view text) {
  return text == "null" || text == "Null" || text == "NULL" || text == "~";
}

/// The text between quotes at both ends, without further quotes or escapes; otherwise nothing.
std::optional<std::string_view> in_quotes(std::string_view text) {
  const auto closing = text.find(text.front(), 1);
  if (closing == text.npos || closing + 1 != text.size()) return std::nullopt;
  const std::string_view inner = text.substr(1, closing - 1);
  if (text.front() == '"' && inner.find('\\') != inner.npos) return std::nullopt;
  return inner;
}

bool is_quote(char byte) {
  return byte == '"' || byte == '\'';
}

/// Offset of the colon after a key, or npos.
std::size_t find_colon(std::string_view line) {
  std::size_t from = 0;
  if (is_quote(line.front())) {
    from = line.find(line.front(), 1);
    if (from == line.npos) return from;
  }
  const auto colon = line.find(": ", from);
  if (colon != line.npos) return colon;
  return line.ends_with(':') ? line.size() - 1 : line.npos;
}

/// The key of an entry, unquoted.
std::optional<std::string_view> read_key(std::string_view key) {
  if (key.empty() || key.size() > kLongestPlainKey) return std::nullopt;
  if (is_quote(key.front())) return in_quotes(key);
  // managedFields has a key of one dot; three of them are an elision.
  const bool starts = is_in(kFirstOfKey, key.front()) || key == ".";
  const bool plain =
      starts && std::ranges::all_of(key, [](char byte) { return is_in(kInKey, byte); });
  return plain && !is_null(key) ? std::optional(key) : std::nullopt;
}

bool is_text(std::string_view value) {
  const bool negative = value.front() == '-' && value.size() > 1 && is_in(kFirstOfText, value[1]);
  return (negative || is_in(kFirstOfText, value.front())) && value.back() != ':' &&
         value.back() != ' ' && value.find(": ") == value.npos && value.find(" #") == value.npos;
}

}  // namespace

bool is_plain_text(std::string_view text) {
  return std::ranges::all_of(
      text, [](char byte) { return (byte >= ' ' && byte <= '~') || byte == '\n'; });
}

std::optional<PlainEntry> split_entry(std::string_view line) {
  const auto colon = find_colon(line);
  if (colon == line.npos) return std::nullopt;
  PlainEntry entry;
  const auto key = read_key(line.substr(0, colon));
  if (!key) return entry;
  entry.key = *key;
  if (colon + 1 < line.size()) entry.value = line.substr(colon + 2);
  entry.is_plain = colon + 1 == line.size() || !entry.value.empty();
  return entry;
}

PlainValue read_plain_value(std::string_view value) {
  using Form = PlainValue::Form;
  if (value.empty() || value.size() > kLongestValue) return {};
  if (value == "null") return {Form::Null, value};
  if (value == "|") return {Form::Literal, value};
  if (value == "[]") return {Form::EmptySequence, value};
  if (value == "{}") return {Form::EmptyMapping, value};
  if (is_quote(value.front())) {
    const auto text = in_quotes(value);
    return text ? PlainValue{Form::Quoted, *text} : PlainValue{};
  }
  return is_text(value) && !is_null(value) ? PlainValue{Form::Text, value} : PlainValue{};
}

}  // namespace overlane::document
