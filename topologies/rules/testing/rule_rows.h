#pragma once

#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "results/finding/finding.h"

namespace overlane::rules::testing {

/// The name of a row in the form that gtest accepts: "§3.4 node-mask-bounds" and 6 make
/// "3_4_node_mask_bounds_6".
inline std::string row_name(std::string_view words, std::size_t index) {
  constexpr std::string_view kSectionSign = "§";
  if (words.starts_with(kSectionSign)) words.remove_prefix(kSectionSign.size());
  std::string name;
  for (const char c : words)
    name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return fmt::format("{}_{}", name, index);
}

/// The name of a row about a rule, with the rule's section. `rules` is a range of pointers to
/// rules; a rule that is not among them has the section "unknown".
template <typename Rules>
std::string row_name(const Rules& rules, std::string_view id, std::size_t index) {
  for (const auto* rule : rules)
    if (rule->id == id) return row_name(fmt::format("{} {}", rule->section, id), index);
  return row_name(fmt::format("unknown {}", id), index);
}

/// Findings line by line, for the message of a failed row.
inline std::string listed(const Findings& findings) {
  std::string text;
  for (const Finding& finding : findings)
    text += finding.to_string() + '\n';
  return text;
}

}  // namespace overlane::rules::testing
