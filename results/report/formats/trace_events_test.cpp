#include "results/report/formats/trace_events.h"

#include <gtest/gtest.h>

namespace overlane::report {

namespace trace_events_test {

using Json = nlohmann::json;

TEST(TraceEvents, HasMetadataOfEachProcessAndTrack) {
  TraceEvents trace;
  trace.process("a");
  trace.slice("x", "state", 1.5, 4);
  trace.instant("y", "change", 2);
  trace.instant("x", "other", 3);
  trace.process("b");
  trace.counter("pairs", 7, {{"lost", 3}});
  const Json file = Json::parse(trace.to_string());
  std::string phases;
  for (const Json& event : file["traceEvents"]) {
    phases += event["ph"].get<std::string>();
    for (const char* key : {"name", "ts", "pid", "tid"})
      EXPECT_TRUE(event.contains(key)) << event;
  }
  EXPECT_EQ(phases, "MMMMXMMiiMMC");
  const Json& slice = file["traceEvents"][4];
  EXPECT_EQ(slice, Json::parse(R"({"name": "state", "ph": "X", "ts": 1.5, "dur": 2.5, "pid": 1,
                                   "tid": 1})"));
  EXPECT_EQ(file["traceEvents"][8]["tid"], 1);
  EXPECT_EQ(file["traceEvents"][11]["args"], Json({{"lost", 3.0}}));
  EXPECT_EQ(file["traceEvents"][11]["pid"], 2);
}

TEST(TraceEvents, AreValidWithoutEvents) {
  EXPECT_TRUE(Json::parse(TraceEvents().to_string())["traceEvents"].empty());
}

}  // namespace trace_events_test

}  // namespace overlane::report
