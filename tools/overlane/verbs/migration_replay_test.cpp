#include "tools/overlane/verbs/migration_replay.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "results/base/testing/source_file.h"

namespace overlane::command {
namespace migration_replay_test {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

migration::Assessment assessment(std::uint32_t nodes) {
  migration::LoadRequest request{
      .paths = {source_file("topologies/library/manifests/shoot-aws-two-zones.yaml")},
      .subject = {},
      .to = migration::Target::Routed,
      .strategies = {"today", "routes-first"}};
  request.subject.nodes = nodes;
  request.runs = 1;
  auto assessed = migration::assess(request, {.vary_durations = false});
  EXPECT_TRUE(assessed);
  return *std::move(assessed);
}

/// The lines of a state at a time.
std::vector<std::string> lines_at(const pages::ReplayState& state, std::int64_t at) {
  std::vector<std::string> lines;
  for (const pages::ReplayLine& line : state.lines)
    for (const auto& [begin, end] : line.present)
      if (begin <= at && at < end) lines.push_back(line.text);
  return lines;
}

TEST(MigrationReplay, HasEveryStrategyWithStepsOutagesAndStates) {
  const migration::Assessment switched = assessment(4);
  const pages::Replay replay = migration_replay(switched, 1);
  ASSERT_THAT(replay.courses, SizeIs(2));
  EXPECT_THAT(replay.overview.rows, SizeIs(2));
  EXPECT_THAT(replay.nodes, SizeIs(4));
  for (std::size_t i = 0; i < replay.courses.size(); ++i) {
    const pages::ReplayCourse& course = replay.courses[i];
    const migration::StrategyResult& result = switched.decisive.evaluation.strategies[i];
    EXPECT_EQ(course.name, result.strategy->name);
    EXPECT_THAT(course.steps, SizeIs(result.course.steps.size()));
    EXPECT_THAT(course.outages, SizeIs(result.course.outages.size()));
    EXPECT_THAT(course.states, SizeIs(4 + 1)) << "nodes and the network";
    EXPECT_THAT(course.left_out, IsEmpty());
  }
}

TEST(MigrationReplay, TheStatesAreThoseOfTheWorld) {
  const migration::Assessment switched = assessment(4);
  const pages::Replay replay = migration_replay(switched, 1);
  const migration::StrategyResult& result = switched.decisive.evaluation.strategies[1];
  const pages::ReplayState& state = replay.courses[1].states[0];
  std::string text;
  for (const std::string& line : lines_at(state, pages::kReplayEnd - 1))
    text += line + '\n';
  EXPECT_EQ(text, to_string(result.course.end.nodes[0]));
  EXPECT_NE(lines_at(state, 0), lines_at(state, pages::kReplayEnd - 1));
}

TEST(MigrationReplay, ALargeSwitchIsBoundedAndSaysSo) {
  const migration::Assessment switched = assessment(60);
  const pages::Replay replay = migration_replay(switched, 1);
  EXPECT_LE(replay_data(replay).dump().size(), 400u * 1024);
  const std::vector<std::string>& left_out = replay.courses[0].left_out;
  ASSERT_FALSE(left_out.empty());
  EXPECT_THAT(left_out.back(), HasSubstr("of 60 nodes."));
  for (const pages::ReplayState& state : replay.courses[0].states)
    if (state.name.starts_with("node-")) {
      EXPECT_THAT(left_out.back(), HasSubstr(state.name));
    }
}

}  // namespace migration_replay_test
}  // namespace overlane::command
