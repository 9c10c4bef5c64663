#pragma once

#include <memory>
#include <string_view>

#include "results/base/result.h"
#include "results/finding/finding.h"
#include "topologies/document/tree/tree.h"
#include "topologies/document/tree/tree_builder.h"

namespace overlane::document {

// JSON to trees with simdjson. Most large inputs come from `kubectl get -o json`, for which this is
// many times faster than a YAML parser. The result has the same limits, types and places as the
// YAML parser's. A JsonTreeParser keeps its buffers between calls and is used by one thread.

/// Parses JSON with simdjson. A parser can be reused and keeps its memory.
class JsonTreeParser {
 public:
  JsonTreeParser();
  ~JsonTreeParser();

  /// Parses one JSON object or array. Invalid JSON gives the rule `invalid-json`; duplicate keys
  /// and deep nesting are refused as in YAML. Numbers keep all their digits.
  Result<Tree> parse(std::string_view text, const Origin& origin, PartOf part_of);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

bool is_valid_utf8(std::string_view text);

}  // namespace overlane::document
