#include <algorithm>
#include <cassert>
#include <utility>

#include <fmt/format.h>

#include "topologies/document/fields.h"
#include "topologies/document/text_check.h"

namespace overlane::document {

Problems::Problems(ObjectName object) : object_(std::move(object)) {}

void Problems::error(const Value& at, std::string_view rule, std::string message,
                     std::string hint) {
  add(Severity::Error, at.place(), at, std::string(rule), std::move(message), std::move(hint));
}

void Problems::key_error(const Value& at, std::string_view rule, std::string message,
                         std::string hint) {
  add(Severity::Error, at.key_place(), at, std::string(rule), std::move(message), std::move(hint));
}

void Problems::warning(const Value& at, std::string_view rule, std::string message,
                       std::string hint) {
  add(Severity::Warning, at.key_place(), at, std::string(rule), std::move(message),
      std::move(hint));
}

Finding Problems::first_error() const {
  const auto first = std::ranges::find(findings_, Severity::Error, &Finding::severity);
  assert(first != findings_.end());
  return *first;
}

void Problems::add(Severity severity, Place place, const Value& at, std::string rule,
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
