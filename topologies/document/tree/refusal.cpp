#include "topologies/document/tree/refusal.h"

#include <fmt/format.h>

#include "topologies/document/tree/text_check.h"

namespace overlane::document {

Finding Refusal::finding(std::string_view text, const Origin& origin) const {
  return {.rule = rule, .message = message, .place = origin.place(text, at), .hint = hint};
}

Refusal nesting_limit(std::size_t at) {
  return {"nesting-limit", fmt::format("the document nests deeper than {} levels", kMaximumDepth),
          "no Gardener document needs that; check how the file was made", at};
}

namespace {

/// Whether the text may be or contain a Secret, whose keys are not shown either.
bool may_be_secret(std::string_view text) {
  constexpr std::string_view kKind = "Secret";
  constexpr std::string_view kBetween = "\"' \t:";
  for (auto at = text.find(kKind); at != text.npos; at = text.find(kKind, at + 1)) {
    const auto before = text.find_last_not_of(kBetween, at == 0 ? at : at - 1);
    if (before != text.npos && text.substr(0, before + 1).ends_with("kind")) return true;
  }
  return false;
}

}  // namespace

Refusal duplicate_key(const TreeBuilder::DuplicateKey& twice, std::string_view text,
                      const Origin& origin, const ListHead* list) {
  const bool secret = may_be_secret(text) || (list != nullptr && list->kind == "SecretList");
  return {"duplicate-key",
          fmt::format("{} stands twice in one mapping, first in line {}",
                      secret ? "a key" : fmt::format("the key {}", one_line(twice.key)),
                      origin.place(text, twice.first).line),
          "keep one of the two", twice.again};
}

Refusal broken_off(std::size_t at) {
  return {"invalid-json", "this is not valid JSON: the list breaks off here, it is never closed",
          "give the whole text; the items before this one are read", at};
}

Refusal elision(std::size_t at) {
  return {"elision", "parts of this document are left out (`...`), so it is refused",
          "fill in what the `...` stands for, or start a new document with `---`", at};
}

}  // namespace overlane::document
