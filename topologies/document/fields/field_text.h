#pragma once

#include <string_view>

namespace overlane::document {

/// The meaning of one field of a kind of file, for its schema.
struct FieldText {
  /// From the document's root, "[]" for the items of a list, "*" for any key.
  std::string_view path;
  std::string_view text;
};

}  // namespace overlane::document
