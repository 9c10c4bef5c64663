#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "results/finding/result.h"
#include "topologies/document/tree.h"

namespace overlane::document {

/// What one input held: the documents in order, and one finding for each that had to be refused.
struct Stream {
  std::vector<Tree> documents;
  Findings findings;

  void append(Stream other);
};

/// Splits `text` at its `---` lines and parses every document by itself, so that one bad document
/// does not hide the others. Empty documents are skipped; a text without any document gives the
/// finding `empty-file`. Refused as a whole, with one finding and no document: a binary file, a
/// text that is not UTF-8, and an `elision`, that is content after a `...` line without `---`, or
/// a `...` line where YAML allows none: such a text is an excerpt and would be half-read.
Stream parse(std::string_view text, const std::string& file);

}  // namespace overlane::document
