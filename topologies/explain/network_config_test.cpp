#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "topologies/document/syntax/parse.h"
#include "topologies/explain/explanation.h"
#include "topologies/manifest/documents/manifest_set.h"
#include "topologies/manifest/testing/shoot_builder.h"

namespace overlane::explain {

using derive::derive;
using derive::StageChoice;
namespace network_config_test {

using manifest::testing::network_yaml;
using manifest::testing::ShootText;

Explanation explain_text(const std::string& yaml) {
  return explain(document::parse(yaml, "x.yaml"), StageChoice::Auto);
}

struct Refused {
  const char* what;
  std::string text;
  const char* rule;  ///< The decoder's own, which the hint names.
  int line;
  int column;
};

const Refused kRefused[] = {
    {"an MTU that is a number", ShootText{.config = "{vethMTU: 1440}"}.yaml(), "wrong-type", 9, 31},
    {"an MTU that is no number", ShootText{.config = "{vethMTU: \"big\"}"}.yaml(), "bad-value", 9,
     31},
    {"an unknown field", ShootText{.config = "{ovrelay: {enabled: true}}"}.yaml(), "unknown-key", 9,
     22},
    {"an unknown backend", ShootText{.config = "{backend: BIRD}"}.yaml(), "bad-value", 9, 31},
    {"a quoted boolean", ShootText{.config = "{overlay: {enabled: \"true\"}}"}.yaml(), "wrong-type",
     9, 41},
    {"CrossSubnet with pool vxlan",
     ShootText{.config = "{ipv4: {pool: vxlan, mode: CrossSubnet}}"}.yaml(), "bad-value", 9, 48},
    {"cilium's config in a calico shoot",
     ShootText{.config = "{apiVersion: cilium.networking.extensions.gardener.cloud/v1alpha1}"}
         .yaml(),
     "wrong-api-version", 9, 34},
    {"a cilium field that is gone", ShootText{.type = "cilium", .config = "{psp: true}"}.yaml(),
     "removed-field", 9, 22},
    {"an unknown tunnel", ShootText{.type = "cilium", .config = "{tunnel: gre}"}.yaml(),
     "bad-value", 9, 30},
    {"a lease that is a number",
     ShootText{.type = "cilium", .config = "{l2Announcements: {enabled: true, leaseDuration: 15}}"}
         .yaml(),
     "wrong-type", 9, 70},
    {"a lease without a unit",
     ShootText{.type = "cilium", .config = "{l2Announcements: {enabled: true, leaseDuration: '1'}}"}
         .yaml(),
     "bad-value", 9, 70},
    {"a hexadecimal MTU", ShootText{.config = "{vethMTU: \"0x5a0\"}"}.yaml(), "bad-value", 9, 31},
    {"no CPU at all", ShootText{.config = "{autoScaling: {resources: {node: {cpu: 0}}}}"}.yaml(),
     "bad-value", 9, 60},
    {"memory that is no quantity",
     ShootText{.config = "{autoScaling: {resources: {typha: {memory: 10 Mi}}}}"}.yaml(),
     "bad-value", 9, 64},
    {"memory below nothing",
     ShootText{.config = "{autoScaling: {resources: {typha: {memory: -1Gi}}}}"}.yaml(), "bad-value",
     9, 64},
    {"an MTU below IPv4's least", ShootText{.config = "{vethMTU: \"67\"}"}.yaml(), "bad-value", 9,
     31},
};

TEST(NetworkConfig, IsDecodedStrictly) {
  for (const Refused& row : kRefused) {
    SCOPED_TRACE(row.what);
    const Explanation explanation = explain_text(row.text);
    EXPECT_TRUE(explanation.networks.empty());
    ASSERT_EQ(explanation.findings.size(), 1u);
    const Finding& finding = explanation.findings[0];
    EXPECT_EQ(finding.rule, "not-admitted");
    EXPECT_EQ(finding.severity, Severity::Error);
    EXPECT_NE(finding.hint.find(std::string("(rule ") + row.rule + ")"), std::string::npos)
        << finding.to_string();
    EXPECT_EQ(finding.place, (SourceLocation{"x.yaml", row.line, row.column}))
        << finding.to_string();
  }
}

TEST(NetworkConfig, ResourcesAreQuantities) {
  for (const char* quantity :
       {"1", "0.5", ".5", "250m", "\"250m\"", "1.5Gi", "2e3", "1E-3", "+4k"}) {
    const Explanation explanation =
        explain_text(ShootText{.provider = "local",
                               .config = "{autoScaling: {mode: static, resources: {node: {cpu: " +
                                         std::string(quantity) + "}}}}"}
                         .yaml());
    EXPECT_EQ(explanation.networks.size(), 1u) << quantity;
  }
}

TEST(NetworkConfig, AnMtuIsDecimal) {
  const Explanation explanation =
      explain_text(ShootText{.provider = "local", .config = "{vethMTU: \"01440\"}"}.yaml());
  ASSERT_EQ(explanation.networks.size(), 1u);
  EXPECT_EQ(explanation.networks[0].dataplane.pod_mtu, 1440u);
}

TEST(NetworkConfig, OldSpellingsAreWarnings) {
  const std::string texts[] = {
      network_yaml("calico", "{apiVersion: calico.extensions.gardener.cloud/v1alpha1}"),
      ShootText{.provider = "local", .config = "{ipip: Never}"}.yaml()};
  for (const std::string& text : texts) {
    SCOPED_TRACE(text);
    const Explanation explanation = explain_text(text);
    EXPECT_EQ(explanation.networks.size(), 1u);
    const auto found = std::ranges::find(explanation.findings, "deprecated-field", &Finding::rule);
    ASSERT_NE(found, explanation.findings.end());
    EXPECT_EQ(found->severity, Severity::Warning);
  }
}

TEST(NetworkConfig, APatchIsDecodedAsStrictlyAsTheManifest) {
  const auto set = manifest::decode(document::parse(
      ShootText{.provider = "local", .config = "{overlay: {enabled: true}}"}.yaml(), "x.yaml"));
  ASSERT_EQ(set.clusters.size(), 1u);
  const auto patched = [&](const char* patch) {
    const auto stream = document::parse(patch, "patch");
    return derive(set.clusters[0], StageChoice::Auto, stream.documents.at(0).root());
  };
  const auto good = patched("{overlay: {enabled: false}}");
  ASSERT_TRUE(good);
  EXPECT_EQ(good->dataplane.mode, effective::Mode::Routed);
  const auto bad = patched("{vethMTU: 1440}");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().rule, "not-admitted");
  EXPECT_EQ(bad.error().path, "spec.networking.providerConfig.vethMTU");
}

}  // namespace network_config_test
}  // namespace overlane::explain
