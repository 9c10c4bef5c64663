#include "scenarios/replay/observation.h"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace overlane::replay {
namespace observation_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Observation observation() {
  return {.place = "a landscape",
          .kernel = "6.12",
          .nodes = {"a", "b"},
          .traffic = {Traffic::PodToPod, Traffic::FullSize, Traffic::Dns, Traffic::NodePort},
          .interval = milliseconds(20),
          .begin = Picos{} - seconds(1),
          .end = seconds(100),
          .interruptions = {{Traffic::PodToPod, 0, 1, seconds(2), seconds(3)},
                            {Traffic::FullSize, 1, 0, seconds(4), std::nullopt},
                            {Traffic::Dns, 1, 0, seconds(4), seconds(6)},
                            {Traffic::NodePort, 0, 1, seconds(7), seconds(8)}},
          .connections = {{.use = kernel::ConnectionUse::Idle,
                           .client = 0,
                           .server = 1,
                           .longest_wait = milliseconds(3),
                           .is_answered = true},
                          {.use = kernel::ConnectionUse::Stream, .client = 1, .server = 0},
                          {.traffic = Traffic::NodePort,
                           .client = 0,
                           .server = 1,
                           .failure = "Connection reset by peer"}},
          .events = {{seconds(5), "gardenlet", "begins"}}};
}

TEST(Observation, SurvivesJson) {
  const Observation made = observation();
  const auto read = decode_observation(encode(made));
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->nodes, made.nodes);
  EXPECT_EQ(read->traffic, made.traffic);
  EXPECT_EQ(read->interruptions, made.interruptions);
  EXPECT_EQ(read->connections, made.connections);
  EXPECT_EQ(read->begin, made.begin);
  EXPECT_EQ(read->seed, std::nullopt);
  ASSERT_EQ(read->events.size(), 1u);
  EXPECT_EQ(read->events[0].at, seconds(5));
  EXPECT_EQ(encode(*read), encode(made));
}

std::string problem(const std::function<void(nlohmann::ordered_json&)>& change) {
  auto json = encode(observation());
  change(json);
  const auto read = decode_observation(json);
  return read ? "none" : read.error();
}

TEST(Observation, NamesWhatIsWrong) {
  EXPECT_THAT(problem([](auto& json) { json["kind"] = "RunReport"; }),
              HasSubstr("SwitchObservation"));
  EXPECT_THAT(problem([](auto& json) { json["interruptions"][0]["from"] = "c"; }),
              HasSubstr("interruptions[0].from: \"c\" is not in nodes"));
  EXPECT_THAT(problem([](auto& json) { json["interruptions"][0]["to"] = "a"; }),
              HasSubstr("interruptions[0].to: the same node as from"));
  EXPECT_THAT(problem([](auto& json) { json["interruptions"][0]["end_ns"] = 1; }),
              HasSubstr("interruptions[0].end_ns: not after begin_ns"));
  EXPECT_THAT(problem([](auto& json) { json["interruptions"][0]["traffic"] = "icmp"; }),
              HasSubstr("\"icmp\" is not known here"));
  EXPECT_THAT(problem([](auto& json) { json["connections"][0]["traffic"] = "dns"; }),
              HasSubstr("connections[0].traffic: \"dns\" is not known here"));
  EXPECT_THAT(problem([](auto& json) { json["nodes"] = {"a"}; }),
              HasSubstr("nodes: at least two nodes are needed"));
  EXPECT_THAT(problem([](auto& json) { json["end_ns"] = INT64_MAX; }),
              HasSubstr("end_ns: more than a week"));
  EXPECT_THAT(problem([](auto& json) { json.erase("nodes"); }), HasSubstr("nodes: missing"));
}

}  // namespace observation_test
}  // namespace overlane::replay
