#include "scenarios/migration/migration_json.h"

#include <nlohmann/json.hpp>

#include "results/finding/finding.h"
#include "results/model/run_report_json.h"
#include "scenarios/migration/operator_steps.h"
#include "scenarios/migration/outages/outages.h"

namespace overlane::migration {
namespace {

using Json = nlohmann::ordered_json;

Json encode(Picos time) {
  return time.whole_nanoseconds();
}

Json encode(const Spread& spread) {
  return {{"least", encode(spread.least)},
          {"median", encode(spread.median)},
          {"most", encode(spread.most)}};
}

/// The fields of a dataplane that a migration changes or that its steps depend on.
Json encode_end(const effective::Dataplane& dataplane) {
  const Json fields = encode(dataplane);
  Json json;
  for (const char* name : {"mode", "encapsulation", "backend", "routes_by", "pod_mtu"})
    json[name] = fields.at(name);
  return json;
}

Json encode(const ClassResult& of) {
  const std::optional<Picos> stall = of.lasting > 0 ? std::nullopt : tcp_stall(of.longest.most);
  Json reasons = Json::object();
  for (const auto& [reason, count] : of.reasons)
    reasons[std::string(to_string(reason))] = count;
  return {{"connections_between_nodes", to_string(of.which)},
          {"connections", of.connections},
          {"affected", of.affected},
          {"lasting", of.lasting},
          {"longest_outage_ns", encode(of.longest)},
          {"tcp_stall_ns", stall ? encode(*stall) : Json()},
          {"drop_reasons", std::move(reasons)},
          {"lasting_reason", of.lasting_reason ? Json(to_string(*of.lasting_reason)) : Json()}};
}

Json encode(const TrafficResult& of) {
  return {{"name", of.name},
          {"meaning", of.meaning},
          {"possible_only", of.is_possible_only},
          {"pairs", of.pairs},
          {"affected", of.affected},
          {"lasting", of.lasting},
          {"longest_outage_ns", encode(of.longest)},
          {"established_connections_end", of.ends}};
}

Json encode(const std::vector<ImpactResult>& impacts) {
  Json list = Json::array();
  for (const ImpactResult& one : impacts)
    list.push_back(
        {{"impact", facts(one.impact).name}, {"what", one.what}, {"accepted", one.accepted}});
  return list;
}

Json encode(const std::vector<Condition>& conditions) {
  Json list = Json::array();
  for (const Condition& one : conditions)
    list.push_back({{"parameter", one.parameter},
                    {"if", one.holds},
                    {"verdict", to_string(one.if_so)},
                    {"otherwise", to_string(one.otherwise)},
                    {"check", one.command},
                    {"reading", one.reading},
                    {"set", one.setting}});
  return list;
}

Json encode(const CountVerdict& count) {
  return {{"nodes", count.nodes}, {"verdict", to_string(count.verdict)}, {"reason", count.reason}};
}

Json encode(const std::vector<OperatorStep>& steps) {
  Json list = Json::array();
  for (const OperatorStep& step : steps)
    list.push_back({{"place", to_string(step.place)},
                    {"action", step.action},
                    {"commands", step.commands},
                    {"wait_for", step.wait_for},
                    {"wait_commands", step.wait_commands},
                    {"caution", step.caution},
                    {"undo", step.undo},
                    {"undo_commands", step.undo_commands}});
  return list;
}

Json encode(const StrategyResult& result) {
  Json classes = Json::array();
  for (const ClassResult& of : result.classes)
    classes.push_back(encode(of));
  Json other_traffic = Json::array();
  for (const TrafficResult& of : result.other_traffic)
    other_traffic.push_back(encode(of));
  return {{"name", result.strategy->name},
          {"summary", result.strategy->summary},
          {"availability", to_string(result.strategy->availability)},
          {"source", result.strategy->source.dated()},
          {"verdict", to_string(result.worst())},
          {"verdict_as_assumed", to_string(result.verdict)},
          {"reason", result.reason},
          {"conditions", encode(result.conditions)},
          {"impacts", encode(result.impacts)},
          {"blockers", result.blockers},
          {"unknowns", result.unknowns},
          {"outages", std::move(classes)},
          {"other_traffic", std::move(other_traffic)},
          {"duration_ns", encode(result.duration)},
          {"manual_steps", result.manual_steps},
          {"pairs_unreachable_before", result.unreachable_before}};
}

}  // namespace

Json encode(const Assessment& assessment, const EvaluationOptions& options) {
  const Loaded& loaded = assessment.loaded();
  const Evaluation& evaluation = assessment.decisive.evaluation;
  const Transition& transition = loaded.transition;
  const StrategyResult& best = assessment.best();
  Json node_counts = Json::array();
  for (const CountVerdict& count : assessment.counts)
    node_counts.push_back(encode(count));
  Json accepted = Json::array();
  for (const ImpactFacts& one : kImpacts)
    if (loaded.accepted.contains(one.impact)) accepted.push_back(one.name);
  Json strategies = Json::array();
  for (const StrategyResult& result : evaluation.strategies)
    strategies.push_back(encode(result));
  Json timeline = Json::array();
  for (const Step& step : best.course.steps)
    timeline.push_back(
        {{"at_ns", encode(step.at)}, {"component", step.component}, {"what", step.what}});
  Json leftovers = Json::array();
  for (const Leftover& leftover : evaluation.leftovers)
    leftovers.push_back({{"what", leftover.what}, {"remedy", leftover.remedy}});
  Json assumptions = Json::array();
  const auto longest = [](Picos time) { return time == kNever ? Json() : encode(time); };
  for (const auto& [assumption, at_least, at_most] : evaluation.sensitivities) {
    assumptions.push_back(model::encode(assumption));
    assumptions.back()["longest_outage_ns"] = {{"at_least", longest(at_least)},
                                               {"at_most", longest(at_most)}};
  }
  Json assumed = Json::array();
  for (const model::Assumption& assumption : loaded.assumptions)
    assumed.push_back(model::encode(assumption));
  Json window;
  if (evaluation.window)
    window = {{"shortest", encode(evaluation.window->shortest)},
              {"usual", encode(evaluation.window->usual)},
              {"longest", encode(evaluation.window->longest)}};
  Json worse_from = Json::array();
  for (const CountVerdict& one : assessment.worse_from)
    worse_from.push_back(encode(one));
  const bool may_go = assessment.may_go();
  return {{"schema_version", 2},
          {"kind", "Migration"},
          {"shoot", transition.before.namespace_ + '/' + transition.before.name},
          {"provider", transition.before.provider_name},
          {"from", encode_end(transition.before.dataplane)},
          {"to", encode_end(transition.after.dataplane)},
          {"nodes", assessment.decisive.nodes},
          {"seed", options.seed},
          {"disturbance", loaded.disturbance ? Json(to_string(*loaded.disturbance)) : Json()},
          {"runs", loaded.runs},
          {"max_outage_ns", encode(loaded.max_outage)},
          {"accepted", std::move(accepted)},
          {"verdict", to_string(assessment.verdict())},
          {"verdict_as_assumed", to_string(best.verdict)},
          {"headline", assessment.headline()},
          {"node_counts", std::move(node_counts)},
          {"worse_from", std::move(worse_from)},
          {"not_simulated_up_to",
           assessment.not_simulated_up_to > 0 ? Json(assessment.not_simulated_up_to) : Json()},
          {"conditions", encode(best.conditions)},
          {"impacts", encode(best.impacts)},
          {"blockers", best.blockers},
          {"unknowns", best.unknowns},
          {"best", best.strategy->name},
          {"recommended", may_go ? Json(best.strategy->name) : Json()},
          {"recommended_because", evaluation.recommended_because},
          {"strategies", std::move(strategies)},
          {"window_ns", std::move(window)},
          {"steps", may_go ? encode(operator_steps(loaded, *best.strategy, best.conditions))
                           : Json::array()},
          {"steps_back", may_go ? encode(steps_back(loaded)) : Json::array()},
          {"timeline", std::move(timeline)},
          {"leftovers", std::move(leftovers)},
          {"assumptions", std::move(assumptions)},
          {"assumed", std::move(assumed)},
          {"findings", overlane::encode(loaded.findings)}};
}

}  // namespace overlane::migration
