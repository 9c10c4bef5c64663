#pragma once

#include <span>
#include <string_view>

#include "topologies/document/fields/fields.h"
#include "topologies/document/fields/shape.h"

namespace overlane::command {

using document::FieldText;

/// A kind of file that people write.
struct FileKind {
  std::string_view name;  ///< The argument of `overlane schema`: "scenario".
  std::string_view about;
  void (*decode)(document::Fields& root);
  std::span<const FieldText> texts;

  /// Empty if there is none.
  std::string_view text_of(std::string_view path) const;
};

std::span<const FileKind> file_kinds();

}  // namespace overlane::command
