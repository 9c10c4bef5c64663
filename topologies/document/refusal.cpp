#include "topologies/document/refusal.h"

#include <fmt/format.h>

#include "topologies/document/text_check.h"

namespace overlane::document {

Finding Refusal::finding(std::string_view text, const Origin& origin) const {
  return {.rule = rule, .message = message, .place = origin.place(text, at), .hint = hint};
}

Refusal nesting_limit(std::size_t at) {
  return {"nesting-limit", fmt::format("the document nests deeper than {} levels", kMaximumDepth),
          "no Gardener document needs that; check how the file was made", at};
}

Refusal duplicate_key(const TreeBuilder::DuplicateKey& twice, std::string_view text,
                      const Origin& origin) {
  return {"duplicate-key",
          fmt::format("the key {} stands twice in one mapping, first in line {}",
                      one_line(twice.key), origin.place(text, twice.first).line),
          "keep one of the two", twice.again};
}

Refusal elision(std::size_t at) {
  return {"elision", "parts of this document are left out (`...`), so it is refused",
          "fill in what the `...` stands for, or start a new document with `---`", at};
}

}  // namespace overlane::document
