#include "tools/fuzzing/seeds.h"

#include <charconv>

#include <fmt/format.h>

namespace overlane::fuzzing {
namespace {

/// Appends bytes in hexadecimal ("45 00 …"); false if the text is malformed.
bool append_hex(std::string_view text, Bytes& bytes) {
  while (true) {
    const std::size_t start = text.find_first_not_of(' ');
    if (start == std::string_view::npos) return true;
    const std::string_view word = text.substr(start, text.find(' ', start) - start);
    std::uint8_t byte = 0;
    const auto end = std::from_chars(word.begin(), word.end(), byte, 16);
    if (word.size() != 2 || end.ptr != word.end()) return false;
    bytes.push_back(byte);
    text.remove_prefix(start + word.size());
  }
}

}  // namespace

Parsed<std::vector<Seed>> parse_seeds(std::string_view text) {
  std::vector<Seed> seeds;
  for (int number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.empty() || line.front() == '#') continue;
    std::string_view bytes = line;
    if (line.front() != ' ') {
      const std::size_t colon = line.find(':');
      if (colon == std::string_view::npos) return fail(fmt::format("line {}: no name", number));
      seeds.push_back({.name = std::string(line.substr(0, colon)), .bytes = {}});
      bytes.remove_prefix(colon + 1);
    }
    if (seeds.empty() || !append_hex(bytes, seeds.back().bytes)) {
      return fail(fmt::format("line {}: not \"name: 45 00 …\"", number));
    }
  }
  if (seeds.empty()) return fail("no seeds");
  return seeds;
}

}  // namespace overlane::fuzzing
