#pragma once

#include <memory>
#include <string_view>

#include "results/finding/result.h"
#include "topologies/document/tree/source_text.h"
#include "topologies/document/tree/tree_builder.h"

namespace overlane::document {

/// Parses JSON with simdjson. A reader can be reused and keeps its memory.
class JsonReader {
 public:
  JsonReader();
  ~JsonReader();

  /// Parses one JSON object or array. Invalid JSON gives the rule `invalid-json`; duplicate keys
  /// and deep nesting are refused as in YAML. Numbers keep all their digits.
  Result<Tree> parse(std::string_view text, const Origin& origin, PartOf part_of);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

bool is_valid_utf8(std::string_view text);

}  // namespace overlane::document
