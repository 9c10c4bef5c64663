#include "topologies/document/syntax/parse.h"

#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/document/syntax/yaml_events.h"

namespace overlane::document {

namespace parse_test {

using ::testing::HasSubstr;

struct Refused {
  const char* what;
  std::string text;
  const char* rule;
  int line;
  int column;
};

std::string repeated(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i)
    all += text;
  return all;
}

std::string alias_bomb() {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i)
    text += fmt::format("a{0}: &a{0} [*a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}]\n", i,
                        i - 1);
  return text;
}

const Refused kRefused[] = {
    {"an empty file", "", "empty-file", 1, 1},
    {"only comments and markers", "# nothing\n---\n...\n", "empty-file", 1, 1},
    {"a NUL byte", std::string("kind: Shoot\nna\0me: x\n", 21), "binary-file", 2, 3},
    {"a byte that is no UTF-8", "a: 1\nb: \xc3\x28\n", "binary-file", 2, 4},
    {"UTF-16", std::string("\xff\xfek\0", 4), "binary-file", 1, 1},
    {"an overlong sequence", "a: \xc0\xaf\n", "binary-file", 1, 4},
    {"content after a document end", "kind: Shoot\nmetadata:\n...\nspec:\n", "elision", 3, 1},
    {"the same with Windows line ends", "kind: Shoot\r\n...\r\nspec:\r\n", "elision", 2, 1},
    {"an indented ellipsis after a mapping", "spec:\n  a:\n    b: 1\n  ...\n", "elision", 4, 3},
    {"a Helm template", "spec:\n  {{- if .Values.x }}\n  a: 1\n", "template", 2, 3},
    {"a template as the value", "spec:\n  pods: {{ .Values.pods }}\n", "template", 2, 9},
    {"Terraform", "variable \"pods\" {\n  default = \"10.0.0.0/8\"\n}\n", "other-format", 1, 1},
    {"Terraform with colons", "# main\nresource \"x\" \"y\" {\n  a = { b : 1 }\n}\n",
     "other-format", 2, 1},
    {"a shell script", "#!/bin/sh\nset -e\nkubectl get nodes | grep -v x:\n", "other-format", 1, 1},
    {"a here document", "kubectl apply -f - <<EOF\nkind: Shoot\nspec: {}\nEOF\n", "other-format", 1,
     20},
    {"a quoted here document", "cat <<-'YAML' | kubectl apply -f -\nkind: Shoot\n", "other-format",
     1, 5},
    {"a Mako template", "spec:\n% for pool in pools:\n  - a: 1\n% endfor\n", "template", 2, 1},
    {"a Jinja template", "spec:\n  {% if x %}\n  a: 1\n  {% endif %}\n", "template", 2, 3},
    {"an ERB template", "spec:\n  <% if x %>\n  a: 1\n  <% end %>\n", "template", 2, 3},
    {"Markdown", "# Shoot\n\nLike this:\n\n```yaml\nkind: Shoot\n```\n", "other-format", 5, 1},
    {"a duplicate key", "spec:\n  a: 1\n  b: 2\n  a: 3\n", "duplicate-key", 4, 3},
    {"a duplicate key in JSON", "{\"a\": 1,\n \"a\": 2}", "duplicate-key", 2, 2},
    {"a merge key", "a: &a {b: 1}\nc:\n  <<: *a\n", "merge-key", 3, 3},
    {"a mapping as key", "{a: 1}: 2\n", "invalid-yaml", 1, 1},
    {"a tab as indentation", "spec:\n\ta: 1\n", "invalid-yaml", 2, 3},
    {"an open quote", "a: \"x\nb: 1\n", "invalid-yaml", 2, 5},
    {"an open quote before the end", "a: \"x\nb: 1", "invalid-yaml", 2, 5},
    {"an open quote before empty lines", "a: 'x\nb: 1\n\n\n", "invalid-yaml", 2, 5},
    {"an unknown alias", "a: *nothing\n", "invalid-yaml", 1, 4},
    {"an alias to a key", "&a kind: Shoot\nx: *a\n", "invalid-yaml", 2, 4},
    {"an alias inside itself", "a: &a\n  b: *a\n", "invalid-yaml", 2, 6},
    {"an alias bomb", alias_bomb(), "alias-limit", 6, 0},
    {"10,000 nested lists", repeated("[", 10'000) + repeated("]", 10'000), "nesting-limit", 1, 201},
    {"10,000 nested block lists", repeated("- ", 10'000) + "x\n", "nesting-limit", 1, 401},
    {"10,000 nested mappings", repeated("{a: ", 10'000) + repeated("}", 10'000), "nesting-limit", 1,
     801},
    {"10,000 nested JSON objects", repeated("{\"a\":", 10'000) + "1" + repeated("}", 10'000),
     "nesting-limit", 1, 1001},
    {"10,000 keys within keys", repeated("? ", 10'000) + "a\n", "invalid-yaml", 1, 3},
    {"10,000 nested lists in a block", "a:\n- " + repeated("[", 10'000) + repeated("]", 10'000),
     "nesting-limit", 2, 201},
    {"10,000 nested lists of a list",
     "kind: List\nitems:\n- " + repeated("[", 10'000) + repeated("]", 10'000), "nesting-limit", 3,
     201},
    {"a syntax error beside a block of text with `...`", "a: |\n  ...\nb: [\n", "invalid-yaml", 3,
     5},
    {"a syntax error beside a block of text with `{{`", "a:\n- b: >-\n    {{ x }}\n  c: ]\n",
     "invalid-yaml", 4, 6},
    {"a syntax error beside a quoted template", "a: \"{{ x }}\"\nb: [\n", "invalid-yaml", 2, 5},
    {"JSON with a letter too few", "{\"a\": [1, 2}\n", "invalid-json", 1, 0},
    {"JSON without a colon", "{\"a\": 1,\n \"b\" 2}\n", "invalid-json", 2, 0},
    {"half a surrogate pair in JSON", "{\"a\": \"\\ud800\"}", "invalid-json", 1, 7},
    {"a second root", "a: 1\n]\n", "invalid-yaml", 2, 1},
};

TEST(Parse, RefusesWithRuleLineAndColumn) {
  for (const Refused& row : kRefused) {
    SCOPED_TRACE(row.what);
    const Stream stream = parse(row.text, "x.yaml");
    EXPECT_TRUE(stream.documents.empty());
    ASSERT_EQ(stream.findings.size(), 1u);
    const Finding& finding = stream.findings.front();
    EXPECT_EQ(finding.rule, row.rule) << finding.to_string();
    EXPECT_EQ(finding.place.file, "x.yaml");
    EXPECT_EQ(finding.place.line, row.line) << finding.to_string();
    if (row.column > 0) {
      EXPECT_EQ(finding.place.column, row.column) << finding.to_string();
    }
    EXPECT_FALSE(finding.message.empty());
  }
}

TEST(Parse, OtherFormatsAreNamedWithWhatToDo) {
  const auto finding = [](const char* text) {
    const Stream stream = parse(text, "x.yaml");
    return stream.findings.empty() ? Finding{} : stream.findings.front();
  };
  const Finding helm = finding("spec:\n  {{- if .Values.x }}\n  a: 1\n");
  EXPECT_THAT(helm.message, HasSubstr("this is a Helm or Go template"));
  EXPECT_THAT(helm.hint, HasSubstr("`helm template`"));
  const Finding terraform = finding("resource \"a\" \"b\" {\n}\n");
  EXPECT_THAT(terraform.message, HasSubstr("this is Terraform (HCL)"));
  const Finding shell = finding("kubectl apply -f - <<EOF\nkind: Shoot\nspec: {}\nEOF\n");
  EXPECT_THAT(shell.hint, HasSubstr("run it with `cat`"));
}

TEST(Parse, TextsOfManifestsMayLookLikeOtherFormats) {
  for (const char* text :
       {"run: |\n  cat <<EOF\n  x\n  EOF\n", "# {{ x }} and {% y %}\na: \"<% z %>\"\n",
        "a: 'resource \"x\" {'\n", "- \"```\"\n"}) {
    const Stream stream = parse(text, "x.yaml");
    EXPECT_TRUE(stream.findings.empty()) << text;
  }
}

TEST(Parse, AnOpenBracketIsToldAsSuch) {
  for (const char* text : {"w: [a, {b\n{c: d}\n", "a: {\n{b: c}\n",
                           "zones: [a, b\nworkers: {x: y}\n", "w: {a, [b\n", "w: [{z: [x, y}]\n"}) {
    const Stream stream = parse(text, "x.yaml");
    ASSERT_EQ(stream.findings.size(), 1u) << text;
    EXPECT_THAT(stream.findings[0].hint, HasSubstr("close the bracket")) << text;
  }
}

TEST(Parse, KeepsPlacesAcrossDocumentsAndLineEnds) {
  const Stream stream =
      parse("# first\na: 1\r\n---\r\n\r\nb:\r\n  c: x\r\n...\n---\nd: 2\n", "x.yaml");
  ASSERT_EQ(stream.documents.size(), 3u);
  const Value c = stream.documents[1].root()["b"]["c"];
  EXPECT_EQ(c.text(), "x");
  EXPECT_EQ(c.place(), (SourceLocation{"x.yaml", 6, 6}));
  EXPECT_EQ(c.key_place(), (SourceLocation{"x.yaml", 6, 3}));
  EXPECT_EQ(c.path(), "b.c");
  EXPECT_EQ(stream.documents[2].root()["d"].place(), (SourceLocation{"x.yaml", 9, 4}));
}

TEST(Parse, WindowsLineEndsReadLikeOthers) {
  const Stream stream = parse("a: 1\r\nb: x\r\n---\r\nc: y\r\n", "x.yaml");
  ASSERT_EQ(stream.documents.size(), 2u);
  EXPECT_EQ(stream.documents[0].root()["b"].text(), "x");
  EXPECT_EQ(stream.documents[1].root()["c"].text(), "y");
}

TEST(Parse, OneBadDocumentDoesNotHideTheOthers) {
  const Stream stream = parse("a: 1\n---\nb: [\n---\nc: 3\n", "x.yaml");
  EXPECT_EQ(stream.documents.size(), 2u);
  ASSERT_EQ(stream.findings.size(), 1u);
  EXPECT_EQ(stream.findings[0].rule, "invalid-yaml");
}

TEST(Parse, AnElisionRefusesItsDocumentOnly) {
  const Stream stream = parse("a: 1\n---\nb:\n...\nc: 3\n---\nd: 4\n", "x.yaml");
  ASSERT_EQ(stream.documents.size(), 2u);
  EXPECT_TRUE(stream.documents[1].root()["d"].exists());
  ASSERT_EQ(stream.findings.size(), 1u);
  EXPECT_EQ(stream.findings[0].rule, "elision");
  EXPECT_EQ(stream.findings[0].place.line, 4);
  EXPECT_EQ(parse("a: 1\n...\n# the end\n---\nb: 2\n...\n", "x.yaml").documents.size(), 2u);
}

TEST(Parse, DashesInsideABlockOfTextAreNotDocumentMarkers) {
  const Stream stream = parse("a: |\n  ---\n  ...\n  {{ x }}\nb: 1\n", "x.yaml");
  ASSERT_EQ(stream.documents.size(), 1u);
  EXPECT_EQ(stream.documents[0].root()["a"].text(), "---\n...\n{{ x }}\n");
}

TEST(Parse, ReadsJson) {
  const Stream stream =
      parse("{\"spec\": {\"pods\": \"100.96.0.0/11\", \"n\": [1, true]}}", "x.json");
  ASSERT_EQ(stream.documents.size(), 1u);
  const Value spec = stream.documents[0].root()["spec"];
  EXPECT_EQ(spec["pods"].text(), "100.96.0.0/11");
  EXPECT_EQ((*spec["n"].begin()).as_integer(), 1);
}

TEST(Parse, JsonKeepsItsDigitsAndCharacters) {
  const Stream stream = parse(
      "{\"n\": [-0, 18446744073709551616, 1E400, 0.10, 2.50e-1], \"t\": "
      "\"\\u0000\\ud83d\\ude00\\/\\n\","
      " \"\\u0061\\\"\": \"yes\", \"e\": [{}, [], null, \"\"]}",
      "x.json");
  ASSERT_EQ(stream.documents.size(), 1u);
  const Value root = stream.documents[0].root();
  std::string numbers;
  for (const Value number : root["n"])
    numbers += std::string(number.text()) + " ";
  EXPECT_EQ(numbers, "-0 18446744073709551616 1E400 0.10 2.50e-1 ");
  EXPECT_EQ(root["t"].text(), std::string_view("\0\xf0\x9f\x98\x80/\n", 7));
  EXPECT_EQ(root["a\""].scalar_type(), ScalarType::String);
  EXPECT_EQ(root["e"].size(), 4u);
}

TEST(Parse, WhatIsNoJsonMayBeFlowYaml) {
  const Stream stream = parse("{a: b, c: ['d', \"e\",],}\n--- [1,] # two\n", "x.yaml");
  ASSERT_EQ(stream.documents.size(), 2u);
  EXPECT_EQ(stream.documents[0].root()["c"].size(), 2u);
  EXPECT_EQ(stream.documents[1].root().place(), (SourceLocation{"x.yaml", 2, 5}));
}

TEST(Parse, JsonTextsMayFollowEachOther) {
  const Stream stream = parse("{\"a\": 1} {\"b\": \"}{\"}\n\n[3]\n---\n{\"d\": 4}\n", "x.json");
  ASSERT_EQ(stream.documents.size(), 4u);
  EXPECT_EQ(stream.documents[1].root()["b"].place(), (SourceLocation{"x.json", 1, 16}));
  EXPECT_EQ(stream.documents[3].root()["d"].place().line, 5);
}

TEST(Parse, LinesMayEndWithACarriageReturn) {
  const Stream stream = parse("a: 1\rb:\r  c: x\r---\rd: 2\r", "x.yaml");
  ASSERT_EQ(stream.documents.size(), 2u);
  EXPECT_EQ(stream.documents[0].root()["b"]["c"].place(), (SourceLocation{"x.yaml", 3, 6}));
}

TEST(Parse, ABlockOfTextKeepsItsLastLineEnd) {
  const Stream stream = parse("a: |\n  x\n---\nb: |-\n  y\n---\nc: |\n  z", "x.yaml");
  ASSERT_EQ(stream.documents.size(), 3u);
  EXPECT_EQ(stream.documents[0].root()["a"].text(), "x\n");
  EXPECT_EQ(stream.documents[1].root()["b"].text(), "y");
  EXPECT_EQ(stream.documents[2].root()["c"].text(), "z");
}

TEST(Parse, ColumnsCountCharacters) {
  for (const char* text : {"\u00e4\u00f6: {\"\u00fc\": x}\n", "{\"\u00f6\": {\"\u00fc\": 7}}\n"})
    EXPECT_EQ(
        parse(text, "x.yaml").documents.at(0).root().begin().operator*()["\u00fc"].place().column,
        text[0] == '{' ? 13 : 11);
}

TEST(Parse, ATreeOfShortValuesIsFourTimesItsTextAtMost) {
  std::string text;
  for (int i = 0; i < 200; ++i)
    text += fmt::format("- name: worker-{0}\n  machine:\n    type: m5.large\n  minimum: {0}\n", i);
  const Stream stream = parse(text, "x.yaml");
  EXPECT_LT(stream.documents.at(0).memory(), text.size() * 4);
}

TEST(Parse, AliasesAreCopiesWithTheirAnchorsPlaces) {
  const Stream stream = parse("a: &a\n  b: 1\nc: *a\n", "x.yaml");
  ASSERT_EQ(stream.documents.size(), 1u);
  const Value b = stream.documents[0].root()["c"]["b"];
  EXPECT_EQ(b.as_integer(), 1);
  EXPECT_EQ(b.place().line, 2);
  EXPECT_EQ(b.path(), "c.b");
}

TEST(Parse, AByteOrderMarkIsNoContent) {
  EXPECT_EQ(parse("\xef\xbb\xbf"
                  "a: 1\n",
                  "x.yaml")
                .documents.size(),
            1u);
}

TEST(Parse, FindingsStayOnOneLine) {
  const Stream stream = parse("{\"a\\nb\": 1, \"a\\nb\": 2}", "x.json");
  ASSERT_EQ(stream.findings.size(), 1u);
  EXPECT_EQ(stream.findings[0].message,
            "the key a\\nb stands twice in one mapping, first in line 1");
}

TEST(Parse, ManyListItemsKeepTheirPaths) {
  constexpr int kItems = 20'000;
  const Stream stream = parse(repeated("- a\n", kItems), "x.yaml");
  ASSERT_EQ(stream.documents.size(), 1u);
  int index = 0;
  for (const Value item : stream.documents[0].root())
    ASSERT_EQ(item.path(), fmt::format("[{}]", index++));
  EXPECT_EQ(index, kItems);
}

TEST(Parse, NeverRepeatsTheTextItRefuses) {
  for (const char* text : {"data:\n  password: \"hunter2\n", "password: hunter2\n...\nb: 1\n",
                           "a: hunter2\n\tb: {{ hunter2 }}\n"})
    for (const Finding& finding : parse(text, "x.yaml").findings)
      EXPECT_THAT(finding.to_string(), ::testing::Not(HasSubstr("hunter2")));
}

}  // namespace parse_test

namespace list_test {

struct List {
  const char* what;
  std::string text;
  std::size_t items;
  /// Location of the key `b` in the item with index 1, where there is one.
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
    {"an item of JSON that is a comment",
     "{\"kind\": \"List\", \"items\": [{\"a\": 1},\n#{\"b\": 2},\n{\"c\": 3}]}", 2, "invalid-json",
     "items[1]", 2},
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
