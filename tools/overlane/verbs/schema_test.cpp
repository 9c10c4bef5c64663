#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tools/overlane/schema/json_schema.h"
#include "tools/overlane/testing/run_overlane.h"
#include "topologies/document/fields/shape.h"

namespace overlane::command {
namespace schema_test {

using document::Shape;
using testing::HasSubstr;

void list_paths(const Shape& shape, const std::string& path, std::set<std::string>& paths) {
  if (!path.empty() && !shape.removed) paths.insert(path);
  if (shape.item) list_paths(*shape.item, path + "[]", paths);
  for (const auto& [key, entry] : shape.entries)
    list_paths(entry, path.empty() ? key : path + "." + key, paths);
}

std::set<std::string> paths_of(const FileKind& kind) {
  std::set<std::string> paths;
  list_paths(document::explore(kind.decode), "", paths);
  return paths;
}

TEST(Schema, EveryFieldHasADescription) {
  for (const FileKind& kind : file_kinds()) {
    const std::set<std::string> paths = paths_of(kind);
    EXPECT_GT(paths.size(), 10u) << kind.name;
    for (const std::string& path : paths)
      EXPECT_FALSE(kind.text_of(path).empty()) << kind.name << ": " << path;
  }
}

TEST(Schema, EveryDescriptionHasAField) {
  for (const FileKind& kind : file_kinds()) {
    const std::set<std::string> paths = paths_of(kind);
    for (const FieldText& text : kind.texts) {
      const bool used = std::any_of(paths.begin(), paths.end(), [&](const std::string& path) {
        return kind.text_of(path) == text.text;
      });
      EXPECT_TRUE(used) << kind.name << ": " << text.path;
    }
  }
}

TEST(Schema, DescribesWhatTheDecoderAccepts) {
  const FileKind& scenario = file_kinds()[0];
  const auto schema = json_schema(scenario);
  EXPECT_EQ(schema["required"], (nlohmann::json{"apiVersion", "kind", "metadata", "spec"}));
  const auto& traffic = schema["properties"]["spec"]["properties"]["traffic"]["items"];
  EXPECT_EQ(traffic["additionalProperties"], false);
  EXPECT_EQ(traffic["properties"]["flows"]["maximum"], 100'000);
  const auto of_udp = std::ranges::find_if(traffic["allOf"], [](const nlohmann::json& rule) {
    return rule["if"]["properties"]["kind"]["enum"] == nlohmann::json{"udp"};
  });
  ASSERT_NE(of_udp, traffic["allOf"].end());
  EXPECT_EQ((*of_udp)["then"]["required"], (nlohmann::json{"rate", "payloadBytes"}));
  EXPECT_EQ((*of_udp)["else"]["properties"]["rate"], false);
}

TEST(Schema, IsPrintedByName) {
  const Answer list = run_overlane("schema");
  EXPECT_EQ(list.exit_code, 0);
  EXPECT_THAT(list.out, HasSubstr("network-provider        a network extension"));
  const Answer one = run_overlane("schema calico-network-config");
  EXPECT_EQ(nlohmann::json::parse(one.out)["title"], "calico-network-config");
  const Answer report = run_overlane("schema run-report");
  EXPECT_EQ(nlohmann::json::parse(report.out)["title"], "run-report");
  const Answer none = run_overlane("schema shoot");
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("choose one of scenario, migration-strategy"));
}

}  // namespace schema_test
}  // namespace overlane::command
