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

}  // namespace list_test
}  // namespace overlane::document
