#include "topologies/manifest/manifest_set.h"

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/document/read.h"
#include "topologies/manifest/testing/shoot_builder.h"

namespace overlane::manifest {
namespace {

using ::testing::HasSubstr;
using testing::network_yaml;
using ::testing::Not;
using testing::ShootText;

ManifestSet decode_text(const std::string& text) {
  return decode(document::parse(text, "x.yaml"));
}

struct Refused {
  const char* what;
  std::string text;
  const char* rule;
  Severity severity;
  int line;
  int column;
};

const Refused kRefused[] = {
    {"a Secret", "apiVersion: v1\nkind: Secret\ndata: {key: aHVudGVyMg==}\n", "unsupported-kind",
     Severity::Note, 2, 7},
    {"a Network of another project", "apiVersion: config.openshift.io/v1\nkind: Network\n",
     "unsupported-kind", Severity::Note, 2, 7},
    {"a Shoot of 2019", "apiVersion: garden.sapcloud.io/v1beta1\nkind: Shoot\n",
     "unsupported-api-version", Severity::Error, 1, 13},
    {"a Shoot without apiVersion", "kind: Shoot\n", "unsupported-api-version", Severity::Error, 1,
     1},
    {"an old embedded shoot",
     "apiVersion: extensions.gardener.cloud/v1alpha1\nkind: Cluster\nmetadata: {name: c}\n"
     "spec:\n  shoot:\n    apiVersion: garden.sapcloud.io/v1beta1\n    kind: Shoot\n",
     "unsupported-api-version", Severity::Error, 6, 17},
    {"a document without kind", "spec:\n  networking: {type: calico}\n", "unsupported-fragment",
     Severity::Error, 1, 1},
    {"a text file", "just some words\n", "unsupported-fragment", Severity::Error, 1, 1},
    {"a NetworkConfig alone",
     "apiVersion: calico.networking.extensions.gardener.cloud/v1alpha1\nkind: NetworkConfig\n",
     "unsupported-fragment", Severity::Error, 1, 1},
    {"a patch of a Shoot",
     "apiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\nmetadata: {name: a}\nspec:\n"
     "  networking:\n    pods: 10.0.0.0/8\n",
     "unsupported-fragment", Severity::Error, 6, 5},
    {"a Cluster with a partial shoot",
     "apiVersion: extensions.gardener.cloud/v1alpha1\nkind: Cluster\nmetadata: {name: c}\n"
     "spec:\n  shoot:\n    spec: {networking: {pods: 10.0.0.0/8}}\n",
     "unsupported-fragment", Severity::Error, 6, 24},
    {"another network plugin", ShootText{.type = "gardenet", .config = "{a: <value>}"}.yaml(),
     "unsupported-cni", Severity::Error, 8, 11},
    {"a placeholder for the plugin", ShootText{.type = "<some-type>"}.yaml(), "placeholder",
     Severity::Error, 8, 11},
    {"a placeholder for the provider", ShootText{.provider = "<some-provider>"}.yaml(),
     "placeholder", Severity::Error, 6, 11},
    {"a placeholder instead of a mapping", ShootText{.infrastructure = "<some-config>"}.yaml(),
     "placeholder", Severity::Error, 7, 27},
    {"a shell variable", ShootText{.networking = "pods: ${PODS}"}.yaml(), "template",
     Severity::Error, 9, 11},
    {"a quoted template", ShootText{.networking = "pods: \"{{ .Values.pods }}\""}.yaml(),
     "template", Severity::Error, 9, 11},
    {"an ellipsis as value", ShootText{.networking = "pods: ..."}.yaml(), "elision",
     Severity::Error, 9, 11},
    {"host bits", ShootText{.networking = "pods: 10.0.0.5/16"}.yaml(), "not-admitted",
     Severity::Error, 9, 11},
    {"no CIDR", ShootText{.networking = "nodes: banana"}.yaml(), "not-admitted", Severity::Error, 9,
     12},
    {"an MTU that is a number", ShootText{.config = "{vethMTU: 1440}"}.yaml(), "not-admitted",
     Severity::Error, 9, 31},
    {"an MTU that is no number", ShootText{.config = "{vethMTU: \"big\"}"}.yaml(), "not-admitted",
     Severity::Error, 9, 31},
    {"an unknown field", ShootText{.config = "{ovrelay: {enabled: true}}"}.yaml(), "not-admitted",
     Severity::Error, 9, 22},
    {"an unknown backend", ShootText{.config = "{backend: BIRD}"}.yaml(), "not-admitted",
     Severity::Error, 9, 31},
    {"a quoted boolean", ShootText{.config = "{overlay: {enabled: \"true\"}}"}.yaml(),
     "not-admitted", Severity::Error, 9, 41},
    {"CrossSubnet with pool vxlan",
     ShootText{.config = "{ipv4: {pool: vxlan, mode: CrossSubnet}}"}.yaml(), "not-admitted",
     Severity::Error, 9, 48},
    {"cilium's config in a calico shoot",
     ShootText{.config = "{apiVersion: cilium.networking.extensions.gardener.cloud/v1alpha1}"}
         .yaml(),
     "not-admitted", Severity::Error, 9, 34},
    {"a cilium field that is gone", ShootText{.type = "cilium", .config = "{psp: true}"}.yaml(),
     "not-admitted", Severity::Error, 9, 22},
    {"an unknown tunnel", ShootText{.type = "cilium", .config = "{tunnel: gre}"}.yaml(),
     "not-admitted", Severity::Error, 9, 30},
    {"an MTU beyond GCP's",
     ShootText{.provider = "gcp", .infrastructure = "{networks: {mtu: 9000}}"}.yaml(),
     "not-admitted", Severity::Error, 7, 44},
    {"no pods at all", ShootText{.kubernetes = "{kubelet: {maxPods: 0}}"}.yaml(), "not-admitted",
     Severity::Error, 9, 35},
    {"an IP family twice", ShootText{.networking = "ipFamilies: [IPv4, IPv4]"}.yaml(),
     "not-admitted", Severity::Error, 9, 24},
    {"an unknown kube-proxy mode", ShootText{.kubernetes = "{kubeProxy: {mode: iptables}}"}.yaml(),
     "not-admitted", Severity::Error, 9, 34},
    {"a Network without podCIDR",
     "apiVersion: extensions.gardener.cloud/v1alpha1\nkind: Network\nspec:\n  type: calico\n"
     "  serviceCIDR: 10.96.0.0/16\n",
     "not-admitted", Severity::Error, 4, 3},
};

TEST(ManifestSet, EveryUnusedDocumentHasExactlyOneFinding) {
  for (const Refused& row : kRefused) {
    SCOPED_TRACE(row.what);
    const ManifestSet set = decode_text(row.text);
    EXPECT_TRUE(set.clusters.empty());
    ASSERT_EQ(set.findings.size(), 1u);
    const Finding& finding = set.findings[0];
    EXPECT_EQ(finding.rule, row.rule) << finding.to_string();
    EXPECT_EQ(finding.severity, row.severity);
    EXPECT_EQ(finding.place, (Place{"x.yaml", row.line, row.column})) << finding.to_string();
    EXPECT_THAT(finding.to_string(), Not(HasSubstr("aHVudGVyMg")));
  }
}

TEST(ManifestSet, MessagesLeadWithTheObjectAndOfferTheRightSpelling) {
  const ManifestSet set = decode_text(ShootText{.config = "{ovrelay: {}, vethMTU: 1}"}.yaml());
  ASSERT_EQ(set.findings.size(), 1u);
  EXPECT_EQ(set.findings[0].message,
            "garden-dev/one: spec.networking.providerConfig.vethMTU must be a string, not an "
            "integer (and 1 more)");
  const Finding typo = decode_text(ShootText{.config = "{ovrelay: {}}"}.yaml()).findings.at(0);
  EXPECT_EQ(typo.path, "spec.networking.providerConfig.ovrelay");
  EXPECT_EQ(typo.hint, "did you mean overlay?");
}

TEST(ManifestSet, ANetworkTakesProviderNodesAndWorkersFromItsCluster) {
  const ManifestSet set = decode_text(
      "apiVersion: extensions.gardener.cloud/v1alpha1\nkind: Cluster\n"
      "metadata: {name: shoot--dev--one}\n"
      "spec: {shoot: {spec: {provider: {type: gcp, workers: [{name: w, minimum: 2, maximum: 3}]},"
      " networking: {nodes: 10.0.0.0/16}}}}\n---\n" +
      network_yaml("calico", ""));
  ASSERT_EQ(set.clusters.size(), 1u);
  EXPECT_TRUE(set.findings.empty());
  const ClusterSpec& spec = set.clusters[0];
  EXPECT_EQ(spec.object.kind, "Network");
  EXPECT_EQ(spec.shoot.provider->value, "gcp");
  EXPECT_EQ(spec.shoot.nodes->value.to_string(), "10.0.0.0/16");
  ASSERT_EQ(spec.shoot.workers.size(), 1u);
  EXPECT_EQ(spec.shoot.workers[0].minimum, 2);
}

TEST(ManifestSet, AClusterOfAnotherNamespaceIsNotJoined) {
  const ManifestSet set = decode_text(
      "apiVersion: extensions.gardener.cloud/v1alpha1\nkind: Cluster\nmetadata: {name: other}\n"
      "spec: {shoot: {spec: {provider: {type: gcp}}}}\n---\n" +
      network_yaml("calico", ""));
  ASSERT_EQ(set.clusters.size(), 1u);
  EXPECT_FALSE(set.clusters[0].shoot.provider);
  ASSERT_EQ(set.findings.size(), 1u);
  EXPECT_EQ(set.findings[0].rule, "unsupported-fragment");
}

TEST(ManifestSet, ItemsOfAListAreObjectsOfTheirOwn) {
  const ManifestSet set = decode_text(
      "apiVersion: v1\nkind: List\nitems:\n"
      "- apiVersion: core.gardener.cloud/v1beta1\n  kind: Shoot\n  metadata: {name: a, uid: u}\n"
      "  spec: {provider: {type: aws}, networking: {type: calico}}\n"
      "- apiVersion: v1\n  kind: ConfigMap\n");
  ASSERT_EQ(set.clusters.size(), 1u);
  EXPECT_TRUE(set.clusters[0].live);
  ASSERT_EQ(set.findings.size(), 1u);
  EXPECT_EQ(set.findings[0].rule, "unsupported-kind");
}

struct Warned {
  const char* what;
  std::string text;
  const char* rule;
};

TEST(ManifestSet, UsedDocumentsMayWarn) {
  std::string renamed = network_yaml("calico", "");
  renamed.replace(renamed.find("podCIDR"), 7, "clusterCIDR");
  const Warned rows[] = {
      {"clusterCIDR", renamed, "deprecated-field"},
      {"the group of before 2020",
       network_yaml("calico", "{apiVersion: calico.extensions.gardener.cloud/v1alpha1}"),
       "deprecated-field"},
      {"the field ipip", ShootText{.config = "{ipip: Never}"}.yaml(), "deprecated-field"},
      {"podCIDR in a Shoot", ShootText{.networking = "podCIDR: 10.0.0.0/8"}.yaml(),
       "unknown-field"},
      {"no provider", ShootText{.provider = ""}.yaml(), "unknown-provider"},
  };
  for (const Warned& row : rows) {
    SCOPED_TRACE(row.what);
    const ManifestSet set = decode_text(row.text);
    EXPECT_EQ(set.clusters.size(), 1u);
    ASSERT_EQ(set.findings.size(), 1u);
    EXPECT_EQ(set.findings[0].rule, row.rule);
    EXPECT_EQ(set.findings[0].severity, Severity::Warning);
  }
}

TEST(ManifestSet, APatchIsDecodedAsStrictlyAsTheManifest) {
  const ManifestSet set = decode_text(ShootText{.config = "{overlay: {enabled: true}}"}.yaml());
  ASSERT_EQ(set.clusters.size(), 1u);
  const auto patched = [&](const char* patch) {
    return with_network_config(set.clusters[0],
                               document::parse(patch, "patch").documents.at(0).root());
  };
  const Result<ClusterSpec> good = patched("{overlay: {enabled: false}}");
  ASSERT_TRUE(good);
  EXPECT_FALSE(std::get<CalicoConfig>(good->config).overlay->value.enabled->value);
  const Result<ClusterSpec> bad = patched("{vethMTU: 1440}");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().rule, "not-admitted");
  EXPECT_EQ(bad.error().path, "spec.networking.providerConfig.vethMTU");
}

TEST(ManifestSet, EveryExampleManifestIsUsed) {
  const std::filesystem::path folder =
      std::filesystem::path(OVERLANE_SOURCE_DIR) / "topologies/library/manifests";
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    SCOPED_TRACE(entry.path().string());
    const auto stream = document::read(entry.path().string());
    ASSERT_TRUE(stream);
    const ManifestSet set = decode(*stream);
    EXPECT_EQ(set.clusters.size(), 1u);
    EXPECT_FALSE(any_at_or_above(set.findings, Severity::Error));
    ++files;
  }
  EXPECT_GE(files, 10u);
}

}  // namespace
}  // namespace overlane::manifest
