#include "results/finding/finding_json.h"

#include <nlohmann/json.hpp>

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

}  // namespace

Json encode(const Findings& findings) {
  Json list = Json::array();
  for (const Finding& finding : findings)
    list.push_back(encode(finding));
  return list;
}

}  // namespace overlane
