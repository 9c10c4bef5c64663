#include "tools/overlane/verbs/migration_replay.h"

#include <algorithm>
#include <list>
#include <map>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "results/report/text.h"
#include "scenarios/migration/simulate.h"
#include "tools/overlane/verbs/migration_document.h"

namespace overlane::command {
namespace {

using migration::Loaded;
using migration::StrategyResult;
using pages::ReplayCourse;

// Bounds of a page, over all its courses.
constexpr std::size_t kMaxReplayedSteps = 4'000;
constexpr std::size_t kMaxReplayedOutages = 8'000;
constexpr std::size_t kMaxNodesWithStates = 8;       // Nodes with their states.
constexpr std::size_t kMaxReplayBytes = 400 * 1024;  // JSON of the replay.

std::int64_t replay_time(Picos time) {
  return (time.count + 500'000'000) / 1'000'000'000;
}

/// The lines of one state over time, in the order of its text.
class StateHistory {
 public:
  /// Records the text of the state from `now` on. Identifies equal lines of a text by their order.
  void see(const std::string& text, std::int64_t now) {
    std::map<std::string, std::size_t> seen;
    auto after = lines_.begin();
    for (Line& line : lines_)
      line.is_in_text = false;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
      const std::size_t occurrence = seen[line]++;
      const auto [found, is_new] = by_text_.try_emplace({line, occurrence}, lines_.end());
      if (is_new) found->second = lines_.insert(after, Line{.line = {line, {}}});
      Line& known = *found->second;
      known.is_in_text = true;
      after = std::next(found->second);
      if (!known.is_open) open(known, now);
    }
    for (Line& line : lines_)
      if (line.is_open && !line.is_in_text) close(line, now);
  }

  std::vector<pages::ReplayLine> take() {
    std::vector<pages::ReplayLine> lines;
    for (Line& line : lines_)
      if (!line.line.present.empty()) lines.push_back(std::move(line.line));
    return lines;
  }

 private:
  struct Line {
    pages::ReplayLine line;
    bool is_open = false;
    bool is_in_text = false;
  };

  static void open(Line& line, std::int64_t now) {
    line.is_open = true;
    auto& present = line.line.present;
    if (!present.empty() && present.back().second == now)
      present.back().second = pages::kReplayEnd;
    else
      present.emplace_back(now, pages::kReplayEnd);
  }

  static void close(Line& line, std::int64_t now) {
    line.is_open = false;
    auto& present = line.line.present;
    if (present.back().first == now)
      present.pop_back();
    else
      present.back().second = now;
  }

  std::list<Line> lines_;
  std::map<std::pair<std::string, std::size_t>, std::list<Line>::iterator> by_text_;
};

/// The first node of each zone, then other nodes, at most `count`; sorted.
std::vector<std::uint32_t> shown_nodes(const Loaded& loaded, std::size_t count) {
  std::vector<std::uint32_t> nodes, zones;
  for (std::uint32_t node = 0; node < loaded.zones.size() && nodes.size() < count; ++node) {
    if (std::ranges::find(zones, loaded.zones[node]) != zones.end()) continue;
    zones.push_back(loaded.zones[node]);
    nodes.push_back(node);
  }
  for (std::uint32_t node = 0; node < loaded.zones.size() && nodes.size() < count; ++node)
    if (std::ranges::find(nodes, node) == nodes.end()) nodes.push_back(node);
  std::ranges::sort(nodes);
  return nodes;
}

std::string node_name(const Loaded& loaded, std::uint32_t node) {
  return std::string(loaded.transition.from.nodes[node].member().name);
}

/// The states of the VPC and of some nodes over time.
std::vector<pages::ReplayState> states_of(const Loaded& loaded, const migration::Strategy& strategy,
                                          std::uint64_t seed,
                                          const std::vector<std::uint32_t>& nodes) {
  std::vector<StateHistory> histories(nodes.size());
  StateHistory network;
  const auto see_node = [&](std::size_t i, const node::World& world, std::int64_t now) {
    histories[i].see(world.stopped.contains(nodes[i]) ? "(the machine does not run)\n"
                                                      : to_string(world.nodes[nodes[i]]),
                     now);
  };
  follow_world(loaded.transition, strategy, loaded.timing, seed, loaded.disturbance,
               [&](const node::World& world, const node::WorldChange& change, Picos at) {
                 const std::int64_t now = replay_time(at);
                 const bool is_start = now == 0;
                 if (is_start || change.fabric.any()) network.see(to_string(world.fabric), now);
                 for (std::size_t i = 0; i < nodes.size(); ++i)
                   if (is_start || change.nodes.contains(nodes[i]) || !change.stopped.empty() ||
                       !change.started.empty())
                     see_node(i, world, now);
               });
  std::vector<pages::ReplayState> states;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    states.push_back({node_name(loaded, nodes[i]), histories[i].take()});
  states.push_back({"network of the nodes", network.take()});
  return states;
}

ReplayCourse course_of(const Loaded& loaded, const StrategyResult& result, std::uint64_t seed,
                       std::size_t courses, const std::vector<std::uint32_t>& nodes) {
  const migration::SwitchResult& course = result.course;
  ReplayCourse shown{.name = result.strategy->name,
                     .chart_title = course_chart(loaded, result).title,
                     .end = std::max<std::int64_t>(replay_time(course.ended_at), 1'000),
                     .steps = {},
                     .outages = {},
                     .states = states_of(loaded, *result.strategy, seed, nodes),
                     .left_out = {}};
  for (const migration::Step& step : course.steps) {
    if (shown.steps.size() == kMaxReplayedSteps / courses) break;
    shown.steps.push_back({replay_time(step.at), step.component, step.what});
  }
  for (const migration::Outage& outage : course.outages)
    shown.outages.push_back({outage.from, outage.to, replay_time(outage.begin),
                             outage.end ? replay_time(*outage.end) : pages::kReplayEnd,
                             std::string(facts(outage.reason).name)});
  std::ranges::stable_sort(shown.outages, {}, &pages::ReplayOutage::begin);
  if (shown.outages.size() > kMaxReplayedOutages / courses)
    shown.outages.resize(kMaxReplayedOutages / courses);
  const auto leave_out = [&](std::size_t has, std::size_t all, std::string_view what) {
    if (has < all)
      shown.left_out.push_back(
          fmt::format("This page has the first {} of {}.", has, report::counted_text(all, what)));
  };
  leave_out(shown.steps.size(), course.steps.size(), "step");
  leave_out(shown.outages.size(), course.outages.size(), "outage");
  return shown;
}

/// Removes the states of all nodes but the first `count`; with none of them, also the network's.
void keep_states(ReplayCourse& course, std::size_t count) {
  if (count == 0)
    course.states.clear();
  else
    course.states.erase(course.states.begin() + static_cast<std::ptrdiff_t>(count),
                        course.states.end() - 1);
}

/// "This page has the states of node-1 and node-4, of 16 nodes."
std::string states_text(const Loaded& loaded, const std::vector<std::uint32_t>& nodes,
                        std::size_t all) {
  if (nodes.empty())
    return fmt::format("This page has the state of none of {}.", report::counted_text(all, "node"));
  std::string names;
  for (const std::uint32_t node : nodes)
    names += fmt::format("{}{}",
                         names.empty()          ? ""
                         : node == nodes.back() ? " and "
                                                : ", ",
                         node_name(loaded, node));
  return fmt::format("This page has the states of {}, of {}.", names,
                     report::counted_text(all, "node"));
}

/// The share of interrupted pairs of each strategy, on one time axis.
answer::Chart overview_of(const Loaded& loaded, const migration::Evaluation& evaluation) {
  constexpr std::uint32_t kColumns = 240;
  Picos end = seconds(1);
  for (const StrategyResult& result : evaluation.strategies)
    end = std::max(end, result.course.ended_at);
  const migration::TimeColumns columns = migration::columns_between({}, end, kColumns);
  answer::Chart chart{.title = "All strategies",
                      .shade = "pairs of nodes that are interrupted",
                      .axis = "after the change of the Shoot; a dot is a step of a component",
                      .begin = 0,
                      .end = static_cast<double>(columns.end().count) / 1e12,
                      .rows = {},
                      .lanes = {}};
  for (const StrategyResult& result : evaluation.strategies) {
    const std::vector<std::uint32_t> one_zone(loaded.zones.size(), 0);
    const auto shares =
        share_by_class(result.course.outages, one_zone, columns, result.course.presence);
    chart.rows.push_back({result.strategy->name, shares.empty()
                                                     ? std::vector<std::uint32_t>(kColumns, 0)
                                                     : shares.front().second});
    answer::Chart::Lane lane{.label = result.strategy->name, .events = {}};
    for (const migration::Step& step : result.course.steps)
      lane.events.push_back({static_cast<double>(step.at.count) / 1e12,
                             fmt::format("{}: {}", step.component, step.what)});
    chart.lanes.push_back(std::move(lane));
  }
  return chart;
}

}  // namespace

pages::Replay migration_replay(const migration::Assessment& assessment, std::uint64_t seed) {
  const Loaded& loaded = assessment.loaded();
  const migration::Evaluation& evaluation = assessment.decisive.evaluation;
  pages::Replay replay{.overview = overview_of(loaded, evaluation),
                       .nodes = {},
                       .courses = {},
                       .first = evaluation.recommended};
  for (std::uint32_t node = 0; node < loaded.transition.nodes(); ++node)
    replay.nodes.push_back(node_name(loaded, node));
  std::vector<std::uint32_t> nodes = shown_nodes(loaded, kMaxNodesWithStates);
  for (const StrategyResult& result : evaluation.strategies)
    replay.courses.push_back(course_of(loaded, result, seed, evaluation.strategies.size(), nodes));
  // States take most of the space: fewer nodes until the page is small enough.
  while (!nodes.empty() && replay_data(replay).dump().size() > kMaxReplayBytes) {
    nodes.resize(nodes.size() / 2);
    for (ReplayCourse& course : replay.courses)
      keep_states(course, nodes.size());
  }
  for (ReplayCourse& course : replay.courses)
    if (nodes.size() < replay.nodes.size())
      course.left_out.push_back(states_text(loaded, nodes, replay.nodes.size()));
  return replay;
}

}  // namespace overlane::command
