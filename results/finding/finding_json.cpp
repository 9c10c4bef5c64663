#include "results/finding/finding_json.h"

#include <nlohmann/json.hpp>

#include "results/finding/json_reader.h"

namespace overlane {
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
