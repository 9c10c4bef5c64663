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
}  // namespace overlane::document
