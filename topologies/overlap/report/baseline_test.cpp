#include "topologies/overlap/report/baseline.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "sim/random/stream.h"
#include "topologies/document/syntax/parse.h"
#include "topologies/overlap/report/encode.h"
#include "topologies/overlap/testing/landscapes.h"

namespace overlane::overlap {

namespace baseline_test {

using testing::contested;
using ::testing::HasSubstr;
using testing::report_of;

Result<Baseline> decode(const std::string& text) {
  return Baseline::decode(document::parse(text, "old.json").documents.at(0));
}

/// What is new in `now`.
OverlapReport since(const OverlapReport& before, OverlapReport now) {
  decode(encode(before).dump()).value().leave_out_known(now);
  return now;
}

std::vector<testing::GcpShoot> random_shoots(std::uint64_t seed) {
  RandomStream random(seed, StreamUse::Pattern, 0);
  std::vector<testing::GcpShoot> shoots;
  for (std::uint64_t i = 0, count = 2 + random.below(12); i < count; ++i)
    shoots.push_back({fmt::format("s{}", i), fmt::format("10.{}.0.0/20", random.below(4)),
                      random.below(3) == 0 ? ""
                                           : fmt::format("100.{}.0.0/{}", 96 + random.below(4),
                                                         16 + random.below(3)),
                      random.below(3) == 0});
  return shoots;
}

TEST(Baseline, AReportHasNothingNewOfItself) {
  std::uint64_t known = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed)
    for (const std::size_t most_listed : {1u, 4u, 1000u})
      for (const Severity least : {Severity::Note, Severity::Warning}) {
        const testing::ReportedLandscape world(testing::yaml_of(random_shoots(seed)),
                                               {most_listed, least});
        const OverlapReport left = since(world.report, world.report);
        EXPECT_TRUE(left.overlaps.empty()) << seed;
        EXPECT_TRUE(left.groups.empty()) << seed;
        EXPECT_TRUE(left.all_findings().empty()) << seed;
        EXPECT_EQ(left.budgets.size(), world.report.budgets.size());
        EXPECT_EQ(left.known, world.report.count_shown());
        known += *left.known;
      }
  EXPECT_GT(known, 1000u);
}

TEST(Baseline, ANewShootsOverlapsAreNew) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const auto shoots = random_shoots(seed);
    const auto fewer = std::vector(shoots.begin() + 1, shoots.end());
    const testing::ReportedLandscape before(testing::yaml_of(fewer));
    const testing::ReportedLandscape now(testing::yaml_of(shoots));
    std::vector<const Overlap*> expected;
    for (const Overlap& overlap : now.report.overlaps)
      if (overlap.a.owner == "garden-dev/s0" || overlap.b.owner == "garden-dev/s0")
        expected.push_back(&overlap);
    const OverlapReport left = since(before.report, now.report);
    ASSERT_EQ(left.overlaps.size(), expected.size()) << seed;
    std::uint64_t pairs = 0;
    for (const Group& group : left.groups)
      pairs += group.pairs;
    EXPECT_EQ(pairs, expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_EQ(left.overlaps[i].b.owner, expected[i]->b.owner);
  }
}

TEST(Baseline, KnowsAReportInMemory) {
  std::size_t left = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed)
    for (const std::size_t most_listed : {1u, 4u, 1000u}) {
      const FindOptions options{.most_listed = most_listed, .min_severity = Severity::Note};
      const testing::ReportedLandscape before(testing::yaml_of(random_shoots(seed)), options);
      const testing::ReportedLandscape now(testing::yaml_of(random_shoots(seed + 1000)), options);
      OverlapReport report = now.report;
      Baseline(before.report).leave_out_known(report);
      EXPECT_EQ(encode(report), encode(since(before.report, now.report))) << seed;
      left += report.overlaps.size();
    }
  EXPECT_GT(left, 1000u);
}

TEST(Baseline, MoreSevereOverlapsAreNew) {
  Overlap warning = contested("one", "two");
  warning.impact.severity = Severity::Warning;
  const OverlapReport mild = report_of({warning});
  const OverlapReport grave = report_of({contested("one", "two")});
  EXPECT_EQ(since(mild, grave).overlaps.size(), 1u);
  EXPECT_EQ(since(mild, grave).known, 0u);
  EXPECT_TRUE(since(grave, mild).groups.empty());
  EXPECT_EQ(since(grave, mild).known, 1u);
}

TEST(Baseline, IdentifiesOverlaps) {
  const OverlapReport before = report_of({contested("one", "two")});
  Overlap other = contested("one", "two");
  other.a.cidr = IpPrefix::parse("100.96.0.0/12").value();
  EXPECT_EQ(since(before, report_of({other})).overlaps.size(), 1u);
  other = contested("one", "two");
  other.b.role = Role::Nodes;
  EXPECT_EQ(since(before, report_of({other})).overlaps.size(), 1u);
  other = contested("one", "two");
  other.routing_domain = "gcp/another";
  EXPECT_EQ(since(before, report_of({other})).overlaps.size(), 1u);
  other = contested("one", "two");
  other.consequence = "told in other words";
  other.a.place.line = 99;
  EXPECT_EQ(since(before, report_of({other})).overlaps.size(), 0u);
}

struct Growth {
  const char* what;
  std::uint64_t before;  ///< Pairs of the earlier group, of which it lists one/two.
  std::uint64_t now;     ///< Pairs; listed are one/two and one/three.
  std::uint64_t new_listed;
  std::uint64_t new_pairs;
};

constexpr Growth kGrowths[] = {
    {"no more pairs: none is new", 100, 100, 0, 0},
    {"fewer: the same", 100, 90, 0, 0},
    {"one more: what was not listed before may be it", 100, 101, 1, 1},
    {"many more: the rest is counted", 100, 150, 1, 50},
    {"an earlier list that was whole", 1, 150, 1, 149},
    {"lists that are whole", 1, 2, 1, 1},
};

TEST(Baseline, GroupsOfTooManyPairsAreComparedByTheirNumbers) {
  for (const Growth& row : kGrowths) {
    OverlapReport before = report_of({contested("one", "two")});
    before.groups[0].pairs = row.before;
    OverlapReport now = report_of({contested("one", "two"), contested("one", "three")});
    now.groups[0].pairs = row.now;
    const OverlapReport left = since(before, now);
    EXPECT_EQ(left.overlaps.size(), row.new_listed) << row.what;
    EXPECT_EQ(left.groups.empty() ? 0 : left.groups[0].pairs, row.new_pairs) << row.what;
    EXPECT_EQ(left.known, row.now - row.new_pairs) << row.what;
  }
}

/// A warning of now is paid for with an error of before only where no error of now needs it.
TEST(Baseline, PairsThatGotBetterAreNotNew) {
  OverlapReport before = report_of({contested("one", "two")});
  before.groups[0].pairs = 100;
  OverlapReport now = before;
  now.groups[0].pairs = 60;
  now.groups.push_back(now.groups[0]);
  now.groups[1].impact.severity = Severity::Warning;
  now.groups[1].listed = 0;
  now.groups[1].pairs = 40;
  EXPECT_TRUE(since(before, now).groups.empty());
  now.groups[1].pairs = 41;
  ASSERT_EQ(since(before, now).groups.size(), 1u);
  EXPECT_EQ(since(before, now).groups[0].pairs, 1u);
}

TEST(Baseline, IdentifiesFindingsByObjectAndMessage) {
  const Finding known{.rule = "invalid-cidr",
                      .severity = Severity::Warning,
                      .message = "garden-dev/one: odd",
                      .object = {"Shoot", "garden-dev", "one"},
                      .path = "spec.networking.pods",
                      .place = {"a.yaml", 1, 2}};
  OverlapReport before;
  before.findings = {known};
  before.budgets.push_back(
      {.routing_domain = "gcp/x", .finding = std::make_shared<const Finding>(known)});
  OverlapReport now = before;
  now.findings[0].place.line = 7;
  EXPECT_TRUE(since(before, now).findings.empty());
  EXPECT_FALSE(since(before, now).budgets.at(0).finding);
  now.findings[0].message = "garden-dev/one: even";
  EXPECT_EQ(since(before, now).findings.size(), 1u);
  now = before;
  now.findings[0].severity = Severity::Error;
  EXPECT_EQ(since(before, now).findings.size(), 1u);
}

struct Reworded {
  const char* before;
  const char* now;
  bool is_known;
};

constexpr Reworded kReworded[] = {
    {"said twice (one.yaml:7:5)", "said twice (./one.yaml:8:5)", true},
    {"at a/one.yaml:7:5 and b.yaml:1:1", "at /x/one.yaml:9:5 and b.yaml:2:1", true},
    {"at one.yaml:7:5", "at one.yaml:7", false},
    {"pods fd00:1:2 are odd", "pods fd00:1:3 are odd", false},
    {"needs 33 of 30 routes (a.yaml:1:2)", "needs 34 of 30 routes (a.yaml:1:2)", false},
};

TEST(Baseline, PlacesInAMessageMayMove) {
  for (const Reworded& row : kReworded) {
    OverlapReport before;
    before.findings = {{.rule = "invalid-cidr", .message = row.before}};
    OverlapReport now = before;
    now.findings[0].message = row.now;
    EXPECT_EQ(since(before, now).findings.empty(), row.is_known) << row.now;
  }
}

/// Nothing else is new when a line is put above all others.
TEST(Baseline, ExceededQuotasAreKnownWhereverTheyAreDeclared) {
  const std::string shoots =
      testing::yaml_of({{.name = "a", .nodes = "10.1.0.0/20", .pods = "100.96.0.0/16"}});
  const std::string declared =
      "apiVersion: overlane.dev/v1alpha1\nkind: RoutingDomains\nmetadata: {name: d}\n"
      "spec: {projects: [{name: p, provider: gcp, credentials: [garden-dev/gcp]}], networks: "
      "[{provider: gcp, network: shared-vpc, project: p, routeQuota: 1}]}\n";
  const testing::ReportedLandscape before(shoots + declared);
  const testing::ReportedLandscape now("# one more line\n" + shoots + declared);
  ASSERT_EQ(before.report.all_findings().size(), 1u);
  EXPECT_TRUE(since(before.report, now.report).all_findings().empty());
}

TEST(Baseline, ExceededQuotasAreKnownWithOtherNumbers) {
  const auto report = [](const char* rule, Severity severity, const char* message) {
    OverlapReport made;
    made.budgets.push_back({.finding = std::make_shared<const Finding>(
                                Finding{.rule = rule, .severity = severity, .message = message})});
    return made;
  };
  const char* most = "domain-route-quota-by-maximum";
  const OverlapReport before = report(most, Severity::Warning, "may have to hold 310 routes");
  const auto is_new = [&](const OverlapReport& now) {
    return since(before, now).budgets.at(0).finding != nullptr;
  };
  EXPECT_FALSE(is_new(report(most, Severity::Warning, "may have to hold 305 routes")));
  EXPECT_TRUE(is_new(report(most, Severity::Error, "may have to hold 310 routes")));
  EXPECT_TRUE(is_new(report("domain-route-quota-by-minimum", Severity::Warning, "needs")));
}

struct Refused {
  const char* text;
  const char* message;
  const char* place;
};

constexpr Refused kRefused[] = {
    {R"({"kind": "CheckReport", "schema_version": 1})", "is not a report of overlane overlap",
     "old.json:1:1"},
    {"[]", "is not a report of overlane overlap", "old.json:1:1"},
    {R"({"kind": "OverlapReport", "schema_version": 2, "overlaps": []})",
     "has schema_version 2, but this program supports 1", "old.json:1:1"},
    {R"({"kind": "OverlapReport", "overlaps": []})", "has schema_version none", "old.json:1:1"},
    {R"({"kind": "OverlapReport", "schema_version": 1})", "has no list of overlaps",
     "old.json:1:1"},
    {"{\"kind\": \"OverlapReport\", \"schema_version\": 1, \"overlaps\": [\n{\"severity\": "
     "\"x\"}]}",
     "\"x\" is not a severity", "old.json:2:1"},
};

TEST(Baseline, RefusesOtherDocuments) {
  for (const Refused& row : kRefused) {
    const auto refused = decode(row.text);
    ASSERT_FALSE(refused) << row.text;
    EXPECT_EQ(refused.error().rule, "invalid-baseline");
    EXPECT_THAT(refused.error().message, HasSubstr(row.message));
    EXPECT_EQ(refused.error().place.to_string(), row.place);
    EXPECT_FALSE(refused.error().hint.empty());
  }
}

}  // namespace baseline_test

}  // namespace overlane::overlap
