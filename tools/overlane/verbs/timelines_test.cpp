#include "tools/overlane/verbs/timelines.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tools/overlane/testing/run_overlane.h"

namespace overlane::command {

namespace timelines_test {

using nlohmann::json;
using testing::Contains;
using testing::IsSupersetOf;

/// Checks what the Trace Event Format demands of every event, and returns the events.
json valid_events(const std::string& text) {
  const json file = json::parse(text);
  std::set<std::pair<int, int>> named;
  std::map<std::pair<int, std::string>, double> latest;
  for (const json& event : file.at("traceEvents")) {
    const std::string phase = event.at("ph");
    EXPECT_THAT((std::set<std::string>{"M", "X", "i", "C"}), Contains(phase));
    EXPECT_TRUE(event.at("name").is_string());
    EXPECT_GE(event.at("ts").get<double>(), 0);
    const std::pair<int, int> track{event.at("pid"), event.at("tid")};
    if (phase == "M") {
      EXPECT_TRUE(event.at("args").is_object());
      named.insert(track);
      continue;
    }
    EXPECT_TRUE(named.contains(track)) << event;
    if (phase == "X") {
      EXPECT_GE(event.at("dur").get<double>(), 0);
    }
    if (phase == "i") {
      EXPECT_EQ(event.at("s"), "t");
    }
    if (phase == "C") {
      EXPECT_FALSE(event.at("args").empty());
      for (const json& value : event.at("args"))
        EXPECT_TRUE(value.is_number()) << event;
      double& before = latest[{event.at("pid"), event.at("name")}];
      EXPECT_GE(event.at("ts").get<double>(), before) << event;
      before = event.at("ts");
    }
  }
  return file.at("traceEvents");
}

std::set<std::string> names_of(const json& events, const std::string& metadata) {
  std::set<std::string> names;
  for (const json& event : events)
    if (event["name"] == metadata) names.insert(event["args"]["name"].get<std::string>());
  return names;
}

TEST(MigrationTimeline, HasAProcessPerStrategyAndATrackPerComponent) {
  const Answer answer =
      run_overlane("migrate shoot-openstack --to routed --runs 1 --perfetto - --out /dev/null");
  const json events = valid_events(answer.out);
  const std::set<std::string> processes = names_of(events, "process_name");
  EXPECT_EQ(std::ranges::count_if(
                processes, [](const std::string& name) { return name.ends_with("(recommended)"); }),
            1);
  EXPECT_THAT(names_of(events, "thread_name"), IsSupersetOf({"switch", "gardenlet"}));
  double most = 0;
  std::map<int, double> last;
  for (const json& event : events) {
    if (event["ph"] != "C") continue;
    most = std::max(most, event["args"]["pairs"].get<double>());
    last[event["pid"]] = event["args"]["pairs"];
  }
  EXPECT_GT(most, 0);
  EXPECT_EQ(last.size(), processes.size());
}

TEST(RunTimeline, HasCountersOfEachVariant) {
  const Answer answer =
      run_overlane("run shoot-aws --no-ranges --series=100ms --perfetto - --out /dev/null");
  const json events = valid_events(answer.out);
  EXPECT_THAT(names_of(events, "process_name"),
              IsSupersetOf({"variant routed: bulk", "variant ipip: bulk", "variant vxlan: bulk"}));
  EXPECT_TRUE(std::ranges::any_of(events, [](const json& event) {
    return event["name"] == "bulk: goodput, bit/s" && event["args"]["goodput"] > 1e6;
  }));
  EXPECT_TRUE(std::ranges::any_of(
      events, [](const json& event) { return event["name"] == "all nodes: CPU use, %"; }));
}

TEST(RunTimeline, NeedsSeries) {
  EXPECT_EQ(run_overlane("run shoot-aws --perfetto x.json").exit_code, 2);
}

}  // namespace timelines_test

}  // namespace overlane::command
