#include "results/base/json_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace overlane {

namespace json_reader_test {

using Json = nlohmann::ordered_json;

struct Point {
  std::int64_t x = 0;
  std::vector<std::string> names;
};

Point decode(const JsonReader& json) {
  return {.x = json["at"]["x"].integer(), .names = json["names"].strings()};
}

std::string problem_of(const char* text) {
  const auto point = read_json(Json::parse(text), decode);
  return point ? "" : point.error();
}

TEST(JsonReader, ReadsWhatIsThere) {
  const auto point = read_json(Json::parse(R"({"at":{"x":7},"names":["a","b"]})"), decode);
  ASSERT_TRUE(point) << point.error();
  EXPECT_EQ(point->x, 7);
  EXPECT_THAT(point->names, testing::ElementsAre("a", "b"));
}

TEST(JsonReader, NamesTheFirstFieldThatIsWrong) {
  struct Case {
    const char* text;
    const char* problem;
  };
  constexpr Case kCases[] = {
      {R"({})", "at: missing"},
      {R"([])", "not an object"},
      {R"({"at":3,"names":[]})", "at: not an object"},
      {R"({"at":{},"names":3})", "at.x: missing"},
      {R"({"at":{"x":"7"},"names":[]})", "at.x: not a 64-bit integer"},
      {R"({"at":{"x":7.5},"names":[]})", "at.x: not a 64-bit integer"},
      {R"({"at":{"x":9223372036854775808},"names":[]})", "at.x: not a 64-bit integer"},
      {R"({"at":{"x":7},"names":{}})", "names: not a list"},
      {R"({"at":{"x":7},"names":["a",2]})", "names[1]: not a string"},
  };
  for (const Case& row : kCases)
    EXPECT_EQ(problem_of(row.text), row.problem) << row.text;
}

TEST(JsonReader, NullIsLikeAMemberThatIsNotThere) {
  const Json json = Json::parse(R"({"null":null,"zero":0})");
  std::string problem;
  const JsonReader reader(json, problem);
  EXPECT_FALSE(reader.maybe("null"));
  EXPECT_FALSE(reader.maybe("absent"));
  EXPECT_EQ(reader.maybe("zero")->integer(), 0);
  EXPECT_EQ(problem, "");
}

TEST(JsonReader, AnotherKindOrVersionIsNamed) {
  const auto why = [](const char* text) {
    return wrong_kind(Json::parse(text), "RunReport", 2).value_or("");
  };
  EXPECT_EQ(why(R"({"schema_version":2,"kind":"RunReport"})"), "");
  EXPECT_EQ(why(R"({"schema_version":3,"kind":"RunReport"})"),
            "schema_version 3 of RunReport; this program reads version 2");
  EXPECT_EQ(why(R"({"schema_version":2,"kind":"Version"})"), "a Version, not a RunReport");
  EXPECT_EQ(why(R"({"kind":"RunReport"})"), "no document of overlane: schema_version: missing");
  EXPECT_EQ(why("7"), "no document of overlane: not an object");
}

}  // namespace json_reader_test

}  // namespace overlane
