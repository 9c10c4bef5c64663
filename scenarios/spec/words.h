#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "topologies/document/fields/fields.h"

namespace overlane::spec {

/// A word of a file and its value.
template <typename Enum>
struct Word {
  std::string_view word;
  Enum value;
};

/// Reads an optional field that is one of `words`. Any other word is an error at its location, and
/// the result is empty.
template <typename Enum, std::size_t N>
std::optional<Enum> word(document::Fields& fields, std::string_view key,
                         const std::array<Word<Enum>, N>& words) {
  std::array<std::string_view, N> texts;
  for (std::size_t i = 0; i < N; ++i)
    texts[i] = words[i].word;
  const std::optional<std::string> text = fields.one_of(key, texts);
  for (const Word<Enum>& candidate : words)
    if (text && candidate.word == *text) return candidate.value;
  return std::nullopt;
}

/// The word for a value; every value must be in the table.
template <typename Enum, std::size_t N>
constexpr std::string_view word_for(Enum value, const std::array<Word<Enum>, N>& words) {
  for (const Word<Enum>& candidate : words)
    if (candidate.value == value) return candidate.word;
  return {};
}

}  // namespace overlane::spec
