#include <utility>

#include <fmt/format.h>

#include "topologies/document/fields/fields.h"
#include "topologies/document/fields/shape.h"
#include "topologies/document/tree/text_check.h"

namespace overlane::document {

Problems::Problems(ObjectName object) : object_(std::move(object)) {}

void Problems::error(const Value& at, std::string_view rule, std::string message,
                     std::string hint) {
  add(Severity::Error, at.place(), at, std::string(rule), std::move(message), std::move(hint));
}

void Problems::key_error(const Value& at, std::string_view rule, std::string message,
                         std::string hint) {
  if (Shape* shape = rule == "removed-field" ? shape_of(at) : nullptr) shape->removed = true;
  add(Severity::Error, at.key_place(), at, std::string(rule), std::move(message), std::move(hint));
}

void Problems::warning(const Value& at, std::string_view rule, std::string message,
                       std::string hint) {
  if (Shape* shape = rule == "deprecated-field" ? shape_of(at) : nullptr) shape->deprecated = true;
  add(Severity::Warning, at.key_place(), at, std::string(rule), std::move(message),
      std::move(hint));
}

Shape* Problems::recorded_shape(const Value& value) const {
  return value.exists() ? &shape_->at(value.path()) : nullptr;
}

void Problems::add(Severity severity, SourceLocation place, const Value& at, std::string rule,
                   std::string message, std::string hint) {
  const std::string name = object_.qualified();
  if (!name.empty()) message = fmt::format("{}: {}", name, message);
  findings_.push_back({.rule = std::move(rule),
                       .severity = severity,
                       .message = one_line(message),
                       .object = object_,
                       .path = one_line(at.path()),
                       .place = std::move(place),
                       .hint = one_line(hint)});
}

}  // namespace overlane::document
