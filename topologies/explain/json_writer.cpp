#include "topologies/explain/json_writer.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <utility>

#include <nlohmann/json.hpp>

namespace overlane::explain {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kIndentation = 2;

std::string dump(const Json& json, int indentation) {
  return json.dump(indentation, ' ', false, Json::error_handler_t::replace);
}

/// Whether the text has only ASCII characters that need no escape.
bool is_simple(std::string_view text) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::uint64_t kHighBits = kOnes << 7;
  const auto has_special = [](std::uint64_t bytes) {
    const std::uint64_t quotes = bytes ^ (kOnes * '"');
    const std::uint64_t backslashes = bytes ^ (kOnes * '\\');
    return ((bytes | (bytes - kOnes * ' ') | (quotes - kOnes) | (backslashes - kOnes)) &
            kHighBits) != 0;
  };
  while (text.size() >= sizeof(std::uint64_t)) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text.data(), sizeof bytes);
    if (has_special(bytes)) return false;
    text.remove_prefix(sizeof bytes);
  }
  std::uint64_t rest = kOnes * 'a';
  text.copy(reinterpret_cast<char*>(&rest), text.size());
  return !has_special(rest);
}

}  // namespace

void JsonWriter::grow(std::size_t bytes) {
  constexpr std::size_t kFirst = std::size_t{16} << 10;  // A network of an Explanation has 9 KB.
  capacity_ = std::max({kFirst, size_ + bytes, capacity_ * 2});
  auto grown = std::make_unique_for_overwrite<char[]>(capacity_);
  std::copy_n(text_.get(), size_, grown.get());
  text_ = std::move(grown);
}

void JsonWriter::append(std::string_view text) {
  text.copy(room(text.size()), text.size());
  size_ += text.size();
}

void JsonWriter::new_line() {
  constexpr std::string_view kBlankLine = "\n               ";  // A copy of fixed size is faster.
  const std::size_t bytes = 1 + depth_ * kIndentation;
  char* at = room(std::max(bytes, kBlankLine.size()));
  kBlankLine.copy(at, kBlankLine.size());
  if (bytes > kBlankLine.size()) std::memset(at + 1, ' ', bytes - 1);
  size_ += bytes;
}

void JsonWriter::begin_value() {
  if (!std::exchange(starts_line_, true)) return;
  if (!std::exchange(empty_, false)) append(",");
  new_line();
}

void JsonWriter::word(std::string_view text) {
  begin_value();
  append(text);
}

void JsonWriter::open(char bracket) {
  word({&bracket, 1});
  ++depth_;
  empty_ = true;
}

void JsonWriter::close(char bracket) {
  assert(depth_ > 0);
  --depth_;
  if (!std::exchange(empty_, false)) new_line();
  append({&bracket, 1});
}

void JsonWriter::key(std::string_view name) {
  constexpr std::string_view kAfter = "\": ";
  begin_value();
  char* at = room(1 + name.size() + kAfter.size());
  *at = '"';
  name.copy(at + 1, name.size());
  kAfter.copy(at + 1 + name.size(), kAfter.size());
  size_ += 1 + name.size() + kAfter.size();
  starts_line_ = false;
}

void JsonWriter::value(std::string_view text) {
  if (!is_simple(text)) return word(dump(Json(text), -1));
  begin_value();
  char* at = room(text.size() + 2);
  *at = '"';
  text.copy(at + 1, text.size());
  at[text.size() + 1] = '"';
  size_ += text.size() + 2;
}

void JsonWriter::value(const Json& json) {
  const std::string lines = dump(json, kIndentation);
  begin_value();
  std::size_t begin = 0;
  for (auto end = lines.find('\n'); end != lines.npos; end = lines.find('\n', begin)) {
    append(std::string_view(lines).substr(begin, end - begin));
    new_line();
    begin = end + 1;
  }
  append(std::string_view(lines).substr(begin));
}

std::string JsonWriter::take() {
  return {text_.get(), std::exchange(size_, 0)};
}

}  // namespace overlane::explain
