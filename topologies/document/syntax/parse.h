#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "results/finding/finding.h"
#include "topologies/document/tree/tree.h"

namespace overlane::document {

/// The documents of one input in order, and one finding per refused document.
struct Stream {
  std::vector<Tree> documents;
  Findings findings;

  void append(Stream other);
  void add(Result<Tree> document);
  /// Removes and returns the documents for which `wanted` is true; calls it once per document.
  std::vector<Tree> take_if(const std::function<bool(const Tree&)>& wanted);
};

/// Reads every document of a text. Documents are separated by `---` lines; JSON documents may
/// follow each other directly. Each item of a `kind: List` (or ShootList …) document becomes a
/// document (Tree::list). A bad document does not hide the others: invalid UTF-8, invalid YAML, or
/// an `elision` (content after a `...` line without `---`, or a `...` line where YAML allows none),
/// which marks an excerpt. Empty documents are skipped; a text without any document gives the
/// finding `empty-file`.
Stream parse(std::string_view text, const std::string& file);

}  // namespace overlane::document
