#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tools/overlane/testing/run_overlane.h"

namespace overlane::command {
namespace overlap_landscape_text_test {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kLandscape = "topologies/library/landscape";

/// A connection itself has no shoots, so its plan changes those of the connected networks.
TEST(OverlapLandscapeText, PlanForAConnectionChangesItsShoots) {
  const std::string asked = fmt::format("overlap --plan -o json {} --domain ", kLandscape);
  const auto changed = [&](const char* domain) {
    std::vector<std::string> shoots;
    const json planned = json::parse(run_overlane(asked + domain).out);
    for (const json& step : planned["plan"])
      shoots.push_back(step["shoot"]);
    return shoots;
  };
  // tracking's pod range overlaps those of checkout and ledger, which are not in conflict
  // otherwise.
  EXPECT_THAT(changed("connection/hub"), ElementsAre("garden-logistics/tracking"));
  EXPECT_THAT(changed("connection/racks"), ElementsAre("garden-dc/rack-b"));
  EXPECT_THAT(changed("aws/vpc-0a000000000000004"), ElementsAre());
}

TEST(OverlapLandscapeText, PlanListsExceededQuotas) {
  const auto planned = [&](const std::string& arguments) {
    return run_overlane(fmt::format("overlap --quiet --plan {} {}", arguments, kLandscape)).out;
  };
  const std::string router = "left: openstack/00000000-aaaa-4000-8000-000000000001: the router";
  const std::string network = "left: gcp/shared-vpc: the VPC network";
  EXPECT_THAT(planned(""), AllOf(HasSubstr(router), Not(HasSubstr(network))));
  EXPECT_THAT(planned("--fail-on warning"), AllOf(HasSubstr(router), HasSubstr(network)));
  EXPECT_THAT(planned("--domain connection/hub"), Not(HasSubstr("left: ")));
  const std::string sound = "--domain aws/vpc-0a000000000000004";
  EXPECT_THAT(planned(sound), HasSubstr("plan\n  no change needed\n"));
  EXPECT_THAT(planned(sound + " --set landscape.route-quota.aws=1"),
              HasSubstr("plan\n  no shoot needs other ranges\n  left: aws/"));
}

TEST(OverlapLandscapeText, APlanNamesManifestsThatOnlyHaveToWait) {
  const std::string text =
      run_overlane(fmt::format("overlap --quiet --summary --plan {}", kLandscape)).out;
  EXPECT_THAT(text, HasSubstr("wanted.yaml:19:12: nodes of garden-erp/archive\n"));
  EXPECT_THAT(text, HasSubstr("  re-create garden-erp/batch"));
  EXPECT_THAT(text, HasSubstr("  then apply garden-erp/archive without a change"));
  EXPECT_THAT(text, Not(HasSubstr("then apply garden-shop/campaign")));
}

TEST(OverlapLandscapeText, ASummaryHasNoOverlaps) {
  const std::string text =
      run_overlane(fmt::format("overlap --quiet --summary {}", kLandscape)).out;
  EXPECT_THAT(text, AllOf(HasSubstr("\n\nerrors now\n  openstack/"),
                          HasSubstr("\n\nroutes\n  aws/vpc-0a000000000000002: 10 to 102 of 500"),
                          HasSubstr("\n50 shoots in 22 networks: ")));
  EXPECT_THAT(text, Not(HasSubstr("overlap-routes-contested")));
}

/// Proposals were requested, so they precede the findings.
TEST(OverlapLandscapeText, ProposalsComeFirstAndReportMissingSpace) {
  const auto free_in_shared_vpc = [&](const std::string& arguments) {
    return run_overlane(
               fmt::format("overlap --quiet --domain gcp/shared-vpc {} {}", arguments, kLandscape))
        .out;
  };
  const std::string two = free_in_shared_vpc("--propose 2/16");
  EXPECT_LT(two.find("free in gcp/shared-vpc\n  pods 100.72.0.0/16 "), two.find("impact"));
  EXPECT_THAT(unwrapped(free_in_shared_vpc("--propose 3/8")),
              HasSubstr("free ranges gcp/shared-vpc: only 0 of 3 ranges are free: request "
                        "smaller ranges, or add address space with --pools "));
  EXPECT_THAT(free_in_shared_vpc("--propose 2/12 --pools 172.16.0.0/12"),
              AllOf(HasSubstr("free in gcp/shared-vpc\n  pods 172.16.0.0/12 "),
                    HasSubstr("only 1 of 2 ranges are free")));
}

TEST(OverlapLandscapeText, StartsWithTheTimeToLaterErrors) {
  EXPECT_THAT(
      unwrapped(run_overlane(fmt::format("overlap --quiet {}", kLandscape)).out),
      HasSubstr(
          "errors later openstack/00000000-aaaa-4000-8000-000000000001: 1 overlap involving 2 "
          "shoots (18 nodes), when a shoot wakes up "
          "gcp/shared-vpc: 1 overlap involving 1 shoot (4 nodes), earliest after 5 node creations "
          "gcp/analytics: 2 overlaps involving 2 shoots (5 nodes), earliest after 11 node "
          "creations aws/vpc-0a000000000000001: 2 overlaps involving 2 shoots (7 nodes), earliest "
          "after 1,021 node creations connection/hub: 1 overlap involving 1 shoot (3 nodes), "
          "earliest after 1,022 node creations "));
}

TEST(OverlapLandscapeText, NetworkWithoutErrorsRefersToItsConnectionWithErrors) {
  const auto alone = [&](const char* domain) {
    return run_overlane(fmt::format("overlap --quiet --domain {} {}", domain, kLandscape));
  };
  const Answer sound = alone("aws/vpc-0a000000000000004");
  EXPECT_EQ(sound.exit_code, 0);
  EXPECT_THAT(unwrapped(sound.out),
              HasSubstr("connection/hub, which joins it with other networks: 4 errors (--domain "
                        "connection/hub shows them)"));
  EXPECT_THAT(alone("azure/reports-rg/reports-vnet").out, Not(HasSubstr("which joins it")))
      << "it has no error";
  EXPECT_THAT(alone("connection/hub").out, Not(HasSubstr("which joins it")));
}

TEST(OverlapLandscapeText, DeclaredRangesAreNotShoots) {
  EXPECT_THAT(
      unwrapped(run_overlane(fmt::format("overlap --quiet --domain aws/vpc-0a000000000000001 {}",
                                         kLandscape))
                    .out),
      HasSubstr("Pod CIDR of a routed shoot overlaps node or VPC addresses: 2 pairs of 2 shoots"));
}

}  // namespace overlap_landscape_text_test
}  // namespace overlane::command
