#include <functional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/document/syntax/parse.h"
#include "topologies/manifest/documents/manifest_set.h"
#include "topologies/manifest/testing/shoot_builder.h"

namespace overlane::manifest {
namespace shoot_2020_test {

/// `cloud`: a flow mapping of the content of spec.cloud besides the region.
std::string old_shoot(const std::string& cloud, const std::string& more = "") {
  return "apiVersion: garden.sapcloud.io/v1beta1\nkind: Shoot\n"
         "metadata: {name: one, namespace: garden-dev}\n"
         "spec:\n  cloud: {profile: p, region: eu-west-1, seed: s, secretBindingRef: {name: b}, " +
         cloud + "}\n  kubernetes: {version: 1.17.0, allowPrivilegedContainers: true}\n" + more;
}

ManifestSet decode_text(const std::string& text) {
  return decode(document::parse(text, "x.yaml"));
}

struct FieldRow {
  const char* what;
  const char* cloud;
  std::function<std::string(const PodNetworkSpec&)> field;
  const char* value;
};

TEST(Shoot2020, IsReadAsTheShootThatItBecame) {
  const FieldRow rows[] = {
      {"the network type", "aws: {}", [](const auto& s) { return s.type.value; }, "calico"},
      {"the provider", "alicloud: {}", [](const auto& s) { return s.shoot.provider->value; },
       "alicloud"},
      {"the region", "aws: {}", [](const auto& s) { return s.shoot.region->value; }, "eu-west-1"},
      {"the credentials", "aws: {}", [](const auto& s) { return s.shoot.credentials->value; }, "b"},
      {"the seed", "aws: {}", [](const auto& s) { return s.shoot.seed_name->value; }, "s"},
      {"the cloud profile", "aws: {}",
       [](const auto& s) { return s.shoot.cloud_profile->value.name; }, "p"},
      {"pods", "aws: {networks: {pods: 10.0.0.0/16}}",
       [](const auto& s) { return s.pods->value.to_string(); }, "10.0.0.0/16"},
      {"services", "gcp: {networks: {services: 10.0.0.0/16}}",
       [](const auto& s) { return s.services->value.to_string(); }, "10.0.0.0/16"},
      {"nodes", "aws: {networks: {nodes: 10.0.0.0/16}}",
       [](const auto& s) { return s.shoot.nodes->value.to_string(); }, "10.0.0.0/16"},
      {"nodes by the VPC", "aws: {networks: {vpc: {cidr: 10.3.0.0/16}, workers: [10.3.0.0/19]}}",
       [](const auto& s) { return s.shoot.nodes->value.to_string(); }, "10.3.0.0/16"},
      {"nodes by the only workers", "aws: {zones: [a], networks: {workers: [10.3.0.0/19]}}",
       [](const auto& s) { return s.shoot.nodes->value.to_string(); }, "10.3.0.0/19"},
      {"nodes by azure's workers", "azure: {networks: {workers: 10.1.0.0/16}}",
       [](const auto& s) { return s.shoot.nodes->value.to_string(); }, "10.1.0.0/16"},
      {"an existing VPC of aws", "aws: {networks: {vpc: {id: vpc-1}}}",
       [](const auto& s) { return s.shoot.infrastructure.network_id->value; }, "vpc-1"},
      {"an existing VPC of gcp", "gcp: {networks: {vpc: {name: mine}}}",
       [](const auto& s) { return s.shoot.infrastructure.network_id->value; }, "mine"},
      {"an existing router", "openstack: {networks: {router: {id: r}}, floatingPoolName: f}",
       [](const auto& s) { return s.shoot.infrastructure.network_id->value; }, "r"},
      {"the vnet's range", "azure: {networks: {vnet: {cidr: 10.0.0.0/8}, workers: 10.1.0.0/16}}",
       [](const auto& s) { return s.shoot.infrastructure.network_cidr->value.to_string(); },
       "10.0.0.0/8"},
      {"azure's workers", "azure: {networks: {workers: 10.1.0.0/16}}",
       [](const auto& s) { return s.shoot.infrastructure.workers_cidr->value.to_string(); },
       "10.1.0.0/16"},
      {"gcp's workers", "gcp: {networks: {workers: [10.2.0.0/16]}}",
       [](const auto& s) { return s.shoot.infrastructure.workers_cidr->value.to_string(); },
       "10.2.0.0/16"},
      {"the zones' subnets",
       "aws: {zones: [a, b], networks: {workers: [10.0.0.0/19, 10.1.0.0/19], "
       "internal: [10.2.0.0/22], public: [10.3.0.0/22]}}",
       [](const auto& s) {
         const auto& zone = s.shoot.infrastructure.zones.at(1);
         return zone.name + " " + zone.workers->value.to_string();
       },
       "b 10.1.0.0/19"},
      {"the workers",
       "aws: {zones: [a], workers: [{name: w, machineType: m5.large, volumeSize: 20Gi, "
       "autoScalerMin: 2, autoScalerMax: 5, maxSurge: 1, kubelet: {maxPods: 50}}]}",
       [](const auto& s) {
         const WorkerPool& pool = s.shoot.workers.at(0);
         return pool.name + " " + pool.machine_type + " " + std::to_string(pool.minimum) + "-" +
                std::to_string(pool.maximum) + " " + pool.zones.at(0) + " " +
                std::to_string(pool.max_pods->value);
       },
       "w m5.large 2-5 a 50"},
  };
  for (const FieldRow& row : rows) {
    SCOPED_TRACE(row.what);
    const ManifestSet set = decode_text(old_shoot(row.cloud));
    ASSERT_EQ(set.clusters.size(), 1u);
    EXPECT_EQ(row.field(set.clusters[0]), row.value);
    ASSERT_EQ(set.findings.size(), 1u) << set.findings[1].to_string();
    EXPECT_EQ(set.findings[0].rule, "deprecated-api-version");
    EXPECT_EQ(set.findings[0].severity, Severity::Warning);
    EXPECT_EQ(set.findings[0].place.line, 1);
  }
}

TEST(Shoot2020, ItsLastReleasesNamedTheNetworkType) {
  const ManifestSet set =
      decode_text(old_shoot("aws: {}", "  networking: {type: other, pods: 10.0.0.0/16}\n"));
  ASSERT_EQ(set.clusters.size(), 1u);
  EXPECT_EQ(set.clusters[0].type.value, "other");
  EXPECT_EQ(set.clusters[0].pods->value.to_string(), "10.0.0.0/16");
}

TEST(Shoot2020, UnknownFieldsAreNamed) {
  const ManifestSet set = decode_text(old_shoot("aws: {networks: {worker: [10.0.0.0/19]}}"));
  ASSERT_EQ(set.findings.size(), 2u);
  EXPECT_EQ(set.findings[1].rule, "unknown-field");
  EXPECT_EQ(set.findings[1].path, "spec.cloud.aws.networks.worker");
}

TEST(Shoot2020, AClusterMayEmbedOne) {
  std::string shoot = old_shoot("aws: {networks: {vpc: {id: vpc-1}}}");
  for (auto at = shoot.find('\n'); at + 1 < shoot.size(); at = shoot.find('\n', at + 1))
    shoot.insert(at + 1, "    ");
  const ManifestSet set = decode_text(
      "apiVersion: extensions.gardener.cloud/v1alpha1\nkind: Cluster\n"
      "metadata: {name: shoot--dev--one}\nspec:\n  shoot:\n    " +
      shoot + "---\n" + testing::network_yaml("calico", ""));
  ASSERT_EQ(set.clusters.size(), 1u);
  EXPECT_EQ(set.clusters[0].object.kind, "Network");
  EXPECT_EQ(set.clusters[0].shoot.infrastructure.network_id->value, "vpc-1");
}

TEST(Shoot2020, WithoutACloudItIsAFragment) {
  const ManifestSet set =
      decode_text("apiVersion: garden.sapcloud.io/v1beta1\nkind: Shoot\nmetadata: {name: a}\n");
  EXPECT_TRUE(set.clusters.empty());
  ASSERT_EQ(set.findings.size(), 1u);
  EXPECT_EQ(set.findings[0].rule, "unsupported-fragment");
  const ManifestSet embedded = decode_text(testing::cluster_yaml(
      "{shoot: {apiVersion: garden.sapcloud.io/v1beta1, kind: Shoot, status: {seed: s}}}"));
  EXPECT_TRUE(embedded.clusters.empty());
  ASSERT_EQ(embedded.findings.size(), 1u);
  EXPECT_EQ(embedded.findings[0].rule, "unsupported-fragment");
}

}  // namespace shoot_2020_test
}  // namespace overlane::manifest
