#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "topologies/document/fields/fields.h"
#include "topologies/document/fields/shape.h"

namespace overlane::command {

// JSON Schemas of the files that users write and of the reports that the program writes. The schema
// of a file is derived from the decoder of its kind (FileKind::decode), so that both accept the
// same fields. A decoder gives the description of a field together with its key
// (document::FieldKey). The schema of a report is derived from its list of fields
// (results/base/json_fields.h).

using document::FieldText;

/// A kind of file that users write.
struct FileKind {
  std::string_view name;  ///< The argument of `overlane schema`: "scenario".
  std::string_view about;
  void (*decode)(document::Fields& root);
  std::span<const FieldText> texts;  ///< Descriptions of fields for which the decoder gives none.

  /// The description of the field with this path and shape; empty if there is none.
  std::string_view text_of(std::string_view path, const document::Shape& shape) const;
};

std::span<const FileKind> file_kinds();

/// The JSON Schema (draft 2020-12) of a file kind, for editors and CI. It accepts the same files as
/// the decoder, with two exceptions: it does not check constraints between fields, and it rejects
/// null (omit absent fields).
nlohmann::ordered_json json_schema(const FileKind& kind);

/// An argument of `overlane schema`: a kind of file or of report.
struct SchemaKind {
  std::string_view name;
  std::string_view about;
  std::function<nlohmann::ordered_json()> schema;
};

std::span<const SchemaKind> schema_kinds();

}  // namespace overlane::command
