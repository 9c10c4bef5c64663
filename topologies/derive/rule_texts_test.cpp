#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/derive/derive.h"
#include "topologies/derive/testing/rule_row.h"
#include "topologies/document/syntax/parse.h"
#include "topologies/manifest/documents/manifest_set.h"

namespace overlane::derive {
namespace rule_texts_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::RuleShoot;

Examination examined(const RuleShoot& shoot) {
  DeriveOptions options;
  for (const char* setting : shoot.landscape)
    options.landscape =
        effective::with_setting(options.landscape, std::string("landscape.") + setting).value();
  const auto set = manifest::decode(document::parse(shoot.yaml(), "x.yaml"));
  return examine(set.clusters.at(0), options);
}

Finding finding_of(const RuleShoot& shoot, const char* rule) {
  const Findings findings = examined(shoot).findings;
  const auto found = std::ranges::find(findings, rule, &Finding::rule);
  if (found != findings.end()) return *found;
  ADD_FAILURE() << rule << " is not found";
  return {};
}

/// As the compiled filter does.
TEST(RuleTexts, GcpsFirewallLetsIpipThrough) {
  EXPECT_THAT(finding_of({.provider = "gcp"}, "gcp-other-protocols").message,
              HasSubstr("allows only ICMP, IPIP, TCP, UDP: it drops"));
}

TEST(RuleTexts, RouteQuotasNameTheOptionThatSetsThem) {
  const RuleShoot assumed{.provider = "openstack",
                          .workers = "{name: w, minimum: 600, maximum: 600}"};
  const Finding warning = finding_of(assumed, "route-quota-by-minimum");
  EXPECT_EQ(warning.severity, Severity::Warning) << "the quota is assumed";
  EXPECT_THAT(warning.message, HasSubstr("600 routes, one for each node, but the quota is 512"));
  EXPECT_THAT(warning.hint, HasSubstr("--set landscape.route-quota.openstack=N"));
  RuleShoot set = assumed;
  set.landscape = {"route-quota.openstack=512"};
  EXPECT_EQ(finding_of(set, "route-quota-by-minimum").severity, Severity::Error);
  RuleShoot disputed = assumed;
  disputed.workers = "{name: w, minimum: 3, maximum: 300}";
  EXPECT_THAT(finding_of(disputed, "route-quota-disputed").hint,
              HasSubstr("--set landscape.route-quota.openstack=N"));
}

TEST(RuleTexts, RoutesOfNoNodeAreNamed) {
  const RuleShoot shoot{.provider = "gcp", .workers = "{name: w, minimum: 3, maximum: 300}"};
  EXPECT_THAT(finding_of(shoot, "route-quota-by-maximum").message,
              HasSubstr("301 routes, one for each node and 1 other, but the quota is 300"));
}

std::string why_masqueraded_dns(const char* infrastructure) {
  const auto network = examined({.provider = "aws",
                                 .networking = "nodes: 10.181.128.0/17",
                                 .infrastructure = infrastructure})
                           .network;
  if (!network) return network.error().message;
  const auto reason =
      std::ranges::find(network->reasons, "dataplane.masqueraded_dns", &effective::Reason::field);
  if (reason == network->reasons.end()) return "no reason";
  EXPECT_TRUE(reason->assumed);
  return reason->value + ": " + reason->because.to_string();
}

TEST(RuleTexts, TheNameserverOfAnExistingVpcIsAssumed) {
  EXPECT_THAT(why_masqueraded_dns("networks: {vpc: {id: vpc-1}}"),
              AllOf(HasSubstr("10.181.128.2"),
                    HasSubstr("at offset 2 of its VPC's range; no document gives the range of "
                              "vpc-1, so the nodes' range 10.181.128.0/17 is used instead")));
  EXPECT_THAT(why_masqueraded_dns("networks: {vpc: {cidr: 10.181.0.0/16}}"),
              AllOf(HasSubstr("10.181.0.2"), Not(HasSubstr("no document gives"))));
}

}  // namespace rule_texts_test
}  // namespace overlane::derive
