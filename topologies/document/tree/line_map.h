#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "results/finding/place.h"

namespace overlane::document {

/// Where a piece of a file starts; columns count characters, as everywhere.
struct Origin {
  Interned file;
  int line = 1;
  int column = 1;

  /// Where the text behind `text` starts, if `text` starts here.
  Origin after(std::string_view text) const;
  /// Of a byte of the text that starts here.
  SourceLocation place(std::string_view text, std::size_t offset) const;
};

/// Turns byte offsets of a text into places after the text itself is gone: four bytes per line,
/// and four per byte that is not the first of its character.
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
  std::vector<std::uint32_t> starts_;  ///< Of the second line and those after it.
  std::vector<std::uint32_t> continuations_;
};

}  // namespace overlane::document
