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
  archive.required("kind", object.kind);
  archive.required("namespace", object.namespace_);
  archive.required("name", object.name);
}

template <typename Archive, same_as_or_const<Finding> Value>
void fields(Archive& archive, Value& finding) {
  archive.required("rule", finding.rule);
  archive.required("severity", finding.severity);
  archive.required("message", finding.message);
  archive.required("object", finding.object);
  archive.required("path", finding.path);
  archive.required("file", finding.place.file);
  archive.nullable_if(finding.place.line > 0, "line", finding.place.line);
  archive.nullable_if(finding.place.column > 0, "column", finding.place.column);
  archive.required("hint", finding.hint);
}

}  // namespace overlane
