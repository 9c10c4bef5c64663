#include "results/finding/finding.h"

#include <algorithm>

#include <fmt/compile.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "results/base/json_fields.h"
#include "results/finding/finding_json.h"

namespace overlane {

std::string SourceLocation::to_string() const {
  if (line == 0) return file;
  if (column == 0) return fmt::format(FMT_COMPILE("{}:{}"), file.str(), line);
  return fmt::format(FMT_COMPILE("{}:{}:{}"), file.str(), line, column);
}

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::Note:
      return "note";
    case Severity::Warning:
      return "warning";
    case Severity::Error:
      return "error";
  }
  return "error";
}

std::string ObjectName::qualified() const {
  return namespace_.empty() ? name : namespace_ + '/' + name;
}

std::string Finding::to_string() const {
  const std::string where = place.to_string();
  std::string text = where.empty() ? "" : fmt::format("{}: ", where);
  text += fmt::format("{}: {}", overlane::to_string(severity), message);
  if (!rule.empty()) text += fmt::format(" [{}]", rule);
  if (!hint.empty()) text += fmt::format("; {}", hint);
  return text;
}

bool any_at_or_above(const Findings& findings, Severity threshold) {
  return std::ranges::any_of(findings, [=](const Finding& f) { return f.severity >= threshold; });
}

nlohmann::ordered_json JsonCodec<Interned>::encode(const Interned& text, JsonDetail) {
  return text.str();
}
Interned JsonCodec<Interned>::decode(const JsonReader& json) {
  return json.string();
}
nlohmann::ordered_json JsonCodec<Interned>::schema() {
  return schema_of_fields<std::string>();
}

nlohmann::ordered_json encode(const Findings& findings) {
  return encode_fields(findings);
}

Findings decode_findings(const JsonReader& json) {
  return decode_fields<Findings>(json);
}

}  // namespace overlane
