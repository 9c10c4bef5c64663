#include "tools/fuzzing/mutate.h"

#include <algorithm>
#include <array>
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

namespace {

constexpr std::array<std::uint16_t, 10> kTurningPoints{0,   1,    7,      8,      20,
                                                       255, 1500, 0x7fff, 0x8000, 0xffff};

std::uint8_t random_byte(RandomStream& random) {
  return static_cast<std::uint8_t>(random.next());
}

/// A random position in `bytes`, including the end.
auto place_in(Bytes& bytes, RandomStream& random) {
  return bytes.begin() + static_cast<std::ptrdiff_t>(random.below(bytes.size() + 1));
}

/// A random part of at most 32 bytes.
std::span<const std::uint8_t> part_of(const Bytes& bytes, RandomStream& random) {
  const std::size_t start = random.below(bytes.size() + 1);
  const std::size_t most = std::min<std::size_t>(bytes.size() - start, 32);
  return std::span(bytes).subspan(start, random.below(most + 1));
}

void insert(Bytes& bytes, std::span<const std::uint8_t> part, RandomStream& random) {
  if (bytes.size() + part.size() > kMaxInputBytes) return;
  const Bytes copy(part.begin(), part.end());
  bytes.insert(place_in(bytes, random), copy.begin(), copy.end());
}

void set_word(Bytes& bytes, RandomStream& random) {
  const std::size_t at = random.below(bytes.size());
  const std::uint16_t word = random.below(4) == 0 ? static_cast<std::uint16_t>(bytes.size() - at)
                                                  : kTurningPoints[random.below(10)];
  bytes[at] = static_cast<std::uint8_t>(word >> 8);
  if (at + 1 < bytes.size()) bytes[at + 1] = static_cast<std::uint8_t>(word);
}

void erase_part(Bytes& bytes, RandomStream& random) {
  const auto start = place_in(bytes, random);
  const auto most = std::min<std::ptrdiff_t>(bytes.end() - start, 32);
  const auto size = random.below(static_cast<std::uint64_t>(most) + 1);
  bytes.erase(start, start + static_cast<std::ptrdiff_t>(size));
}

void change(Bytes& bytes, std::span<const Seed> seeds, RandomStream& random) {
  if (bytes.empty()) bytes.push_back(random_byte(random));
  const std::size_t at = random.below(bytes.size());
  switch (random.below(8)) {
    case 0:
      bytes[at] ^= static_cast<std::uint8_t>(1 << random.below(8));
      break;
    case 1:
      bytes[at] = random_byte(random);
      break;
    case 2:
      bytes[at] = static_cast<std::uint8_t>(bytes[at] + random.below(9) - 4);
      break;
    case 3:
      set_word(bytes, random);
      break;
    case 4:
      erase_part(bytes, random);
      break;
    case 5:
      insert(bytes, part_of(bytes, random), random);
      break;
    case 6:
      insert(bytes, part_of(seeds[random.below(seeds.size())].bytes, random), random);
      break;
    default:
      bytes.resize(at);
  }
}

}  // namespace

Bytes mutate(std::span<const Seed> seeds, RandomStream& random) {
  Bytes bytes = seeds[random.below(seeds.size())].bytes;
  for (std::uint64_t changes = 1 + random.below(6); changes > 0; --changes)
    change(bytes, seeds, random);
  return bytes;
}

}  // namespace overlane::fuzzing
