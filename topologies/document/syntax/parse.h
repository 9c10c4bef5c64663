#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "results/finding/result.h"
#include "topologies/document/tree/tree.h"

namespace overlane::document {

/// What one input held: the documents in order, and one finding for each that had to be refused.
struct Stream {
  std::vector<Tree> documents;
  Findings findings;

  void append(Stream other);
  void add(Result<Tree> document);
  /// Takes out the documents that `wanted` is true of, looking at each once.
  std::vector<Tree> take_if(const std::function<bool(const Tree&)>& wanted);
};

/// Reads every document of a text. They are separated by `---` lines, or simply follow each other
/// if they are JSON. An item of a `kind: List` (or ShootList …) document is a document of its own
/// (Tree::list). One that is bad does not hide the others, be it no UTF-8, no YAML, or an
/// `elision`: content after a `...` line without `---`, or a `...` line where YAML allows none;
/// that is an excerpt and would be half-read. Empty documents are skipped; a text without any
/// document gives the finding `empty-file`.
Stream parse(std::string_view text, const std::string& file);

}  // namespace overlane::document
