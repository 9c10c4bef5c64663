#include "results/model/series.h"

#include <nlohmann/json.hpp>

#include "results/base/json_fields.h"

namespace overlane {

using model::DropSeries;
using Json = nlohmann::ordered_json;

Json JsonCodec<DropSeries>::encode(const DropSeries& drops, JsonDetail) {
  Json json = Json::object();
  for (const auto& [reason, counts] : drops)
    json[std::string(to_string(reason))] = counts;
  return json;
}

DropSeries JsonCodec<DropSeries>::decode(const JsonReader& json) {
  DropSeries drops;
  for (const auto& [reason, counts] : json.members()) {
    if (const auto drop = drop_named(reason))
      drops[*drop] = counts.integers();
    else
      counts.fault("not a reason for drops");
  }
  return drops;
}

Json JsonCodec<DropSeries>::schema() {
  return {{"type", "object"},
          {"propertyNames", model::drop_reason_schema()},
          {"additionalProperties", schema_of_fields<std::vector<std::int64_t>>()}};
}

namespace model {

Json drop_reason_schema() {
  Json names = Json::array();
  for (const DropFacts& reason : kDrops)
    names.push_back(reason.name);
  return {{"enum", std::move(names)}};
}

}  // namespace model

}  // namespace overlane
