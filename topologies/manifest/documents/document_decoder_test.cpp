#include "topologies/manifest/documents/document_decoder.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/document/syntax/parse.h"
#include "topologies/manifest/documents/manifest_set.h"
#include "topologies/manifest/testing/shoot_builder.h"

namespace overlane::manifest {

namespace fragment_test {

using ::testing::HasSubstr;

struct Row {
  const char* what;
  const char* text;
  const char* rule;
  int line;
  int column;
  const char* message;
};

constexpr const char* kCalico =
    "apiVersion: calico.networking.extensions.gardener.cloud/v1alpha1\nkind: NetworkConfig\n";

TEST(Fragment, IsReadAndNamedWithWhatItLacks) {
  const Row rows[] = {
      {"a NetworkConfig", kCalico, "incomplete-document", 1, 1,
       "this is a NetworkConfig alone: it lacks the shoot"},
      {"an InfrastructureConfig",
       "apiVersion: aws.provider.extensions.gardener.cloud/v1alpha1\nkind: InfrastructureConfig\n"
       "networks: {vpc: {cidr: 10.0.0.0/16}}\n",
       "incomplete-document", 1, 1, "this is an InfrastructureConfig alone"},
      {"a spec", "spec:\n  networking: {pods: 10.0.0.0/16}\n", "incomplete-document", 1, 1,
       "this is a part of a Shoot: it lacks apiVersion, kind and metadata.name"},
      {"networking", "networking:\n  type: calico\n", "incomplete-document", 1, 1,
       "this is a part of a Shoot's spec"},
      {"a provider", "provider:\n  type: aws\n  workers: []\n", "incomplete-document", 1, 1,
       "this is a part of a Shoot's spec"},
      {"an infrastructureConfig",
       "infrastructureConfig:\n  apiVersion: gcp.provider.extensions.gardener.cloud/v1alpha1\n"
       "  networks: {workers: 10.0.0.0/16}\n",
       "incomplete-document", 1, 1, "this is a part of a Shoot's spec.provider"},
      {"a range that is none", "networking:\n  type: calico\n  pods: banana\n", "not-admitted", 3,
       9, "networking.pods"},
      {"an InfrastructureConfig's range",
       "infrastructureConfig:\n  apiVersion: gcp.provider.extensions.gardener.cloud/v1alpha1\n"
       "  networks: {workers: 10.0.0.1/16}\n",
       "not-admitted", 3, 23, "infrastructureConfig.networks.workers"},
      {"a placeholder", "networking:\n  type: <some-type>\n", "placeholder", 2, 9,
       "networking.type"},
      {"something else's networking", "networking:\n  enabled: true\n", "unsupported-fragment", 1,
       1, "it has no kind"},
      {"a NetworkConfig of nobody", "kind: NetworkConfig\n", "unsupported-fragment", 1, 1,
       "a NetworkConfig alone"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.what);
    const ManifestSet set = decode(document::parse(row.text, "x.yaml"));
    EXPECT_TRUE(set.clusters.empty());
    ASSERT_EQ(set.findings.size(), 1u);
    EXPECT_EQ(set.findings[0].rule, row.rule);
    EXPECT_EQ(set.findings[0].severity, Severity::Error);
    EXPECT_EQ(set.findings[0].place, (SourceLocation{"x.yaml", row.line, row.column}));
    EXPECT_THAT(set.findings[0].message, HasSubstr(row.message));
  }
}

TEST(Fragment, OfANetworkConfigTheGroupNamesTheType) {
  for (const char* group : {"cilium.networking.extensions", "cilium.extensions"}) {
    const ManifestSet set = decode(document::parse(
        std::string("apiVersion: ") + group + ".gardener.cloud/v1alpha1\nkind: NetworkConfig\n",
        "x.yaml"));
    ASSERT_EQ(set.fragments.size(), 1u);
    EXPECT_EQ(set.fragments[0].type.value, "cilium");
    EXPECT_TRUE(set.fragments[0].provider_config.root().exists());
  }
}

TEST(Fragment, DoesNotHideTheDocumentsBesideIt) {
  const ManifestSet set =
      decode(document::parse(kCalico + ("---\n" + testing::ShootText{}.yaml()), "x.yaml"));
  EXPECT_EQ(set.clusters.size(), 1u);
  EXPECT_EQ(set.findings.size(), 1u);
}

TEST(Fragment, InDetailEveryFindingHasItsOwnRule) {
  const ManifestSet set = decode(
      document::parse("networking:\n  pods: banana\n  nodes: 10.0.0.1/8\n", "x.yaml"), Detail::All);
  ASSERT_EQ(set.findings.size(), 3u);
  EXPECT_EQ(set.findings[0].rule, "invalid-cidr");
  EXPECT_EQ(set.findings[1].rule, "invalid-cidr");
  EXPECT_EQ(set.findings[2].rule, "incomplete-document");
}

}  // namespace fragment_test

}  // namespace overlane::manifest
