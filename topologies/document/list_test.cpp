#include <string>

#include <gtest/gtest.h>

#include "topologies/document/syntax/parse.h"

namespace overlane::document {
namespace list_test {

struct List {
  const char* what;
  std::string text;
  std::size_t items;
  /// Of the key `b` in the item with index 1, where there is one.
  int line;
  int column;
};

const List kLists[] = {
    {"as kubectl prints it",
     "apiVersion: v1\nitems:\n- a: 1\n  c: |\n    - x\n- a: 2\n  b: 3\nkind: List\nmetadata:\n  "
     "resourceVersion: \"\"\n",
     2, 7, 3},
    {"with the kind first", "kind: List\napiVersion: v1\nitems:\n- a: 1\n-\n  b: 3\n", 2, 6, 3},
    {"of a kind of its own", "kind: ShootList\nitems:\n- a: 1\n- b: 3\n", 2, 4, 3},
    {"with deeper items", "kind: List\nitems:\n  - a: 1\n  - b: 3\n# end\n", 2, 4, 5},
    {"with a comment and empty lines",
     "# mine\nkind: List\nitems: # these\n\n- a: 1\n\n# next\n\n- b: 3\n", 2, 9, 3},
    {"with Windows line ends", "kind: List\r\nitems:\r\n- a: 1\r\n- b: 3\r\n", 2, 4, 3},
    {"in a later document", "x: 1\n--- # list\nkind: List\nitems:\n- a: 1\n- b: 3\n", 2, 6, 3},
    {"with an alias to another item", "kind: List\nitems:\n- a: &x {b: 1}\n- b: *x\n", 2, 4, 3},
    {"in flow style", "{kind: List, items: [{a: 1},\n {b: 3}]}\n", 2, 2, 3},
    {"in JSON", "{\"kind\": \"List\", \"items\": [{\"a\": \"}\\\"]\"},\n {\"b\": 3}]}\n", 2, 2, 3},
    {"in JSON on one line", "{\"items\":[{\"a\":\"\u00e4\"},{\"b\":3}],\"kind\":\"List\"}", 2, 1,
     22},
    {"in JSON behind another", "{\"a\": 1}\n{\"kind\": \"List\", \"items\": [{}, {\"b\": 3}]}", 2,
     2, 33},
    {"in a flow collection within", "kind: List\nitems: [{a: 1}, {b: 3}]\n", 2, 2, 18},
    {"of nothing but items", "items:\n- a: 1\n- b: 3\n", 2, 3, 3},
    {"of nothing but items, in JSON", "{\"items\": [{\"a\": 1},\n {\"b\": 3}], \"metadata\": {}}",
     2, 2, 3},
    {"quoted key", "kind: List\n\"items\":\n- a: 1\n- b: 3\n", 2, 4, 3},
};

TEST(List, ItemsAreDocumentsWithTheirPathsAndPlaces) {
  for (const List& row : kLists) {
    SCOPED_TRACE(row.what);
    const Stream stream = parse(row.text, "x.yaml");
    EXPECT_TRUE(stream.findings.empty());
    std::size_t index = 0;
    for (const Tree& tree : stream.documents) {
      if (tree.list() == nullptr) continue;
      EXPECT_TRUE(tree.list()->kind.ends_with("List"));
      EXPECT_EQ(tree.root().path(), "items[" + std::to_string(index++) + "]");
      EXPECT_FALSE(tree.root().is_entry());
    }
    EXPECT_EQ(index, row.items);
    const Value b = stream.documents.back().root()["b"];
    EXPECT_EQ(b.path(), "items[1].b");
    EXPECT_EQ(b.key_place(), (SourceLocation{"x.yaml", row.line, row.column}));
  }
}

TEST(List, WhatOnlyLooksLikeAListStaysOneDocument) {
  for (const char* text :
       {"kind: Other\nitems:\n- a: 1\n", "kind: List\nitems: []\n", "kind: List\nitems:\n  a: 1\n",
        "kind: List\nspec:\n  items:\n  - a: 1\n", "{\"kind\": \"List\", \"items\": []}",
        "{\"kind\": \"Other\", \"items\": [1]}", "[{\"items\": [1], \"kind\": \"List\"}]",
        "kind: |\n items:\n - a\nb: List\n"}) {
    const Stream stream = parse(text, "x.yaml");
    ASSERT_EQ(stream.documents.size(), 1u) << text;
    EXPECT_EQ(stream.documents[0].list(), nullptr) << text;
  }
}

const char* const kArrays[] = {
    "[{\"apiVersion\": \"v1\", \"kind\": \"A\"},\n {\"apiVersion\": \"v1\", \"kind\": \"B\", "
    "\"b\": 3}]",
    "# these\n---\n- apiVersion: v1\n  kind: A\n- apiVersion: v1\n  kind: B\n  b: 3\n",
    "[{apiVersion: v1, kind: A}, {apiVersion: v1, kind: B, b: 3}]\n",
    "- &a {apiVersion: v1, kind: A}\n- {apiVersion: v1, kind: B, b: 3, c: *a}\n",
};

TEST(List, AnArrayOfObjectsIsAListToo) {
  for (const char* text : kArrays) {
    const Stream stream = parse(text, "x.yaml");
    EXPECT_TRUE(stream.findings.empty()) << text;
    ASSERT_EQ(stream.documents.size(), 2u) << text;
    const Tree& second = stream.documents[1];
    ASSERT_NE(second.list(), nullptr) << text;
    EXPECT_EQ(second.list()->kind, "List");
    EXPECT_EQ(second.root()["b"].path(), "[1].b");
    EXPECT_EQ(second.root()["b"].path_within_object(), "b");
    EXPECT_EQ(second.root()["b"].text(), "3");
  }
}

TEST(List, AnArrayOfOtherValuesIsOneDocument) {
  for (const char* text : {"[1, 2]", "- a\n- b\n", "[{\"a\": 1}, {\"b\": 2}]", "[]",
                           "[{\"kind\": \"compute#route\", \"name\": \"a\"}]"}) {
    const Stream stream = parse(text, "x.json");
    ASSERT_EQ(stream.documents.size(), 1u) << text;
    EXPECT_EQ(stream.documents[0].list(), nullptr) << text;
    EXPECT_TRUE(stream.documents[0].root().is(Kind::Sequence)) << text;
  }
}

struct Broken {
  const char* what;
  std::string text;
  std::size_t good;
  const char* rule;
  const char* path;
  int line;
};

const Broken kBroken[] = {
    {"an item of YAML", "kind: List\nitems:\n- a: 1\n- b: [\n- c: 3\n", 2, "invalid-yaml",
     "items[1]", 4},
    {"an item with a key twice", "items:\n- a: 1\n- b: 1\n  b: 2\n- c: 3\nkind: List\n", 2,
     "duplicate-key", "items[1]", 4},
    {"an item of JSON", "{\"kind\": \"List\", \"items\": [{\"a\": 1},\n{\"b\" 2},\n{\"c\": 3}]}", 2,
     "invalid-json", "items[1]", 2},
    {"an item of JSON whose text is not closed",
     "{\"kind\": \"List\", \"items\": [\n {\"a\": 1},\n {\"b\": \"2\n },\n {\"c\": 3}]}", 2,
     "invalid-json", "items[1]", 3},
    {"a list of JSON that breaks off in an item",
     "{\"apiVersion\": \"v1\", \"items\": [\n{\"a\": 1},\n{\"b\": 2},\n{\"c\": {\"d", 2,
     "invalid-json", "", 4},
    {"a list of JSON that breaks off behind a comma",
     "{\"kind\": \"List\", \"items\": [{\"a\": 1},\n{\"b\": 2},", 2, "invalid-json", "", 2},
    {"a list of JSON that breaks off before another text",
     "{\"kind\": \"List\", \"items\": [{\"a\": 1},\n{\"b\": [\n{\"c\": 1}\n", 2, "invalid-json", "",
     2},
    {"an item of YAML that is no UTF-8", "kind: List\nitems:\n- a: 1\n- b: \xff\n- c: 3\n", 2,
     "binary-file", "items[1]", 4},
    {"an item of YAML with a NUL byte", std::string("kind: List\nitems:\n- a: \0\n- b: 1\n", 32), 1,
     "binary-file", "items[0]", 3},
    {"an item of JSON that is no UTF-8",
     "{\"kind\": \"List\", \"items\": [{\"a\": 1},\n{\"b\": \"\xff\"},\n{\"c\": 3}]}", 2,
     "binary-file", "items[1]", 2},
    {"one JSON text of several that is no UTF-8", "{\"a\": 1}\n{\"b\": \"\xff\"}\n{\"c\": 3}\n", 2,
     "binary-file", "", 2},
    {"one JSON text of several", "{\"a\": 1}\n{\"b\" 2}\n{\"c\": 3}\n", 2, "invalid-json", "", 2},
    {"an item with a merge key whose anchor stands in another",
     "kind: List\nitems:\n- &a\n  x: 1\n- <<: *a\n  y: 2\n- c: 3\n", 2, "merge-key", "items[1]", 5},
    {"an item with a key twice among aliases",
     "kind: List\nitems:\n- a: &x 1\n- b: *x\n- c: 1\n  c: 2\n", 2, "duplicate-key", "items[2]", 6},
    {"an item with an alias that nothing defines",
     "kind: List\nitems:\n- a: &x 1\n- b: *x\n- c: *y\n- d: 1\n", 3, "invalid-yaml", "items[2]", 5},
    {"an open bracket among aliases", "kind: List\nitems:\n- a: &x 1\n- b: *x\n- c: [\n- d: 1\n", 3,
     "invalid-yaml", "items[2]", 5},
    {"an item with a line that is indented too little",
     "kind: List\nitems:\n  - a: 1\n  - b: 1\n c: 2\n  - d: 3\n", 2, "invalid-yaml", "items[1]", 5},
    {"an item with a line at the margin",
     "items:\n- a: 1\n- b:\nspec: 2\n  c: 1\n- d: 3\nkind: List\n", 2, "invalid-yaml", "items[1]",
     4},
    {"an item in flow style in a list in block style",
     "kind: List\nitems: [{a: 1},\n {b: 1, b: 2}, {c: 3}]\nmetadata: {}\n", 2, "duplicate-key",
     "items[1]", 3},
    {"an item of an array in YAML",
     "- apiVersion: v1\n  kind: A\n- b: [\n- apiVersion: v1\n  kind: C\n", 2, "invalid-yaml", "[1]",
     3},
    {"an item of an array in YAML with aliases",
     "- {apiVersion: v1, kind: A, x: &x 1}\n- <<: *x\n- {apiVersion: v1, kind: C, x: *x}\n", 2,
     "merge-key", "[1]", 2},
    {"an item of an array in JSON",
     "[{\"apiVersion\": \"v1\", \"kind\": \"A\"},\n {\"b\" 2},\n"
     " {\"apiVersion\": \"v1\", \"kind\": \"C\"}]",
     2, "invalid-json", "[1]", 2},
    {"an item of JSON without its last brace",
     "{\"kind\": \"List\", \"items\": [{\"a\": 1},\n{\"b\": {\"x\": 2},\n{\"c\": 3}]}", 2,
     "invalid-json", "items[1]", 2},
    {"an item of JSON without its last brace before another text",
     "{\"kind\": \"List\", \"items\": [{\"b\": {\"x\": 2},\n{\"c\": 3}]}\n{\"d\": 4}\n", 2,
     "invalid-json", "items[0]", 1},
    {"an item of JSON with a brace too many",
     "{\"kind\": \"List\", \"items\": [{\"a\": 1},\n{\"b\": 2}},\n{\"c\": 3}]}", 2, "invalid-json",
     "items[1]", 2},
    {"an item of JSON with a bracket of another kind",
     "{\"kind\": \"List\", \"items\": [{\"a\": 1},\n{\"b\": [2},\n{\"c\": 3}]}", 2, "invalid-json",
     "items[1]", 2},
    {"an item of JSON, as kubectl prints it, with an open list",
     "{\n    \"items\": [\n        {\n            \"a\": 1\n        },\n        {\n            "
     "\"b\": [\n        },\n        {\n            \"c\": 3\n        }\n    ],\n    \"kind\": "
     "\"List\"\n}\n",
     2, "invalid-json", "items[1]", 8},
    {"a JSON text with a brace too many before another",
     "{\"kind\": \"List\", \"items\": [{\"a\": 1}, {\"b\": 2}}]}\n{\"c\": 3}\n", 2, "invalid-json",
     "items[1]", 1},
    {"one that is never closed", "{\"a\": 1}\n{\"b\": [1\n{\"c\": 3}\n", 2, "invalid-json", "", 2},
};

TEST(List, OneBadItemDoesNotHideTheOthers) {
  for (const Broken& row : kBroken) {
    SCOPED_TRACE(row.what);
    const Stream stream = parse(row.text, "x.yaml");
    EXPECT_EQ(stream.documents.size(), row.good);
    ASSERT_EQ(stream.findings.size(), 1u);
    const Finding& finding = stream.findings[0];
    EXPECT_EQ(finding.rule, row.rule) << finding.to_string();
    EXPECT_EQ(finding.path, row.path);
    EXPECT_EQ(finding.place.line, row.line) << finding.to_string();
  }
}

TEST(List, AnItemWhoseAnchorIsInABadOneIsBadToo) {
  const Stream stream =
      parse("kind: List\nitems:\n- a: &x 1\n  a: 2\n- b: *x\n- c: &y 3\n- d: *y\n", "x.yaml");
  ASSERT_EQ(stream.documents.size(), 2u);
  EXPECT_EQ(stream.documents[1].root()["d"].path(), "items[3].d");
  EXPECT_EQ(stream.documents[1].root()["d"].text(), "3");
  ASSERT_EQ(stream.findings.size(), 2u);
  EXPECT_EQ(stream.findings[0].path, "items[0]");
  EXPECT_EQ(stream.findings[1].path, "items[1]");
  EXPECT_NE(stream.findings[1].hint.find("correct the item that defines it"), std::string::npos);
}

}  // namespace list_test
}  // namespace overlane::document
