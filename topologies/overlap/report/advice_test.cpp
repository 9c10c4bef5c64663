#include "topologies/overlap/report/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/overlap/testing/reports.h"

namespace overlane::overlap {
namespace advice_test {

using effective::Provider;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Advice, AManifestIsChangedBeforeItIsApplied) {
  Overlap overlap = testing::contested("one", "two");
  overlap.b.created = false;
  EXPECT_EQ(advice(overlap),
            "before garden-dev/two is applied, change its pods at two.yaml:7:11 (--propose names "
            "free ranges)");
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
  EXPECT_THAT(advice(overlap), HasSubstr("--propose names free ranges"));
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
