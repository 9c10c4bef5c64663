#include "scenarios/replay/switch_replay.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace overlane::replay {
namespace {

using Json = nlohmann::ordered_json;

Json encode(const Interrupted& interrupted) {
  return {{"total_ns", interrupted.total.whole_nanoseconds()},
          {"longest_ns", interrupted.longest.whole_nanoseconds()},
          {"lasts", interrupted.lasts}};
}

Json encode(const Figures& figures) {
  return {{"interrupted_pairs", figures.interrupted},
          {"lasting_pairs", figures.lasting},
          {"longest_ns", figures.longest.whole_nanoseconds()},
          {"median_ns", figures.median.whole_nanoseconds()}};
}

Json encode(const Comparison& comparison, const std::vector<std::string>& nodes) {
  Json pairs = Json::array(), connections = Json::array();
  for (const ComparedPair& pair : comparison.pairs)
    pairs.push_back({{"traffic", to_string(pair.traffic)},
                     {"from", nodes[pair.from]},
                     {"to", nodes[pair.to]},
                     {"predicted", encode(pair.predicted)},
                     {"observed", encode(pair.observed)},
                     {"agrees", pair.agrees()}});
  for (const ComparedConnection& one : comparison.connections) {
    connections.push_back({{"traffic", to_string(one.observed.traffic)},
                           {"use", to_string(one.observed.use)},
                           {"client", nodes[one.observed.client]},
                           {"server", nodes[one.observed.server]},
                           {"predicted_to_end", one.is_predicted_to_end},
                           {"longest_wait_ns", one.observed.longest_wait.whole_nanoseconds()},
                           {"answered", one.observed.is_answered},
                           {"failure", one.observed.failure},
                           {"agrees", one.agrees()}});
    for (const auto& [name, pause] : {std::pair("predicted_pause_ns", one.pause),
                                      std::pair("explained_pause_ns", one.explained)})
      if (pause)
        connections.back()[name] = {{"min", pause->min.whole_nanoseconds()},
                                    {"max", pause->max.whole_nanoseconds()}};
  }
  return {{"agreeing", comparison.agreeing()},
          {"count", comparison.pairs.size()},
          {"of_nodes", std::move(pairs)},
          {"connections", std::move(connections)}};
}

}  // namespace

bool SwitchReplay::agrees() const {
  return pairs ? pairs->agrees() : std::ranges::all_of(figures, &ComparedFigures::agrees);
}

std::string SwitchReplay::headline() const {
  if (pairs) {
    std::string text = fmt::format("the interruptions of {} of {} pairs are as predicted",
                                   pairs->agreeing(), pairs->pairs.size());
    const std::size_t connections = pairs->connections.size();
    if (connections > 0)
      text += fmt::format(", and {} of {} connections", pairs->agreeing_connections(), connections);
    return text;
  }
  std::string other;
  for (const ComparedFigures& one : figures)
    if (!one.agrees())
      other += fmt::format("{}{}", other.empty() ? "" : ", ", to_string(one.traffic));
  return other.empty() ? "all figures are in the range of the prediction"
                       : "figures outside of the predicted range: " + other;
}

SwitchReplay beside_prediction(migration::Loaded loaded, const migration::Strategy& strategy,
                               Observation observation,
                               std::vector<migration::SwitchResult> predicted) {
  SwitchReplay made{.loaded = std::move(loaded),
                    .strategy = strategy.name,
                    .observation = std::move(observation),
                    .predicted = std::move(predicted)};
  if (made.observation.seed) made.pairs = compare(made.predicted.front(), made.observation);
  made.figures = compare_figures(made.predicted, made.observation);
  return made;
}

Json encode(const SwitchReplay& replay) {
  const migration::Transition& transition = replay.loaded.transition;
  Json figures = Json::array();
  for (const ComparedFigures& one : replay.figures)
    figures.push_back({{"traffic", to_string(one.traffic)},
                       {"observed", encode(one.observed)},
                       {"predicted_min", encode(one.min)},
                       {"predicted_max", encode(one.max)},
                       {"agrees", one.agrees()}});
  Json json{
      {"schema_version", 1},
      {"kind", "SwitchReplay"},
      {"agrees", replay.agrees()},
      {"headline", replay.headline()},
      {"shoot", fmt::format("{}/{}", transition.before.namespace_, transition.before.name)},
      {"from", migration::mode_name(transition.before.dataplane)},
      {"to", migration::mode_name(transition.after.dataplane)},
      {"strategy", replay.strategy},
      {"disturbance",
       replay.loaded.disturbance ? Json(migration::to_string(*replay.loaded.disturbance)) : Json()},
      {"predictions", replay.predicted.size()},
      {"left_out", replay.left_out},
      {"figures", std::move(figures)}};
  if (replay.pairs) json["pairs"] = encode(*replay.pairs, replay.observation.nodes);
  json["observation"] = encode(replay.observation);
  return json;
}

}  // namespace overlane::replay
