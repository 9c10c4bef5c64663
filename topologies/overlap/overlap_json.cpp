#include <nlohmann/json.hpp>

#include "results/finding/finding_json.h"
#include "topologies/overlap/encode.h"

namespace overlane::overlap {
namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::optional<std::uint64_t>& number) {
  return number ? Json(*number) : Json(nullptr);
}

Json or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json encode(const End& end) {
  return {{"shoot", or_null(end.shoot)},  {"owner", end.owner},       {"role", to_string(end.role)},
          {"cidr", end.cidr.to_string()}, {"source", source_of(end)}, {"assumed", end.assumed}};
}

Json encode(const Overlap& overlap) {
  return {{"severity", to_string(overlap.meaning.severity)},
          {"rule", overlap.meaning.rule->id},
          {"kind", overlap.kind},
          {"routing_domain", overlap.routing_domain},
          {"sharing", overlap.sure ? "sure" : "possible"},
          {"a", encode(overlap.a)},
          {"b", encode(overlap.b)},
          {"intersection", overlap.intersection.to_string()},
          {"consequence", overlap.consequence},
          {"hint", overlap.meaning.rule->remedy},
          {"nodes_until_conflict", or_null(overlap.nodes_until_conflict)},
          {"creations_until_conflict", or_null(overlap.creations_until_conflict)}};
}

Json encode(const Group& group) {
  return {{"severity", to_string(group.meaning.severity)},
          {"rule", group.meaning.rule->id},
          {"kind", group.kind},
          {"routing_domain", or_null(group.routing_domain)},
          {"sharing", group.sure ? "sure" : "possible"},
          {"pairs", group.pairs},
          {"shoots", group.shoots},
          {"listed", group.listed}};
}

Json encode(const RouteBudget& budget) {
  Json json{{"routing_domain", budget.routing_domain},
            {"holder", budget.holder},
            {"shoots", budget.shoots.size()},
            {"routes_minimum", budget.minimum},
            {"routes_maximum", budget.maximum},
            {"quota", nullptr},
            {"quota_source", or_null(budget.quota_source)},
            {"quota_assumed", budget.quota_assumed}};
  if (budget.quota) json["quota"] = *budget.quota;
  return json;
}

template <typename T>
Json encode(const std::vector<T>& items) {
  Json json = Json::array();
  for (const T& item : items)
    json.push_back(encode(item));
  return json;
}

}  // namespace

Json encode(const OverlapReport& report) {
  const auto found = [&](Severity severity) {
    std::uint64_t count = report.count(severity);
    for (const Finding& finding : report.findings)
      count += finding.severity == severity;
    return count;
  };
  return {{"schema_version", 1},
          {"kind", "OverlapReport"},
          {"overlaps", encode(report.overlaps)},
          {"groups", encode(report.groups)},
          {"route_budget", encode(report.budgets)},
          {"findings", overlane::encode(report.findings)},
          {"summary",
           {{"shoots", report.shoots},
            {"cidrs", report.cidrs},
            {"domains", report.domains},
            {"overlaps", report.count(Severity::Error) + report.count(Severity::Warning)},
            {"errors", found(Severity::Error)},
            {"warnings", found(Severity::Warning)},
            {"notes", found(Severity::Note)}}}};
}

}  // namespace overlane::overlap
