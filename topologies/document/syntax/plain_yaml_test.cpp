#include "topologies/document/syntax/plain_yaml.h"

#include <string>

#include <gtest/gtest.h>

#include "topologies/document/syntax/yaml_events.h"
#include "topologies/document/testing/same_tree.h"

namespace overlane::document {

namespace plain_yaml_test {

const Origin kOrigin{"x.yaml"};

/// yaml_fuzz.cpp checks that both parsers agree.
TEST(PlainYaml, ReadsWhatProgramsPrint) {
  for (const std::string text : {
           "---\napiVersion: v1\nkind: Shoot\nmetadata:\n  name: a\n  labels: {}\nspec:\n"
           "  zones: []\n  workers:\n  - name: b\n    zones:\n    - \"1\"\n    - 'eu 1a'\n"
           "    maximum: -1\n  nodes: null\n",
           "managedFields:\n- fieldsV1:\n    f:metadata:\n      .: {}\n"
           "      k:{\"type\":\"Ready\"}: {}\n      \"f:a\": {}\n",
           "# a comment\n\na:\n\n  # another\n  - b\n  - c: d\n\n# and one\ne: fd00::/48\n",
           "a: |\n  {\"b\": \"c\"}\n    d: # e\n  f\ng:\n- |\n h\n- i\n  j, k (l)\n  m\n",
           "a: b\n# behind a text, no further right\nc:\n    - d\n    - e:\n        f: g",
       }) {
    const auto plain = parse_plain_yaml(text, kOrigin, {});
    ASSERT_TRUE(plain) << text;
    const auto tree = parse_yaml(text, kOrigin, {});
    ASSERT_TRUE(tree) << text;
    testing::require_same(plain->root(), tree->root());
  }
}

TEST(PlainYaml, ReadsItemsOfAList) {
  const std::string text = "- a: 1\n  b:\n  - c\n- d\n- e: {}\n";
  const auto plain = parse_plain_yaml_items(text, kOrigin, 7, std::make_shared<ListHead>());
  ASSERT_TRUE(plain);
  ASSERT_EQ(plain->size(), 3u);
  EXPECT_EQ((*plain)[0].root()["b"].begin().operator*().path(), "items[7].b[0]");
  EXPECT_EQ((*plain)[1].root().text(), "d");
  EXPECT_EQ((*plain)[2].root()["e"].place().to_string(), "x.yaml:5:6");
  EXPECT_FALSE(parse_plain_yaml_items("a: 1\n", kOrigin, 0, std::make_shared<ListHead>()));
}

TEST(PlainYaml, LeavesTheRestToYamlCpp) {
  for (const std::string text : {
           // Other YAML.
           "a: {b: c}",
           "a: [b]",
           "a: |\n  b",
           "a: |\n  b\n\n  c\n",
           "a: |\nb: c\n",
           "a: |-\n  b\n",
           "a: >-\n  b",
           "a: &b c",
           "a: !b c",
           "a: b # c",
           "a: b\n\n    c",
           "a: b\n  # c\nd: e",
           "a:\nb: c",
           "- a\n-\n- b",
           "- - a",
           "- \n- a",
           "-  a",
           "a:  b",
           "a : b",
           "a: \"b\\n\"",
           "a: 'b''c'",
           "a: \"b\n  c\"",
           "a: ~",
           "a: NULL",
           "null: a",
           "? a\n: b",
           "a",
           "{}",
           "\"a\"",
           "a: \xc3\xa9",
           "a:\tb",
           "a: b\r\nc: d",
           "",
           "# a",
           "--- # a\nb: c",
           "%YAML 1.2\n---\na: b",
           "a: b\n...\n",
           "a b: c",
           // Invalid or refused YAML.
           "a: b\n---\nc: d",
           "a: b: c",
           "a: b:",
           "a: b\na: c",
           "a: b\n c: d",
           "  a: b\n c: d",
           "a:\n  - b\n c: d",
           "a:\n- b\n - c",
           "a: b\n- c",
           "- a\nb: c",
           "a: @b",
           "a: `b`",
           "a: %b",
           "a: \"b\" c",
           "<<: a",
           "...: a",
           "a: - b",
           "a: b\nc",
       })
    EXPECT_FALSE(parse_plain_yaml(text, kOrigin, {})) << text;
}

TEST(PlainYaml, LeavesWhatIsTooDeepToYamlCpp) {
  std::string text;
  for (std::size_t depth = 0; depth <= 200; ++depth) {
    if (depth > 0) text += '\n' + std::string(depth, ' ');
    text += "a:";
    EXPECT_EQ(bool(parse_plain_yaml(text + " b", kOrigin, {})), depth < 200) << depth;
  }
}

}  // namespace plain_yaml_test

}  // namespace overlane::document
