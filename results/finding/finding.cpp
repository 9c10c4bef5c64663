#include "results/finding/finding.h"

#include <algorithm>

#include <fmt/compile.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "results/base/json_reader.h"

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

namespace {

using Json = nlohmann::ordered_json;

Json known(int number) {
  return number > 0 ? Json(number) : Json(nullptr);
}

Json encode(const Finding& finding) {
  return Json{{"rule", finding.rule},
              {"severity", to_string(finding.severity)},
              {"message", finding.message},
              {"object",
               {{"kind", finding.object.kind},
                {"namespace", finding.object.namespace_},
                {"name", finding.object.name}}},
              {"path", finding.path},
              {"file", finding.place.file.str()},
              {"line", known(finding.place.line)},
              {"column", known(finding.place.column)},
              {"hint", finding.hint}};
}

int number_of(const JsonReader& json, const char* key) {
  const auto number = json.maybe(key);
  return number ? static_cast<int>(number->integer()) : 0;
}

Finding decode_finding(const JsonReader& json) {
  const JsonReader object = json["object"];
  return {
      .rule = json["rule"].string(),
      .severity = json["severity"].word({Severity::Note, Severity::Warning, Severity::Error}),
      .message = json["message"].string(),
      .object = {object["kind"].string(), object["namespace"].string(), object["name"].string()},
      .path = json["path"].string(),
      .place = {json["file"].string(), number_of(json, "line"), number_of(json, "column")},
      .hint = json["hint"].string()};
}

}  // namespace

Json encode(const Findings& findings) {
  Json list = Json::array();
  for (const Finding& finding : findings)
    list.push_back(encode(finding));
  return list;
}

Findings decode_findings(const JsonReader& json) {
  return json.list(decode_finding);
}

}  // namespace overlane
