#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "results/finding/finding.h"

namespace overlane::document {

/// Where a part of a file starts; columns count characters.
struct Origin {
  Interned file;
  int line = 1;
  int column = 1;

  /// Where the text after `text` starts, if `text` starts here.
  Origin after(std::string_view text) const;
  /// The location of a byte in the text that starts here.
  SourceLocation place(std::string_view text, std::size_t offset) const;
};

/// Converts byte offsets of a text to locations without keeping the text: four bytes per line, and
/// four per UTF-8 continuation byte.
class LineMap {
 public:
  LineMap() = default;
  LineMap(Origin origin, std::string_view text);

  SourceLocation place(std::uint32_t offset) const;
  std::size_t memory() const {
    return (starts_.capacity() + continuations_.capacity()) * sizeof(std::uint32_t);
  }

 private:
  Origin origin_;
  std::vector<std::uint32_t> starts_;  ///< Of the second and following lines.
  std::vector<std::uint32_t> continuations_;
};

}  // namespace overlane::document
