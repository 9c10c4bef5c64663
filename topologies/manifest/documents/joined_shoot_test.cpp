#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/document/syntax/parse.h"
#include "topologies/manifest/documents/manifest_set.h"
#include "topologies/manifest/testing/shoot_builder.h"

namespace overlane::manifest {

namespace joins_test {

using testing::cluster_yaml;
using ::testing::ElementsAre;
using testing::extension_yaml;
using testing::garden_yaml;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::network_yaml;
using testing::ShootText;

ManifestSet decode_files(std::initializer_list<std::string> texts) {
  document::Stream stream;
  int number = 0;
  for (const std::string& text : texts)
    stream.append(
        document::parse(text, std::string(1, static_cast<char>('a' + number++)) + ".yaml"));
  return decode(stream);
}

ManifestSet decode_text(const std::string& text) {
  return decode_files({text});
}

std::vector<std::string> rules_of(const ManifestSet& set) {
  std::vector<std::string> rules;
  for (const Finding& finding : set.findings)
    rules.push_back(finding.rule);
  return rules;
}

std::string text_of(const Field<std::string>& field) {
  return field ? field->value : "nothing";
}

struct Added {
  const char* what;
  std::string documents;  ///< In addition to the Shoot of ShootText.
  std::function<std::string(const PodNetworkSpec&)> field;
  const char* value;
};

TEST(Joins, EveryDocumentAddsWhatTheShootLacks) {
  const std::string network = network_yaml("calico", "");
  const Added rows[] = {
      {"a Network its ranges", network, [](const auto& s) { return s.pods->value.to_string(); },
       "100.96.0.0/11"},
      {"a Network's status its families", network + "status: {ipFamilies: [IPv4, IPv6]}\n",
       [](const auto& s) { return s.status_ip_families->value.at(1); }, "IPv6"},
      {"an Infrastructure its config",
       extension_yaml("Infrastructure",
                      "spec: {type: aws, providerConfig: {networks: {vpc: {id: vpc-1}}}}\n"),
       [](const auto& s) { return text_of(s.shoot.infrastructure.network_id); }, "vpc-1"},
      {"an Infrastructure of the group's old name",
       extension_yaml("Infrastructure",
                      "spec: {type: aws, providerConfig: {apiVersion: "
                      "aws.extensions.gardener.cloud/v1alpha1, kind: InfrastructureConfig, "
                      "networks: {vpc: {cidr: 10.0.0.0/16}}}}\n"),
       [](const auto& s) { return s.shoot.infrastructure.network_cidr->value.to_string(); },
       "10.0.0.0/16"},
      {"an InfrastructureStatus its network",
       extension_yaml("Infrastructure",
                      "spec: {type: aws}\nstatus: {providerStatus: {vpc: {id: vpc-2}}}\n"),
       [](const auto& s) { return text_of(s.shoot.infrastructure.observed.network_id); }, "vpc-2"},
      {"an Infrastructure's status the nodes",
       extension_yaml("Infrastructure",
                      "spec: {type: aws}\nstatus: {networking: {nodes: [10.1.0.0/16]}}\n"),
       [](const auto& s) { return s.shoot.status_nodes.at(0).value.to_string(); }, "10.1.0.0/16"},
      {"an older Infrastructure's status the nodes",
       extension_yaml("Infrastructure", "spec: {type: aws}\nstatus: {nodesCIDR: 10.2.0.0/16}\n"),
       [](const auto& s) { return s.shoot.status_nodes.at(0).value.to_string(); }, "10.2.0.0/16"},
      {"an Infrastructure's status where traffic leaves",
       extension_yaml("Infrastructure", "spec: {type: aws}\nstatus: {egressCIDRs: [1.2.3.4/32]}\n"),
       [](const auto& s) { return s.shoot.status_egress.at(0).value.to_string(); }, "1.2.3.4/32"},
      {"a ControlPlane its routes' controller",
       extension_yaml("ControlPlane",
                      "spec: {type: aws, providerConfig: {cloudControllerManager: "
                      "{useCustomRouteController: true}}}\n"),
       [](const auto& s) {
         return s.shoot.control_plane.custom_route_controller->value ? "on" : "off";
       },
       "on"},
      {"a Worker its pools",
       extension_yaml("Worker",
                      "spec: {type: aws, pools: [{name: w, minimum: 2, maximum: 5, "
                      "machineType: m5.large}]}\n"),
       [](const auto& s) { return s.shoot.workers.at(0).machine_type; }, "m5.large"},
      {"a Cluster its node mask",
       cluster_yaml("{shoot: {metadata: {name: one, namespace: garden-dev}, spec: {kubernetes: "
                    "{kubeControllerManager: {nodeCIDRMaskSize: 25}}}}}"),
       [](const auto& s) { return std::to_string(s.shoot.node_cidr_mask_size->value); }, "25"},
      {"a Cluster what a webhook wrote",
       cluster_yaml("{shoot: {spec: {networking: {type: calico, providerConfig: "
                    "{overlay: {enabled: false}}}}}}"),
       [](const auto& s) {
         return std::string(s.provider_config.root()["overlay"]["enabled"].text());
       },
       "false"},
      {"a Cluster its Seed",
       cluster_yaml("{shoot: {spec: {}}, seed: {metadata: {name: s}, spec: {networks: {pods: "
                    "10.3.0.0/16}}}}"),
       [](const auto& s) { return s.seed->pods->value.to_string(); }, "10.3.0.0/16"},
      {"a Cluster that the shoot is live", cluster_yaml("{shoot: {spec: {}}}"),
       [](const auto& s) { return text_of(s.live); }, "it stands in a Cluster of a seed"},
  };
  for (const Added& row : rows) {
    SCOPED_TRACE(row.what);
    for (const std::string& text : {ShootText{}.yaml() + "---\n" + row.documents,
                                    row.documents + "---\n" + ShootText{}.yaml()}) {
      const ManifestSet set = decode_text(text);
      ASSERT_EQ(set.clusters.size(), 1u);
      EXPECT_FALSE(any_at_or_above(set.findings, Severity::Error));
      const PodNetworkSpec& spec = set.clusters[0];
      EXPECT_EQ(spec.object.qualified(), "garden-dev/one");
      EXPECT_EQ(row.field(spec), row.value);
      ASSERT_EQ(spec.sources.size(), 2u);
      EXPECT_EQ(spec.sources[0].object.kind, "Shoot");
    }
  }
}

TEST(Joins, AShootIsFoundByItsTechnicalIdByACluster_OrByItsNames) {
  const std::string other = network_yaml("calico", "", "shoot--x--y");
  const std::string told = ShootText{.status = "{technicalID: shoot--x--y}"}.yaml();
  EXPECT_EQ(decode_text(told + "---\n" + other).clusters.size(), 1u);
  const std::string embedded =
      "apiVersion: extensions.gardener.cloud/v1alpha1\nkind: Cluster\n"
      "metadata: {name: shoot--x--y}\n"
      "spec: {shoot: {metadata: {name: one, namespace: garden-dev}}}\n";
  EXPECT_EQ(decode_text(ShootText{}.yaml() + "---\n" + embedded + "---\n" + other).clusters.size(),
            1u);
  EXPECT_EQ(decode_text(ShootText{}.yaml() + "---\n" + other).clusters.size(), 2u);
}

struct Disagreement {
  const char* what;
  ShootText shoot;
  std::string document;
  const char* path;
  const char* winner;  ///< A part of the message.
};

constexpr const char* kPool = "[{name: w, machine: {type: m5.large}, minimum: 2, maximum: 21}]";

std::string worker(const std::string& pool) {
  return extension_yaml("Worker", "spec: {type: aws, pools: [" + pool + "]}\n");
}

TEST(Joins, DisagreementsNameBothPlaces) {
  const std::string network = network_yaml("calico", "");
  const Disagreement rows[] = {
      {"type", {.type = "cilium"}, network, "spec.networking.type", "spec.type is calico (a.yaml:"},
      {"pods",
       {.networking = "pods: 10.0.0.0/16"},
       network,
       "spec.networking.pods",
       "spec.podCIDR is 100.96.0.0/11 (a.yaml:"},
      {"services",
       {.networking = "services: 10.0.0.0/16"},
       network,
       "spec.networking.services",
       "spec.serviceCIDR is 100.64.0.0/13 (a.yaml:"},
      {"families",
       {.networking = "ipFamilies: [IPv4]"},
       network + "  ipFamilies: [IPv4, IPv6]\n",
       "spec.networking.ipFamilies",
       "spec.ipFamilies is IPv4, IPv6 (a.yaml:"},
      {"overlay",
       {.config = "{overlay: {enabled: true}, backend: bird}"},
       network_yaml("calico", "{overlay: {enabled: false}, backend: bird}"),
       "spec.networking.providerConfig",
       "differs in overlay from that of the Network (a.yaml:"},
      {"only the Shoot",
       {.config = "{backend: none}"},
       network,
       "spec.networking.providerConfig",
       "differs in backend from that of the Network (a.yaml:"},
      {"provider",
       {},
       extension_yaml("Infrastructure", "spec: {type: gcp}\n"),
       "spec.type",
       "spec.provider.type is aws (a.yaml:"},
      {"VPC",
       {.infrastructure = "{networks: {vpc: {id: vpc-1}}}"},
       extension_yaml("Infrastructure",
                      "spec: {type: aws, providerConfig: {networks: {vpc: {id: vpc-2}}}}\n"),
       "spec.providerConfig.networks.vpc.id",
       "networks.vpc.id is vpc-1 (a.yaml:"},
      {"a pool's maximum",
       {.workers = kPool},
       worker("{name: w, machineType: m5.large, minimum: 2, maximum: 9}"),
       "spec.pools",
       "the maximum of worker pool w is 9, but 21 elsewhere (a.yaml:"},
      {"a pool's machine type",
       {.workers = kPool},
       worker("{name: w, machineType: m6i.2xlarge, minimum: 2, maximum: 21}"),
       "spec.pools",
       "the machine type of worker pool w is m6i.2xlarge, but m5.large elsewhere (a.yaml:"},
      {"a pool that only the Shoot has",
       {.workers = "[{name: w, machine: {type: m5.large}, minimum: 2, maximum: 21}, {name: x, "
                   "machine: {type: m5.large}, minimum: 1, maximum: 1}]"},
       worker("{name: w, machineType: m5.large, minimum: 2, maximum: 21}"),
       "spec.pools",
       "worker pool x is missing, but counts (a.yaml:"},
  };
  for (const Disagreement& row : rows) {
    SCOPED_TRACE(row.what);
    const ManifestSet set = decode_text(row.shoot.yaml() + "---\n" + row.document);
    ASSERT_EQ(set.clusters.size(), 1u);
    ASSERT_THAT(rules_of(set), ElementsAre("documents-disagree"));
    EXPECT_EQ(set.findings[0].severity, Severity::Warning);
    EXPECT_EQ(set.findings[0].path, row.path);
    EXPECT_THAT(set.findings[0].message, HasSubstr("garden-dev/one: "));
    EXPECT_THAT(set.findings[0].message, HasSubstr(row.winner));
  }
}

TEST(Joins, EqualPoolsAreNoDisagreement) {
  const ManifestSet set =
      decode_text(ShootText{.workers = kPool}.yaml() + "---\n" +
                  worker("{name: w, machineType: m5.large, minimum: 2, maximum: 21, zones: [a]}"));
  EXPECT_THAT(rules_of(set), IsEmpty());
  EXPECT_EQ(set.clusters.size(), 1u);
}

TEST(Joins, WhatAdmissionAddsIsNoDisagreement) {
  for (const char* config : {"", "{}", "{overlay: {enabled: false}}"}) {
    const ManifestSet set =
        decode_text(ShootText{.config = config}.yaml() + "---\n" +
                    network_yaml("calico", "{overlay: {enabled: false, createPodRoutes: true}}"));
    EXPECT_THAT(rules_of(set), IsEmpty());
    EXPECT_EQ(set.clusters.size(), 1u);
  }
}

TEST(Joins, WhatTheNetworkSaysCounts) {
  const ManifestSet set = decode_text(
      ShootText{.config = "{overlay: {enabled: true}}", .networking = "pods: 10.0.0.0/16"}.yaml() +
      "---\n" + network_yaml("calico", "{overlay: {enabled: false}}"));
  ASSERT_EQ(set.clusters.size(), 1u);
  EXPECT_EQ(set.clusters[0].pods->value.to_string(), "100.96.0.0/11");
  EXPECT_EQ(set.clusters[0].provider_config.root()["overlay"]["enabled"].text(), "false");
}

TEST(Joins, ABadDocumentDoesNotHideTheOthersOfItsShoot) {
  std::string bad = network_yaml("calico", "");
  bad.replace(bad.find("100.96.0.0/11"), 13, "100.96.0.1/11");
  const ManifestSet shoot = decode_text(ShootText{}.yaml() + "---\n" + bad);
  ASSERT_EQ(shoot.clusters.size(), 1u);
  EXPECT_EQ(shoot.clusters[0].object.kind, "Shoot");
  EXPECT_THAT(rules_of(shoot), ElementsAre("not-admitted"));

  const ManifestSet network = decode_text(ShootText{.networking = "pods: 10.0.0.1/8"}.yaml() +
                                          "---\n" + network_yaml("calico", ""));
  ASSERT_EQ(network.clusters.size(), 1u);
  EXPECT_EQ(network.clusters[0].object.kind, "Network");
  EXPECT_THAT(rules_of(network), ElementsAre("not-admitted"));
}

TEST(Joins, SeedsAndCloudProfilesAreFoundByName) {
  const std::string garden =
      garden_yaml("Seed", "a", "{networks: {shootDefaults: {pods: 10.8.0.0/13}}}") + "---\n" +
      garden_yaml("CloudProfile", "p", "{limits: {maxNodesTotal: 7}}") + "---\n";
  for (const char* profile : {"cloudProfile: {name: p}", "cloudProfileName: p"}) {
    const ManifestSet set =
        decode_text(garden + ShootText{.spec = profile, .status = "{seedName: a}"}.yaml());
    EXPECT_THAT(rules_of(set), IsEmpty());
    ASSERT_EQ(set.clusters.size(), 1u);
    ASSERT_TRUE(set.clusters[0].seed && set.clusters[0].cloud_profile);
    EXPECT_EQ(set.clusters[0].seed->default_pods->value.to_string(), "10.8.0.0/13");
    EXPECT_EQ(set.clusters[0].cloud_profile->max_nodes_total->value, 7);
  }
}

TEST(Joins, ANamespacedCloudProfileInheritsFromItsParent) {
  const ManifestSet set = decode_text(
      garden_yaml("CloudProfile", "p", "{type: aws, limits: {maxNodesTotal: 7}}") +
      "---\napiVersion: core.gardener.cloud/v1beta1\nkind: NamespacedCloudProfile\n"
      "metadata: {name: mine, namespace: garden-dev}\n"
      "spec: {parent: {kind: CloudProfile, name: p}}\n---\n" +
      ShootText{.spec = "cloudProfile: {kind: NamespacedCloudProfile, name: mine}"}.yaml());
  EXPECT_THAT(rules_of(set), IsEmpty());
  ASSERT_EQ(set.clusters.size(), 1u);
  ASSERT_TRUE(set.clusters[0].cloud_profile);
  EXPECT_EQ(set.clusters[0].cloud_profile->name, "mine");
  EXPECT_EQ(set.clusters[0].cloud_profile->max_nodes_total->value, 7);
}

TEST(Joins, ThousandsOfShootsShareWhatTheyName) {
  constexpr int kShoots = 3'000;
  std::string list = garden_yaml("Seed", "a", "{}") + "---\n" +
                     garden_yaml("CloudProfile", "p", "{}") + "---\n" +
                     "apiVersion: core.gardener.cloud/v1beta1\nkind: ShootList\nitems:\n";
  std::string networks =
      "---\napiVersion: extensions.gardener.cloud/v1alpha1\nkind: NetworkList\nitems:\n";
  for (int i = 0; i < kShoots; ++i) {
    const std::string name = "s" + std::to_string(i);
    list += "- metadata: {name: " + name + ", namespace: garden-dev}\n" +
            "  spec: {seedName: a, cloudProfileName: p, provider: {type: aws}, " +
            "networking: {type: calico}}\n";
    networks += "- metadata: {name: n, namespace: shoot--dev--" + name + "}\n" +
                "  spec: {type: calico, podCIDR: 10.0.0.0/16, serviceCIDR: 10.1.0.0/16}\n";
  }
  const ManifestSet set = decode_text(list + networks);
  EXPECT_THAT(rules_of(set), IsEmpty());
  ASSERT_EQ(set.clusters.size(), std::size_t{kShoots});
  for (const PodNetworkSpec& spec : set.clusters) {
    EXPECT_EQ(spec.sources.size(), 4u);
    EXPECT_EQ(spec.seed, set.clusters[0].seed);
  }
}

}  // namespace joins_test

namespace seed_test {

using testing::garden_yaml;
using testing::ShootText;

struct SeedCase {
  const char* what;
  const char* networks;
  const char* rule;  ///< "": none.
  const char* path;
};

Findings findings_of(const std::string& yaml) {
  return decode(document::parse(yaml, "x.yaml"), Detail::All).findings;
}

TEST(Seed, ItsRangesAreJudgedAsItsOwnValidationDoes) {
  const SeedCase cases[] = {
      {"disjoint", "pods: 10.1.0.0/16, services: 10.2.0.0/16, nodes: 10.3.0.0/16", "", ""},
      {"pods hold the services", "pods: 10.0.0.0/8, services: 10.2.0.0/16", "seed-ranges-overlap",
       "spec.networks.services"},
      {"a default on its own nodes", "nodes: 100.96.0.0/16, shootDefaults: {pods: 100.96.0.0/11}",
       "seed-ranges-overlap", "spec.networks.shootDefaults.pods"},
      {"two families never overlap", "pods: 10.1.0.0/16, services: 'fd00::/112'", "", ""},
      {"a VPN range", "pods: 244.1.0.0/16", "seed-reserved-range", "spec.networks.pods"},
      {"a default in a VPN range", "shootDefaults: {services: 'fd8f:6d53:b97a:1::/112'}",
       "seed-reserved-range", "spec.networks.shootDefaults.services"},
      {"services of a /7", "services: 10.0.0.0/7", "seed-services-too-large",
       "spec.networks.services"},
      {"services of a /8", "services: 10.0.0.0/8", "", ""},
  };
  for (const SeedCase& one : cases) {
    const std::string seed =
        garden_yaml("Seed", "s", "{networks: {" + std::string(one.networks) + "}}");
    const Findings named = findings_of(ShootText{.spec = "seedName: s"}.yaml() + "---\n" + seed);
    const Findings alone = findings_of(seed);
    ASSERT_EQ(alone.size(), named.size() + 1)
        << one.what << ": a Seed that no Shoot names gets one more finding, a note";
    EXPECT_EQ(named.empty(), std::string(one.rule).empty()) << one.what;
    for (const Finding& finding : named) {
      EXPECT_EQ(finding.rule, one.rule) << one.what;
      EXPECT_EQ(finding.path, one.path) << one.what;
      EXPECT_EQ(finding.object.kind, "Seed") << one.what;
    }
  }
}

TEST(Seed, OneThatWouldBeRefusedGivesItsShootsNothing) {
  const ManifestSet set = decode(document::parse(
      ShootText{.spec = "seedName: s"}.yaml() + "---\n" +
          garden_yaml("Seed", "s", "{networks: {pods: 10.0.0.0/8, services: 10.2.0.0/16}}"),
      "x.yaml"));
  ASSERT_EQ(set.clusters.size(), 1u);
  EXPECT_EQ(set.clusters[0].seed, nullptr);
  ASSERT_EQ(set.findings.size(), 1u);
  EXPECT_EQ(set.findings[0].rule, "not-admitted");
  EXPECT_THAT(set.findings[0].hint, ::testing::HasSubstr("(rule seed-ranges-overlap)"));
}

}  // namespace seed_test

namespace seeds_test {

using testing::cluster_yaml;
using testing::garden_yaml;
using ::testing::HasSubstr;
using testing::ShootText;

const std::string kShoot = ShootText{.spec = "seedName: a"}.yaml() + "---\n";

ManifestSet decode_text(const std::string& text, Detail detail = Detail::Summary) {
  return decode(document::parse(text, "x.yaml"), detail);
}

std::string defaults(const std::string& pods) {
  return "{networks: {shootDefaults: {pods: " + pods + "}}}";
}

std::string managed_seed(const std::string& config) {
  return "apiVersion: seedmanagement.gardener.cloud/v1alpha1\nkind: ManagedSeed\n"
         "metadata: {name: a, namespace: garden}\n"
         "spec: {shoot: {name: b}, gardenlet: {config: {" +
         config + "}}}\n";
}

TEST(Seeds, AManagedSeedHoldsTheSeedOfItsName) {
  const ManifestSet set =
      decode_text(kShoot + managed_seed("seedConfig: {spec: " + defaults("10.0.0.0/16") + "}"));
  ASSERT_EQ(set.clusters.size(), 1u);
  ASSERT_TRUE(set.clusters[0].seed);
  EXPECT_EQ(set.clusters[0].seed->name, "a");
  EXPECT_EQ(set.clusters[0].seed->default_pods->path,
            "spec.gardenlet.config.seedConfig.spec.networks.shootDefaults.pods");
  EXPECT_EQ(set.clusters[0].sources.at(1).object.kind, "ManagedSeed");
  EXPECT_TRUE(set.findings.empty());
}

TEST(Seeds, TheSeedItselfCountsMoreThanItsManagedSeed) {
  const ManifestSet set =
      decode_text(kShoot + managed_seed("seedConfig: {spec: " + defaults("10.0.0.0/16") + "}") +
                  "---\n" + garden_yaml("Seed", "a", defaults("10.1.0.0/16")));
  ASSERT_TRUE(set.clusters.at(0).seed);
  EXPECT_EQ(set.clusters[0].seed->default_pods->value.to_string(), "10.1.0.0/16");
}

TEST(Seeds, AManagedSeedWithoutASeedsConfigSaysNothing) {
  EXPECT_FALSE(decode_text(kShoot + managed_seed("")).clusters.at(0).seed);
}

TEST(Seeds, OneThatAClusterEmbedsWithoutANameIsNamedAfterIt) {
  const ManifestSet set = decode_text(cluster_yaml(
      "{shoot: {spec: {networking: {type: calico}}}, seed: {spec: " + defaults("10.0.0.0/16") +
      "}, cloudProfile: {spec: {limits: {maxNodesTotal: "
      "3}}}}"));
  const PodNetworkSpec& spec = set.clusters.at(0);
  ASSERT_TRUE(spec.seed && spec.cloud_profile);
  EXPECT_EQ(spec.seed->name, "of the Cluster shoot--dev--one");
  EXPECT_EQ(spec.cloud_profile->kind, "CloudProfile");
  EXPECT_EQ(spec.cloud_profile->name, "of the Cluster shoot--dev--one");
}

TEST(Seeds, BadValuesOfOneThatAClusterEmbedsAreReported) {
  const std::string cluster = cluster_yaml(
      "{shoot: {spec: {provider: {type: gcp}, networking: {type: calico}}}, "
      "seed: {spec: " +
      defaults("10.0.0.5/16") + "}}");
  const ManifestSet all = decode_text(cluster, Detail::All);
  ASSERT_EQ(all.findings.size(), 1u);
  EXPECT_EQ(all.findings[0].rule, "invalid-cidr");
  EXPECT_THAT(all.findings[0].path, HasSubstr("spec.seed.spec.networks"));
  EXPECT_EQ(all.findings[0].object.kind, "Cluster");
  const ManifestSet summary = decode_text(cluster);
  ASSERT_EQ(summary.findings.size(), 1u);
  EXPECT_EQ(summary.findings[0].rule, "not-admitted");
  EXPECT_FALSE(summary.clusters.at(0).seed);
}

std::string unscheduled(const std::string& spec = "") {
  return ShootText{.provider = "openstack", .spec = spec + "region: eu"}.yaml() + "---\n";
}

std::string seed_of(const std::string& name, const std::string& spec,
                    const std::string& labels = "") {
  return "apiVersion: core.gardener.cloud/v1beta1\nkind: Seed\nmetadata: {name: " + name +
         ", labels: {" + labels + "}}\nspec: {" + spec + "}\n";
}

constexpr const char* kHere = "provider: {type: openstack, region: eu}";

struct SchedulingRow {
  const char* what;
  std::string shoot;  ///< Further lines of its spec.
  std::string seeds;
  std::vector<std::string> possible;
  std::ptrdiff_t unused = 0;  ///< Seeds that no shoot could get.
};

TEST(Seeds, AShootWithoutOneIsComparedWithThoseThatCouldTakeIt) {
  const std::string labelled = seed_of("a", kHere, "zone: one") + "---\n" + seed_of("b", kHere);
  const SchedulingRow rows[] = {
      {"its provider type and region", "", seed_of("a", kHere), {"a"}},
      {"another provider type", "", seed_of("a", "provider: {type: aws, region: eu}"), {}, 1},
      {"another region", "", seed_of("a", "provider: {type: openstack, region: us}"), {}, 1},
      {"one that takes no shoots",
       "",
       seed_of("a", std::string(kHere) + ", settings: {scheduling: {visible: false}}"),
       {},
       1},
      {"several", "", labelled, {"a", "b"}},
      {"by label", "seedSelector: {matchLabels: {zone: one}}\n  ", labelled, {"a"}, 1},
      {"by an expression",
       "seedSelector: {matchExpressions: [{key: zone, operator: DoesNotExist}]}\n  ",
       labelled,
       {"b"},
       1},
      {"by a list of values",
       "seedSelector: {matchExpressions: [{key: zone, operator: In, values: [one, two]}]}\n  ",
       labelled,
       {"a"},
       1},
      {"by the exclusion of values",
       "seedSelector: {matchExpressions: [{key: zone, operator: NotIn, values: [one]}]}\n  ",
       labelled,
       {"b"},
       1},
      {"of a named provider type",
       "seedSelector: {providerTypes: [aws]}\n  ",
       seed_of("a", "provider: {type: aws, region: eu}"),
       {"a"}},
      {"of any provider type",
       "seedSelector: {providerTypes: ['*']}\n  ",
       seed_of("a", "provider: {type: aws, region: eu}"),
       {"a"}},
      {"inside a ManagedSeed",
       "",
       managed_seed("seedConfig: {spec: {" + std::string(kHere) + "}}"),
       {"a"}},
      {"its own seed alone", "seedName: b\n  ", labelled, {}, 1},
  };
  for (const SchedulingRow& row : rows) {
    SCOPED_TRACE(row.what);
    const ManifestSet set = decode_text(unscheduled(row.shoot) + row.seeds);
    ASSERT_EQ(set.clusters.size(), 1u);
    std::vector<std::string> possible;
    for (const auto& seed : set.clusters[0].possible_seeds)
      possible.push_back(seed->name);
    EXPECT_EQ(possible, row.possible);
    EXPECT_EQ(std::ranges::count(set.findings, "unused-document", &Finding::rule), row.unused);
  }
}

}  // namespace seeds_test

}  // namespace overlane::manifest
