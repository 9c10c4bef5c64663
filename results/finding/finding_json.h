#pragma once

#include <initializer_list>

#include <nlohmann/json_fwd.hpp>

#include "results/base/json_field_list.h"
#include "results/finding/finding.h"

namespace overlane {

// The fields of `findings[]` in JSON documents, for encode(Findings) and for reports with findings
// among their own fields (results/base/json_fields.h).

template <>
struct JsonCodec<Interned> {
  static nlohmann::ordered_json encode(const Interned& text, JsonDetail detail);
  static Interned decode(const JsonReader& json);
  static nlohmann::ordered_json schema();
};

template <>
struct JsonWords<Severity> {
  using enum Severity;
  static constexpr std::initializer_list<Severity> values = {Note, Warning, Error};
};

template <typename Archive, same_as_or_const<ObjectName> Value>
void fields(Archive& archive, Value& object) {
  archive.required({"kind", "Kind of the object."}, object.kind);
  archive.required({"namespace", "Namespace of the object."}, object.namespace_);
  archive.required({"name", "Name of the object."}, object.name);
}

template <typename Archive, same_as_or_const<Finding> Value>
void fields(Archive& archive, Value& finding) {
  archive.required({"rule", "Id of the rule."}, finding.rule);
  archive.required({"severity", "Severity of the finding."}, finding.severity);
  archive.required({"message", "The finding in one sentence."}, finding.message);
  archive.required({"object", "The object that the finding is about."}, finding.object);
  archive.required({"path", "Path of the field in the object."}, finding.path);
  archive.required({"file", "File of the object."}, finding.place.file);
  archive.nullable_if(finding.place.line > 0,
                      {"line", "Line in the file, from 1; null if unknown."}, finding.place.line);
  archive.nullable_if(finding.place.column > 0,
                      {"column", "Column in the line, from 1; null if unknown."},
                      finding.place.column);
  archive.required({"hint", "What to do; may be empty."}, finding.hint);
}

}  // namespace overlane
