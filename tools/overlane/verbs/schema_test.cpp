#include <algorithm>
#include <map>
#include <string>

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

using Texts = std::map<std::string, std::string>;

/// The description of each field, by its path.
void list_texts(const FileKind& kind, const Shape& shape, const std::string& path, Texts& texts) {
  if (!path.empty() && !shape.removed) texts[path] = kind.text_of(path, shape);
  if (shape.item) list_texts(kind, *shape.item, path + "[]", texts);
  for (const auto& [key, entry] : shape.entries)
    list_texts(kind, entry, path.empty() ? key : path + "." + key, texts);
}

Texts texts_of(const FileKind& kind) {
  Texts texts;
  list_texts(kind, document::explore(kind.decode), "", texts);
  return texts;
}

TEST(Schema, EveryFieldHasADescription) {
  for (const FileKind& kind : file_kinds()) {
    const Texts texts = texts_of(kind);
    EXPECT_GT(texts.size(), 10u) << kind.name;
    for (const auto& [path, text] : texts)
      EXPECT_FALSE(text.empty()) << kind.name << ": " << path;
  }
}

TEST(Schema, EveryDescriptionHasAField) {
  for (const FileKind& kind : file_kinds()) {
    const Texts texts = texts_of(kind);
    for (const FieldText& text : kind.texts) {
      const bool used = std::ranges::any_of(
          texts, [&](const auto& described) { return described.second == text.text; });
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
  EXPECT_EQ(nlohmann::json::parse(one.out)["$id"],
            "https://overlane.dev/v1alpha1/calico-network-config.json");
  const Answer report = run_overlane("schema run-report");
  EXPECT_EQ(nlohmann::json::parse(report.out)["title"], "run-report");
  const Answer none = run_overlane("schema shoot");
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("choose one of scenario, migration-strategy"));
}

}  // namespace schema_test
}  // namespace overlane::command
