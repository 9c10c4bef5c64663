#include "topologies/document/fields/fields.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/document/syntax/parse.h"
#include "topologies/document/tree/tree.h"

namespace overlane::document {

namespace fields_test {

Tree tree(const std::string& text) {
  Stream stream = parse(text, "x.yaml");
  EXPECT_EQ(stream.documents.size(), 1u) << text;
  return stream.documents.at(0);
}

struct Scalar {
  const char* yaml;
  ScalarType type;
};

TEST(Value, TypesPlainScalarsAsKubernetesDoes) {
  const Scalar rows[] = {
      {"true", ScalarType::Bool},
      {"Yes", ScalarType::Bool},
      {"off", ScalarType::Bool},
      {"\"yes\"", ScalarType::String},
      {"'1440'", ScalarType::String},
      {"1440", ScalarType::Integer},
      {"-1", ScalarType::Integer},
      {"0x10", ScalarType::Integer},
      {"010", ScalarType::Integer},
      {"1_000", ScalarType::Integer},
      {"!!str 5", ScalarType::String},
      {"1.5", ScalarType::Float},
      {"1e3", ScalarType::Float},
      {".inf", ScalarType::String},
      {"10.0.0.0/8", ScalarType::String},
      {"1.32.0", ScalarType::String},
      {"--1", ScalarType::String},
      {"09", ScalarType::Float},
      {"99999999999999999999", ScalarType::Float},
  };
  for (const Scalar& row : rows)
    EXPECT_EQ(tree(std::string("a: ") + row.yaml).root()["a"].scalar_type(), row.type) << row.yaml;
  EXPECT_EQ(tree("a: 010").root()["a"].as_integer(), 8);
  EXPECT_EQ(tree("a: 0o17").root()["a"].as_integer(), 15);
}

TEST(Value, ReadsOfNothingAreNothing) {
  const Tree held = tree("a: {b: ~, c: 1}");
  const Value root = held.root();
  EXPECT_FALSE(root["x"]["y"]["z"].exists());
  EXPECT_TRUE(root["a"]["b"].exists());
  EXPECT_FALSE(root["a"]["b"]);
  EXPECT_FALSE(root["a"]["c"]["d"].exists());
  EXPECT_FALSE(Tree().root().exists());
}

TEST(Value, PathsNameListItemsByTheirIndex) {
  const Tree held = tree("spec:\n  workers:\n  - name: a\n  - name: b\n");
  std::string paths;
  for (Value worker : held.root()["spec"]["workers"])
    paths += worker["name"].path() + " ";
  EXPECT_EQ(paths, "spec.workers[0].name spec.workers[1].name ");
}

struct Mistake {
  const char* yaml;
  const char* rule;
  const char* message;
  const char* hint;
  int line;
  int column;
};

TEST(Fields, NameTheMistakeItsPlaceAndTheWayOut) {
  const Mistake rows[] = {
      {"nmae: x", "unknown-key", "nmae is not a known field", "did you mean name?", 1, 1},
      {"zzzzzzz: x", "unknown-key", "zzzzzzz is not a known field",
       "known here: name, count, flag, mode, share, zones", 1, 1},
      {"name: 5", "wrong-type", "name must be a string, not an integer",
       "write it in quotes: \"5\"", 1, 7},
      {"name: [a]", "wrong-type", "name must be a string, not a list", "", 1, 7},
      {"count: \"5\"", "wrong-type", "count must be an integer, not a string", "remove the quotes",
       1, 8},
      {"count: 1.5", "wrong-type", "count must be an integer, not a number", "", 1, 8},
      {"flag: 1", "wrong-type", "flag must be a boolean, not an integer", "", 1, 7},
      {"mode: Fast", "bad-value", "mode must not be \"Fast\"",
       "did you mean fast? the values are fast, slow", 1, 7},
      {"zones:\n- a\n- {b: c}", "wrong-type", "zones[1] must be a string, not a mapping", "", 3, 3},
      {"zones: x", "wrong-type", "zones must be a list, not a string", "", 1, 8},
  };
  for (const Mistake& row : rows) {
    SCOPED_TRACE(row.yaml);
    const Tree held = tree(row.yaml);
    Problems problems({"Shoot", "garden-dev", "a"});
    Fields fields(held.root(), problems);
    fields.string("name");
    fields.integer("count");
    fields.boolean("flag");
    fields.one_of("mode", {"fast", "slow"});
    fields.number("share");
    fields.strings("zones");
    fields.no_others();
    ASSERT_EQ(problems.findings().size(), 1u);
    const Finding& finding = problems.findings()[0];
    EXPECT_EQ(finding.rule, row.rule);
    EXPECT_EQ(finding.message, std::string("garden-dev/a: ") + row.message);
    EXPECT_EQ(finding.hint, row.hint);
    EXPECT_EQ(finding.place.line, row.line);
    EXPECT_EQ(finding.place.column, row.column);
    EXPECT_EQ(finding.object.name, "a");
  }
}

TEST(Fields, AMissingRequiredKeyPointsAtItsMapping) {
  const Tree held = tree("spec:\n  a: 1\n");
  Problems problems({});
  Fields spec = Fields(held.root(), problems).fields("spec");
  spec.required("b");
  ASSERT_TRUE(problems.any_error());
  EXPECT_EQ(problems.findings().front().message, "spec needs the key b");
  EXPECT_EQ(problems.findings().front().place, (SourceLocation{"x.yaml", 2, 3}));
}

TEST(Fields, ARequiredKeyBelowAnAbsentBlockIsReportedOnce) {
  const Tree held = tree("kind: Shoot\nmetadata: ~\n");
  Problems problems({});
  Fields root(held.root(), problems);
  root.fields("metadata").required("name");
  ASSERT_EQ(problems.findings().size(), 1u);
  EXPECT_EQ(problems.findings().front().message, "the document needs the key metadata.name");
  EXPECT_EQ(problems.findings().front().place, (SourceLocation{"x.yaml", 1, 1}));
  root.required("spec");
  root.fields("spec").required("name");
  EXPECT_EQ(problems.findings().size(), 2u);
}

TEST(Fields, ANullIsAnAbsentFieldButNoListItemAndNoDocument) {
  const Tree held = tree("field: ~\nlist: [~]\nnames: [a, ~]\n");
  Problems problems({});
  Fields root(held.root(), problems);
  root.fields("field");
  root.string("field");
  EXPECT_FALSE(problems.any_error());
  for (Value item : root.list("list"))
    Fields(item, problems).required("name");
  ASSERT_EQ(problems.findings().size(), 1u);
  EXPECT_EQ(problems.findings().front().rule, "wrong-type");
  EXPECT_EQ(problems.findings().front().message, "list[0] must not be null");
  root.strings("names");
  EXPECT_EQ(problems.findings().size(), 2u);
  const Tree nothing = tree("--- ~\n");
  Fields(nothing.root(), problems);
  EXPECT_EQ(problems.findings().size(), 3u);
}

TEST(Fields, ARequiredStringMustNotBeEmpty) {
  const Tree held = tree("name: \"\"\n");
  Problems problems({});
  Fields(held.root(), problems).required("name");
  ASSERT_EQ(problems.findings().size(), 1u);
  EXPECT_EQ(problems.findings().front().message, "name must not be empty");
}

TEST(Fields, MessagesStayOnOneLine) {
  const Tree held = tree("\"a\\nb\\e\": 1\n");
  Problems problems({"", "", "x\ny"});
  Fields root(held.root(), problems);
  root.any("name");
  root.any("name");
  root.no_others();
  ASSERT_EQ(problems.findings().size(), 1u);
  EXPECT_EQ(problems.findings().front().message, "x\\ny: a\\nb\\x1b is not a known field");
  EXPECT_EQ(problems.findings().front().hint, "known here: name");
}

TEST(Fields, OthersMayBeAWarning) {
  const Tree held = tree("nane: x\n");
  Problems problems({});
  Fields root(held.root(), problems);
  root.any("name");
  root.warn_others();
  ASSERT_EQ(problems.findings().size(), 1u);
  EXPECT_EQ(problems.findings()[0].rule, "unknown-field");
  EXPECT_EQ(problems.findings()[0].severity, Severity::Warning);
  EXPECT_EQ(problems.findings()[0].hint, "did you mean name?");
}

TEST(MergePatch, FollowsRfc7386AndKeepsPlaces) {
  const Tree base = tree("a: 1\nb:\n  c: 2\n  d: 3\n");
  const Tree patch = parse("b: {c: ~, e: 5}\nf: [1]\n", "patch.yaml").documents.at(0);
  const Tree merged = merge_patch(base.root(), patch.root());
  const Value root = merged.root();
  EXPECT_EQ(root["a"].as_integer(), 1);
  EXPECT_FALSE(root["b"]["c"].exists());
  EXPECT_EQ(root["b"]["d"].place(), (SourceLocation{"x.yaml", 4, 6}));
  EXPECT_EQ(root["b"]["e"].place().file, "patch.yaml");
  EXPECT_EQ(root["f"].size(), 1u);
}

TEST(MergePatch, PathsStartWhereTheBaseStood) {
  const Tree base = tree("spec:\n  config:\n    a: 1\n");
  const Tree patch = tree("b: 2");
  EXPECT_EQ(merge_patch(base.root()["spec"]["config"], patch.root()).root()["b"].path(),
            "spec.config.b");
  EXPECT_EQ(merge_patch({}, patch.root(), "spec.config").root()["b"].path(), "spec.config.b");
  EXPECT_EQ(Tree::of(base.root()["spec"]).root()["config"].path(), "spec.config");
}

TEST(Spelling, FindsTheTypingErrorAndNothingFarAway) {
  const std::string_view known[] = {"podCIDR", "serviceCIDR", "overlay"};
  EXPECT_EQ(closest("podCidr", known), "podCIDR");
  EXPECT_EQ(closest("ovrelay", known), "overlay");
  EXPECT_EQ(closest("banana", known), "");
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("ab", "ba"), 1u);
}

TEST(Spelling, NamesTheNearestOfMany) {
  const std::vector<std::string_view> known = {"c/three", "b/two", "a/one", "a/one", "a/ones"};
  EXPECT_EQ(nearest("a/on", known, 2), (std::vector<std::string_view>{"a/one", "a/ones"}));
  EXPECT_EQ(nearest("x", known, 9).size(), 4u);
  EXPECT_TRUE(nearest("x", {}, 3).empty());
}

}  // namespace fields_test

}  // namespace overlane::document
