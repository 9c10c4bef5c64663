#include "topologies/overlap/report/encode.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "results/finding/finding.h"
#include "results/report/text.h"
#include "topologies/overlap/report/report.h"
#include "topologies/overlap/report/summary.h"

namespace overlane::overlap {

namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::optional<std::uint64_t>& number) {
  return number ? Json(*number) : Json(nullptr);
}

Json or_null(std::string_view text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json encode(const End& end) {
  return {{"shoot", or_null(end.shoot)}, {"owner", end.owner},
          {"role", to_string(end.role)}, {"cidr", end.cidr.to_string()},
          {"mode", or_null(end.mode())}, {"source", source_of(end)},
          {"assumed", end.assumed},      {"candidate", end.candidate},
          {"created", end.created},      {"hibernated", end.waking_nodes.has_value()},
          {"nodes", end.nodes}};
}

Json encode(const ReportedWitness& witness) {
  return {{"sender", witness.sender},
          {"source", witness.source},
          {"destination", witness.destination},
          {"meant", witness.meant},
          {"lands", witness.lands},
          {"wrong", witness.wrong},
          {"because", witness.because},
          {"assumptions", witness.assumptions}};
}

Json encode(const Overlap& overlap) {
  return {{"severity", to_string(overlap.impact.severity)},
          {"rule", overlap.impact.rule->id},
          {"kind", overlap.kind},
          {"routing_domain", overlap.routing_domain},
          {"sharing", overlap.impact.sure ? "sure" : "possible"},
          {"a", encode(overlap.a)},
          {"b", encode(overlap.b)},
          {"intersection", overlap.intersection.to_string()},
          {"consequence", overlap.consequence},
          {"hint", advice(overlap)},
          {"urgency", to_string(overlap.urgency)},
          {"witness", overlap.witness ? encode(*overlap.witness) : Json(nullptr)},
          {"nodes_until_conflict", or_null(overlap.nodes_until_conflict)},
          {"creations_until_conflict", or_null(overlap.creations_until_conflict)},
          {"workers_allow", overlap.creations_until_conflict ? Json(overlap.growth) : nullptr}};
}

Json encode(const Group& group) {
  return {{"severity", to_string(group.impact.severity)},
          {"rule", group.impact.rule->id},
          {"kind", group.kind},
          {"routing_domain", or_null(group.routing_domain)},
          {"sharing", group.impact.sure ? "sure" : "possible"},
          {"urgency", group.listed > 0 ? Json(to_string(group.urgency)) : nullptr},
          {"pairs", group.pairs},
          {"shoots", group.shoots},
          {"listed", group.listed}};
}

Json encode(const RouteBudget& budget) {
  Json json{{"routing_domain", budget.routing_domain},
            {"holder", budget.holder},
            {"shoots", budget.shoots},
            {"routes_minimum", budget.minimum},
            {"routes_maximum", budget.maximum},
            {"quota", nullptr},
            {"quota_source", or_null(budget.quota_source.str())},
            {"quota_assumed", budget.quota_assumed}};
  if (budget.quota) json["quota"] = *budget.quota;
  return json;
}

Json encode(const Proposal& proposal) {
  Json json{{"routing_domain", proposal.routing_domain},
            {"pods", proposal.pods.to_string()},
            {"services", nullptr},
            {"node_cidr_mask_size", proposal.node_cidr_mask_size},
            {"max_nodes", proposal.max_nodes}};
  if (proposal.services) json["services"] = proposal.services->to_string();
  return json;
}

Json encode(const Change& change) {
  return {{"role", to_string(change.role)},
          {"from", change.from.to_string()},
          {"to", change.to ? Json(change.to->to_string()) : Json(nullptr)}};
}

Json encode(const PlanStep& step) {
  Json changes = Json::array();
  for (const Change& change : step.changes)
    changes.push_back(encode(change));
  return {{"shoot", step.name},
          {"routing_domain", step.routing_domain},
          {"action", step.created ? "re-create" : "change-manifest"},
          {"changes", std::move(changes)},
          {"conflicts", step.conflicts},
          {"because", step.because},
          {"manifest", step.place.to_string()},
          {"nodes", step.nodes},
          {"exact", step.exact}};
}

template <typename T>
Json encode(const std::vector<T>& items) {
  Json json = Json::array();
  for (const T& item : items)
    json.push_back(encode(item));
  return json;
}

/// Encodes the fullest route tables only: a landscape may have one per shoot.
Json encode_fullest(const std::vector<RouteBudget>& budgets) {
  constexpr std::size_t kMax = 1000;
  Json json = Json::array();
  for (std::size_t i = 0; i < std::min(kMax, budgets.size()); ++i)
    json.push_back(encode(budgets[i]));
  return json;
}

/// Encodes the groups with unlisted pairs.
Json summarised(const std::vector<Group>& groups, Severity least) {
  Json json = Json::array();
  for (const Group& group : groups)
    if (group.listed < group.pairs && group.impact.severity >= least) json.push_back(encode(group));
  return json;
}

Json encode(const WhatIf& what_if, Severity least) {
  Json modes = Json::object();
  for (const auto& [shoot, mode] : what_if.modes)
    modes[shoot] = to_string(mode);
  Json unchanged = {{"errors", 0}, {"warnings", 0}, {"notes", nullptr}};
  const auto count = [&](Severity severity) {
    return what_if.unchanged[static_cast<std::size_t>(severity)];
  };
  unchanged["errors"] = count(Severity::Error);
  unchanged["warnings"] = count(Severity::Warning);
  if (least == Severity::Note) unchanged["notes"] = count(Severity::Note);
  return {{"with", what_if.applied},
          {"assume", std::move(modes)},
          {"gone", encode(what_if.gone)},
          {"gone_groups", summarised(what_if.gone_groups, least)},
          {"gone_findings", overlane::encode(what_if.gone_findings)},
          {"unchanged", std::move(unchanged)}};
}

/// Encodes the uncertainties of domains with listed overlaps.
Json uncertainties_of(const OverlapReport& report) {
  Json json = Json::object();
  for (const Overlap& overlap : report.overlaps)
    if (const auto doubt = report.uncertainties.find(overlap.routing_domain);
        doubt != report.uncertainties.end())
      json[doubt->first] = doubt->second;
  return json;
}

}  // namespace

Json encode(const OverlapReport& report) {
  const Findings findings = report.all_findings();
  const auto found = [&](Severity severity) {
    std::uint64_t count = report.count(severity);
    for (const Finding& finding : findings)
      count += finding.severity == severity;
    return count;
  };
  return {
      {"schema_version", 1},
      {"kind", "OverlapReport"},
      {"headline", headline(report)},
      {"overlaps", encode(report.overlaps)},
      {"groups", summarised(report.groups, report.min_severity)},
      {"doubts", uncertainties_of(report)},
      {"route_budget", encode_fullest(report.budgets)},
      {"proposals", encode(report.proposals)},
      {"plan", encode(report.plan.value_or(std::vector<PlanStep>()))},
      {"then_apply", report.applied_after_plan()},
      {"what_if", report.what_if ? encode(*report.what_if, report.min_severity) : Json(nullptr)},
      {"findings", overlane::encode(findings)},
      {"summary",
       {{"shoots", report.shoots},
        {"cidrs", report.cidrs},
        {"domains", report.domains},
        {"only_domain", or_null(report.only_domain)},
        {"errors_over", report.errors_over},
        {"route_lists", report.budgets.size()},
        {"overlaps", report.count_shown()},
        {"errors", found(Severity::Error)},
        {"warnings", found(Severity::Warning)},
        {"notes", found(Severity::Note)},
        {"known", or_null(report.known)}}}};
}

namespace {

std::string number(const std::optional<std::uint64_t>& value) {
  return value ? fmt::format("{}", *value) : "";
}

}  // namespace

std::string encode_csv(const OverlapReport& report) {
  std::string text =
      "severity,rule,kind,routing_domain,sharing,a,a_role,a_cidr,a_source,b,b_role,b_cidr,b_source,"
      "intersection,nodes_until_conflict,creations_until_conflict,consequence,urgency,a_mode,b_mode"
      ",hint\r\n";
  for (const Overlap& overlap : report.overlaps) {
    const std::array fields = {std::string(overlane::to_string(overlap.impact.severity)),
                               std::string(overlap.impact.rule->id),
                               overlap.kind,
                               overlap.routing_domain,
                               std::string(overlap.impact.sure ? "sure" : "possible"),
                               overlap.a.owner,
                               std::string(to_string(overlap.a.role)),
                               overlap.a.cidr.to_string(),
                               source_of(overlap.a),
                               overlap.b.owner,
                               std::string(to_string(overlap.b.role)),
                               overlap.b.cidr.to_string(),
                               source_of(overlap.b),
                               overlap.intersection.to_string(),
                               number(overlap.nodes_until_conflict),
                               number(overlap.creations_until_conflict),
                               overlap.consequence,
                               std::string(to_string(overlap.urgency)),
                               std::string(overlap.a.mode()),
                               std::string(overlap.b.mode()),
                               advice(overlap)};
    text += report::csv_record(fields);
  }
  return text;
}

std::string source_of(const End& end) {
  if (end.assumed) return fmt::format("assumed: {}", end.path);
  const std::string place = end.place.to_string();
  if (end.path.empty()) return place;
  return place.empty() ? end.path : fmt::format("{} {}", place, end.path);
}

}  // namespace overlane::overlap
