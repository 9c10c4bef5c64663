#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace overlane::document {

// Suggestions for misspelt words, by the number of edits between two words. Used for keys, kinds
// and names that a user wrote. All functions are pure.

/// Number of single-character edits (insert, delete, replace, swap of neighbours) between two
/// words, ignoring case.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The closest known word if it is a likely typing error; else empty.
std::string_view closest(std::string_view word, std::span<const std::string_view> known);

/// The known words that may be meant, closest first, at most `most`.
std::vector<std::string_view> nearest(std::string_view word,
                                      std::span<const std::string_view> known, std::size_t most);

/// `did you mean podCIDR?`, or the list of the known words.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> known);

}  // namespace overlane::document
