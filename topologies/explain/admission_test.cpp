#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/document/syntax/parse.h"
#include "topologies/effective/addressing.h"
#include "topologies/explain/explanation.h"
#include "topologies/manifest/testing/shoot_builder.h"

namespace overlane::explain {

using derive::StageChoice;
namespace admission_test {

using namespace effective;  // NOLINT(google-build-using-namespace): the values under test.

using manifest::testing::ShootText;

Explanation explain_text(const std::string& yaml) {
  return explain(document::parse(yaml, "x.yaml"), StageChoice::Auto);
}

/// Findings except those about fields that these short shoots lack.
Findings told(const Explanation& explanation) {
  Findings findings = explanation.findings;
  std::erase_if(findings, [](const Finding& finding) {
    return finding.rule == "nodes-required" || finding.rule == "workerless-with-network";
  });
  return findings;
}

struct Refused {
  const char* what;
  ShootText shoot;
  const char* rule;
  Severity severity;
  int line;
  int column;
};

const Refused kRefused[] = {
    {"azure with an overlay",
     {.provider = "azure", .config = "{overlay: {enabled: true}}"},
     "not-admitted",
     Severity::Error,
     9,
     41},
    {"azure in IPv6",
     {.provider = "azure", .networking = "ipFamilies: [IPv6]"},
     "not-admitted",
     Severity::Error,
     9,
     17},
    {"azure in dual-stack",
     {.provider = "azure", .networking = "ipFamilies: [IPv4, IPv6]"},
     "not-admitted",
     Severity::Error,
     9,
     17},
    {"gcp in IPv6 only",
     {.provider = "gcp", .networking = "ipFamilies: [IPv6]"},
     "not-admitted",
     Severity::Error,
     9,
     17},
    {"aws in dual-stack with an overlay",
     {.config = "{overlay: {enabled: true}}", .networking = "ipFamilies: [IPv4, IPv6]"},
     "not-admitted",
     Severity::Error,
     10,
     17},
    {"an overlay block without enabled on aws",
     {.config = "{overlay: {}}"},
     "not-admitted",
     Severity::Error,
     9,
     31},
    {"a left-over vxlan with pod routes",
     {.config = "{overlay: {enabled: false, createPodRoutes: true}, vxlan: {enabled: true}}"},
     "unsupported-combination",
     Severity::Error,
     9,
     89},
    {"no kube-proxy without eBPF",
     {.kubernetes = "{kubeProxy: {enabled: false}}"},
     "not-admitted",
     Severity::Error,
     9,
     37},
    {"a node mask of 15",
     {.kubernetes = "{kubeControllerManager: {nodeCIDRMaskSize: 15}}"},
     "not-admitted",
     Severity::Error,
     9,
     58},
    {"a node mask with too few addresses",
     {.kubernetes = "{kubeControllerManager: {nodeCIDRMaskSize: 26}}"},
     "not-admitted",
     Severity::Error,
     9,
     58},
    {"a reserved range",
     {.networking = "pods: 240.1.0.0/16"},
     "not-admitted",
     Severity::Error,
     9,
     11},
    {"an IPv6 range in an IPv4 shoot",
     {.networking = "pods: fd00::/56"},
     "not-admitted",
     Severity::Error,
     9,
     11},
};

TEST(Admission, RefusesWithItsPlace) {
  for (const Refused& row : kRefused) {
    SCOPED_TRACE(row.what);
    const Explanation explanation = explain_text(row.shoot.yaml());
    EXPECT_TRUE(explanation.networks.empty());
    ASSERT_EQ(explanation.findings.size(), 1u);
    const Finding& finding = explanation.findings[0];
    EXPECT_EQ(finding.rule, row.rule) << finding.to_string();
    EXPECT_EQ(finding.severity, row.severity);
    EXPECT_EQ(finding.place, (SourceLocation{"x.yaml", row.line, row.column}))
        << finding.to_string();
    EXPECT_EQ(finding.message.substr(0, 16), "garden-dev/one: ");
    EXPECT_FALSE(finding.hint.empty());
  }
}

struct RangeCase {
  const char* networking;
  const char* rule;  ///< Empty: fine.
};

TEST(Admission, ComparesTheRangesOfOneShoot) {
  const RangeCase rows[] = {
      {"{type: calico, pods: 100.64.0.0/12, services: 100.104.0.0/13}", ""},
      {"{type: calico, pods: 100.96.0.0/11, services: 100.64.0.0/13}", ""},
      {"{type: calico, pods: 100.128.0.0/11, services: 100.112.0.0/13}", "public-range"},
      {"{type: calico, pods: 100.96.0.0/11, services: 100.112.0.0/13}", "not-admitted"},
      {"{type: calico, pods: 10.250.0.0/19, nodes: 10.250.0.0/16}", "not-admitted"},
      {"{type: calico, services: 10.250.0.0/19, nodes: 10.250.0.0/16}", "not-admitted"},
      {"{type: calico, pods: 10.250.0.0/19}", "range-overlaps-default"},
  };
  for (const RangeCase& row : rows) {
    SCOPED_TRACE(row.networking);
    const std::string yaml =
        "apiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\nmetadata: {name: a}\n"
        "spec: {provider: {type: aws}, networking: " +
        std::string(row.networking) + "}\n";
    const Explanation explanation = explain_text(yaml);
    if (*row.rule == '\0') {
      EXPECT_TRUE(told(explanation).empty());
      continue;
    }
    ASSERT_EQ(told(explanation).size(), 1u);
    EXPECT_EQ(told(explanation)[0].rule, row.rule);
    EXPECT_EQ(explanation.networks.size(), row.rule == std::string("not-admitted") ? 0u : 1u);
  }
}

TEST(Oddities, AreWarningsBesideTheAnswer) {
  const std::pair<ShootText, const char*> rows[] = {
      {{.provider = "local", .config = "{overlay: {enabled: true}, vethMTU: \"1500\"}"},
       "mtu-too-large"},
      {{.config = "{overlay: {enabled: false}, vxlan: {enabled: true}}"}, "vxlan-left-over"},
      {{.networking = "pods: 100.96.0.0/28"}, "pods-smaller-than-a-node"},
  };
  for (const auto& [shoot, rule] : rows) {
    const Explanation explanation = explain_text(shoot.yaml());
    EXPECT_EQ(explanation.networks.size(), 1u);
    ASSERT_EQ(told(explanation).size(), 1u) << rule;
    EXPECT_EQ(told(explanation)[0].rule, rule);
    EXPECT_EQ(told(explanation)[0].severity, Severity::Warning);
  }
}

TEST(Oddities, WorkersBeyondThePodRangeAreNamed) {
  const std::string yaml =
      "apiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\nmetadata: {name: a}\nspec:\n"
      "  provider: {type: aws, workers: [{name: w, minimum: 1, maximum: 3}]}\n"
      "  networking: {type: calico, pods: 100.96.0.0/23}\n";
  const Explanation explanation = explain_text(yaml);
  ASSERT_EQ(explanation.networks.size(), 1u);
  EXPECT_EQ(explanation.networks[0].max_nodes, 2);
  ASSERT_EQ(told(explanation).size(), 1u);
  EXPECT_EQ(told(explanation)[0].rule, "too-few-node-ranges");
}

TEST(Addressing, DefaultMaskLeavesRoomForTwiceThePods) {
  const std::pair<std::uint32_t, int> rows[] = {{32, 26},  {64, 25},  {110, 24},
                                                {128, 24}, {129, 23}, {250, 23},
                                                {255, 23}, {256, 23}, {510, 22}};
  for (const auto& [max_pods, mask] : rows)
    EXPECT_EQ(default_node_mask(max_pods), mask) << max_pods;
}

TEST(Addressing, CountsThePodCidrsOfARange) {
  struct Row {
    const char* pods;
    int mask;
    std::int64_t pod_cidrs;
  };
  const Row rows[] = {{"100.96.0.0/11", 24, 8192}, {"10.243.128.0/17", 24, 128},
                      {"100.96.0.0/23", 24, 2},    {"10.0.0.0/16", 24, 256},
                      {"10.0.0.0/20", 24, 16},     {"10.0.0.0/8", 24, 65536},
                      {"10.0.0.0/25", 24, 0},      {"10.0.0.0/24", 1000, 0}};
  for (const Row& row : rows)
    EXPECT_EQ(pod_cidr_count(*Ipv4Prefix::parse(row.pods), row.mask), row.pod_cidrs) << row.pods;
}

TEST(Addressing, CountsTheMachinesOfASubnet) {
  const std::pair<const char*, std::int64_t> rows[] = {
      {"10.250.0.0/16", 65'531}, {"10.250.0.0/27", 27}, {"10.250.0.0/28", 11},
      {"10.250.0.0/29", 3},      {"10.250.0.0/30", 0},  {"10.250.0.0/32", 0}};
  for (const auto& [subnet, machines] : rows)
    EXPECT_EQ(machine_addresses(*Ipv4Prefix::parse(subnet)), machines) << subnet;
}

TEST(Addressing, WhatNoDocumentGivesIsAssumedAndSaysSo) {
  const Explanation explanation = explain_text(ShootText{.provider = "local"}.yaml());
  ASSERT_EQ(explanation.networks.size(), 1u);
  const EffectiveDataplane& network = explanation.networks[0];
  EXPECT_EQ(network.pods.at(0).to_string(), "100.96.0.0/11");
  EXPECT_EQ(network.services.at(0).to_string(), "100.64.0.0/13");
  EXPECT_EQ(network.nodes.at(0).to_string(), "10.250.0.0/16");
  for (const Reason& reason : network.reasons) {
    const bool given = reason.field == "provider" || reason.field == "cni" ||
                       reason.field == "dataplane.cloud_routes";
    EXPECT_NE(reason.assumed, given) << reason.field;
  }
}

TEST(Addressing, OnMetalItsAdmissionFillsInWhatIsLeftOut) {
  const Explanation explanation = explain_text(ShootText{.provider = "metal"}.yaml());
  ASSERT_EQ(explanation.networks.size(), 1u);
  const EffectiveDataplane& network = explanation.networks[0];
  EXPECT_EQ(network.pods.at(0).to_string(), "10.240.0.0/13");
  EXPECT_EQ(network.services.at(0).to_string(), "10.248.0.0/18");
  EXPECT_EQ(network.max_pods, 250u);
  EXPECT_EQ(network.node_cidr_mask_size, 23);
  for (const char* field : {"pods", "services", "max_pods", "node_cidr_mask_size"}) {
    const auto reason = std::ranges::find(network.reasons, field, &Reason::field);
    ASSERT_NE(reason, network.reasons.end()) << field;
    EXPECT_TRUE(reason->assumed) << field;
    EXPECT_THAT(reason->because.to_string(),
                ::testing::HasSubstr("admission of provider metal writes"));
  }
}

TEST(Addressing, NodesComeFromTheInfrastructureAndPodsFromTheStatusIfTheSpecIsSilent) {
  const ShootText shoot{.infrastructure = "{networks: {vpc: {cidr: 10.180.0.0/16}}}",
                        .status = "{networking: {pods: [100.80.0.0/12]}}"};
  const Explanation explanation = explain_text(shoot.yaml());
  ASSERT_EQ(explanation.networks.size(), 1u);
  EXPECT_EQ(explanation.networks[0].nodes.at(0).to_string(), "10.180.0.0/16");
  EXPECT_EQ(explanation.networks[0].pods.at(0).to_string(), "100.80.0.0/12");
}

}  // namespace admission_test
}  // namespace overlane::explain
