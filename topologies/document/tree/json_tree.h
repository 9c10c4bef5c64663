#pragma once

#include <memory>
#include <string_view>

#include "results/finding/result.h"
#include "topologies/document/tree/line_map.h"
#include "topologies/document/tree/tree_storage.h"

namespace overlane::document {

/// Reads JSON with simdjson. One reader serves many texts and keeps its memory.
class JsonReader {
 public:
  JsonReader();
  ~JsonReader();

  /// The one JSON object or array that `text` is. The rule of the finding is `invalid-json` for
  /// what JSON does not allow; an object that has a key twice and the limit on nesting are refused
  /// as in YAML. Numbers keep their digits, however many.
  Result<Tree> parse(std::string_view text, const Origin& origin, PartOf part_of);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

bool is_valid_utf8(std::string_view text);

}  // namespace overlane::document
