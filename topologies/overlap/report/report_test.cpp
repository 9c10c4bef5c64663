#include "topologies/overlap/report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/overlap/testing/landscapes.h"

namespace overlane::overlap {

namespace overlap_findings_test {

using ::testing::HasSubstr;

TEST(OverlapFindings, AnOverlapIsAFindingAtItsFirstRange) {
  const Findings findings = findings_of(testing::report_of({testing::contested("one", "two")}));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].rule, "overlap-routes-contested");
  EXPECT_EQ(findings[0].severity, Severity::Error);
  EXPECT_EQ(findings[0].message,
            "garden-dev/one: routed pods 100.96.0.0/11 overlap routed pods 100.96.0.0/11 of "
            "garden-dev/two (two.yaml:7:11) in gcp/shared-vpc: packets go astray; pod CIDRs of "
            "nodes overlap in this range now");
  EXPECT_EQ(findings[0].object, (ObjectName{"Shoot", "garden-dev", "one"}));
  EXPECT_EQ(findings[0].path, "spec.networking.pods");
  EXPECT_EQ(findings[0].place.to_string(), "one.yaml:7:11");
  EXPECT_EQ(findings[0].hint, advice(testing::contested("one", "two")));
}

TEST(OverlapFindings, AssumedRangesHaveNoPathAndUnknownPlacesAreOfTheOtherRange) {
  Overlap overlap = testing::contested("one", "two");
  overlap.a.assumed = true;
  overlap.a.path = "a seed usually says";
  const Finding assumed = findings_of(testing::report_of({overlap}))[0];
  EXPECT_EQ(assumed.path, "");
  EXPECT_THAT(assumed.message, HasSubstr("routed pods 100.96.0.0/11 (assumed) overlap"));
  overlap.a.place = {};
  const Finding other = findings_of(testing::report_of({overlap}))[0];
  EXPECT_EQ(other.place.to_string(), "two.yaml:7:11");
  EXPECT_EQ(other.path, "spec.networking.pods");
}

TEST(OverlapFindings, AShootOverlapsItself) {
  Overlap overlap = testing::contested("one", "one");
  overlap.b.role = Role::Services;
  overlap.b.dataplane_mode = DataplaneMode::None;
  EXPECT_THAT(findings_of(testing::report_of({overlap}))[0].message,
              HasSubstr("overlap services 100.96.0.0/11 of its own in"));
}

TEST(OverlapFindings, UnlistedPairsOfAGroupAreOneFinding) {
  OverlapReport report =
      testing::report_of({testing::contested("one", "two"), testing::contested("one", "three")});
  report.groups[0].pairs = 44'852;
  report.groups[0].shoots = 300;
  report.findings = {{.rule = "invalid-cidr", .message = "last"}};
  const Findings findings = findings_of(report);
  ASSERT_EQ(findings.size(), 4u);
  EXPECT_EQ(findings[2].rule, "overlap-routes-contested");
  EXPECT_EQ(findings[2].message,
            "garden-dev/one, and others: 44850 more overlaps (pods-pods, gcp/shared-vpc) of 300 "
            "shoots are counted and not listed");
  EXPECT_EQ(findings[2].place.to_string(), "one.yaml:7:11");
  EXPECT_EQ(findings[3].message, "last");
}

struct Until {
  effective::Provider provider;
  std::optional<std::uint64_t> nodes;
  std::optional<std::uint64_t> creations;
  std::uint64_t growth;
  Urgency urgency;
  const char* text;
};

constexpr auto kKeeps = effective::Provider::Gcp;
constexpr auto kDeletes = effective::Provider::Aws;
constexpr Until kUntils[] = {
    {kKeeps, std::nullopt, std::nullopt, 9, Urgency::Later, ""},
    {kKeeps, 0, 0, 9, Urgency::Now, "pod CIDRs of nodes overlap in this range now"},
    {kKeeps, 0, 0, 9, Urgency::NotCreated,
     "pod CIDRs of nodes overlap in this range as soon as both exist"},
    {kKeeps, 1, 1, 9, Urgency::Later,
     "not in use yet; earliest conflict after 1 node creation, replacements included"},
    {kKeeps, 30, 12, 9, Urgency::Later,
     "not in use yet; earliest conflict after 12 node creations, replacements included (the "
     "workers allow 9 more at a time)"},
    {kDeletes, 12, 12, 12, Urgency::Now,
     "routes are deleted from now on; first overlap of node pod CIDRs after 12 node creations, "
     "replacements included"},
    {kDeletes, 1, 1, 9, Urgency::Later,
     "routes are deleted once both are awake; first overlap of node pod CIDRs after 1 node "
     "creation, replacements included"},
    {kDeletes, 1, 1, 9, Urgency::NotCreated,
     "routes are deleted once both exist; first overlap of node pod CIDRs after 1 node creation, "
     "replacements included"},
};

TEST(OverlapFindings, NamesTheTimeUntilPodCidrsOverlap) {
  for (const Until& row : kUntils) {
    Overlap overlap{.impact = {&rule(kContested), Severity::Error},
                    .provider = row.provider,
                    .urgency = row.urgency};
    overlap.nodes_until_conflict = row.nodes;
    overlap.creations_until_conflict = row.creations;
    overlap.growth = row.growth;
    EXPECT_EQ(until_text(overlap), row.text);
  }
}

TEST(OverlapFindings, PodCidrsOverlapEachOtherOrNodeRanges) {
  Overlap overlap{.kind = "pods-nodes", .nodes_until_conflict = 0, .creations_until_conflict = 0};
  overlap.b.role = Role::Nodes;
  EXPECT_EQ(until_text(overlap), "pod CIDRs of nodes lie in this range now");
  overlap.urgency = Urgency::NotCreated;
  EXPECT_EQ(until_text(overlap), "pod CIDRs of nodes lie in this range as soon as both exist");
}

}  // namespace overlap_findings_test

namespace advice_test {

using effective::Provider;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Advice, AManifestIsChangedBeforeItIsApplied) {
  Overlap overlap = testing::contested("one", "two");
  overlap.b.created = false;
  EXPECT_EQ(advice(overlap),
            "before garden-dev/two is applied, change its pods at two.yaml:7:11 "
            "(`--propose N --domain NETWORK` names free ranges)");
  overlap.b.assumed = true;
  overlap.b.role = Role::Nodes;
  EXPECT_EQ(advice(overlap), "before garden-dev/two is applied, name its nodes at two.yaml:7:11");
  overlap.impact.severity = Severity::Note;
  EXPECT_THAT(advice(overlap), StartsWith(std::string(rule(kContested).remedy)));
  Overlap seed = testing::contested("one", "edge");
  seed.a.created = false;
  seed.b.role = Role::SeedPods;
  EXPECT_THAT(advice(seed), HasSubstr(", or choose another seed"));
}

struct Contest {
  const char* what;
  Provider provider;
  const char* cidr;
  DataplaneMode a;
  std::uint64_t shoots;
  const char* text;  ///< Behind the first sentence.
};

constexpr Contest kContests[] = {
    {"an overlay for one, whose routes stay", Provider::Gcp, "100.96.0.0/11", DataplaneMode::Routed,
     2,
     ". Until then give one an overlay (spec.networking.providerConfig.overlay.enabled: true), "
     "delete the routes that it leaves behind, and restart its pods, whose MTU is too large for "
     "the tunnel"},
    {"of several, more than one", Provider::OpenStack, "100.96.0.0/11", DataplaneMode::Routed, 12,
     ". Until then give as many an overlay (spec."},
    {"which azure may refuse", Provider::Azure, "100.96.0.0/11", DataplaneMode::Routed, 2,
     "enabled: true; with calico only newer releases of the provider accept it)"},
    {"routes beside the overlay", Provider::AliCloud, "100.96.0.0/11", DataplaneMode::Routed, 2,
     ". Until then give both an overlay (spec."},
    {"which one has already", Provider::AliCloud, "100.96.0.0/11", DataplaneMode::OverlayAndRoutes,
     2, ". Until then give the routed one an overlay (spec."},
    {"no tunnel for IPv6", Provider::OpenStack, "fd00::/56", DataplaneMode::Routed, 2,
     ". There is no workaround: an overlay carries IPv4 only"},
};

TEST(Advice, WorkaroundDependsOnTheRouteController) {
  for (const Contest& row : kContests) {
    SCOPED_TRACE(row.what);
    Overlap overlap = testing::contested("one", "two");
    overlap.provider = row.provider;
    overlap.intersection = IpPrefix::parse(row.cidr).value();
    overlap.a.dataplane_mode = row.a;
    overlap.b.dataplane_mode = DataplaneMode::Routed;
    const std::string text = advice(overlap, row.shoots);
    EXPECT_THAT(text, StartsWith(row.shoots > 2 ? "re-create shoots with other pods"
                                                : "re-create one of them with other pods"));
    EXPECT_THAT(text, HasSubstr(row.text));
  }
}

TEST(Advice, ThereAreProposalsForIpv4Only) {
  Overlap overlap = testing::contested("one", "two");
  EXPECT_THAT(advice(overlap), HasSubstr("`--propose N --domain NETWORK` names free ranges"));
  overlap.intersection = IpPrefix::parse("fd00::/56").value();
  EXPECT_THAT(advice(overlap), Not(HasSubstr("--propose")));
}

TEST(Advice, AlibabaCloudRestoresDeletedRoutes) {
  Overlap overlap = testing::contested("one", "two");
  overlap.intersection = IpPrefix::parse("100.96.0.0/11").value();
  overlap.provider = Provider::AliCloud;
  EXPECT_THAT(advice(overlap), Not(HasSubstr("delete the routes")));
}

}  // namespace advice_test

}  // namespace overlane::overlap
