#include "topologies/explain/explanation.h"

#include <algorithm>
#include <regex>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "results/base/testing/source_file.h"
#include "topologies/document/read/read.h"
#include "topologies/document/syntax/parse.h"
#include "topologies/explain/testing/rendered.h"
#include "topologies/manifest/testing/shoot_builder.h"

namespace overlane::explain {

using derive::StageChoice;
namespace explanation_test {

using namespace effective;  // NOLINT(google-build-using-namespace): the values under test.

using explain::testing::rendered;
using manifest::testing::network_yaml;
using manifest::testing::ShootText;
using ::testing::HasSubstr;
using ::testing::Not;

Explanation explain_text(const std::string& yaml) {
  return explain(document::parse(yaml, "x.yaml"), StageChoice::Auto);
}

/// Enough for several groups: whole shoots, broken and foreign ones.
std::string landscape() {
  std::string text =
      "apiVersion: core.gardener.cloud/v1beta1\nkind: Seed\nmetadata: {name: seed}\n"
      "spec: {networks: {shootDefaults: {pods: 100.64.0.0/12}}}\n";
  for (int number = 0; number < 500; ++number) {
    text += "---\n";
    if (number % 11 == 0) {
      text += fmt::format("kind: ConfigMap\nmetadata: {{name: map-{}}}\n", number);
      continue;
    }
    ShootText shoot{.spec = "seedName: seed"};
    if (number % 3 == 0) shoot.networking = "pods: 100.80.0.0/12";
    if (number % 7 == 0) shoot.networking = "pods: 10.0.0.1/8";
    std::string yaml = shoot.yaml();
    yaml.replace(yaml.find("name: one"), 9, fmt::format("name: shoot-{}", number));
    text += yaml;
  }
  return text;
}

TEST(Explain, DoesNotDependOnTheNumberOfThreads) {
  const document::Stream stream = document::parse(landscape(), "x.yaml");
  const auto text = [&](unsigned threads) {
    return rendered(explain(stream, StageChoice::Auto, threads), Form::Json);
  };
  const std::string alone = text(1);
  EXPECT_THAT(alone, HasSubstr("invalid-cidr"));
  EXPECT_THAT(alone, HasSubstr("its seed seed does"));
  for (const unsigned threads : {2u, 5u})
    EXPECT_TRUE(text(threads) == alone) << threads;
}

TEST(ExplanationJson, SpellsTheContract) {
  const auto json = nlohmann::ordered_json::parse(
      rendered(explain_text(ShootText{}.yaml() + "---\nkind: Secret\n"), Form::Json));
  EXPECT_EQ(json.begin().key(), "schema_version");
  EXPECT_EQ(json["kind"], "Explanation");
  const auto& network = json["networks"][0];
  EXPECT_EQ(network["name"], "one");
  EXPECT_EQ(network["namespace"], "garden-dev");
  EXPECT_EQ(network["stage"], "create");
  EXPECT_EQ(network["provider"], "aws");
  EXPECT_EQ(network["cni"], "calico");
  EXPECT_EQ(network["source"], "x.yaml:1:1");
  EXPECT_EQ(network["ip_families"], nlohmann::json({"IPv4"}));
  EXPECT_EQ(network["pods"], nlohmann::json({"100.96.0.0/11"}));
  EXPECT_EQ(network["routing_domain"]["scope"], "table");
  EXPECT_EQ(network["routing_domain"]["sharing"], "none");
  const nlohmann::json dataplane = {{"mode", "routed"},
                                    {"encapsulation", "none"},
                                    {"cross_subnet", false},
                                    {"backend", "none"},
                                    {"routes_by", "cloud-route-table"},
                                    {"cloud_routes", "written"},
                                    {"service_routing", "kube-proxy-iptables"},
                                    {"encryption", "none"},
                                    {"link_mtu", 9001},
                                    {"pod_mtu", 9001},
                                    {"overhead_bytes", 0}};
  EXPECT_EQ(nlohmann::json(network["dataplane"]), dataplane);
  EXPECT_EQ(network["node_cidr_mask_size"], 24);
  EXPECT_EQ(network["max_nodes"], 8192);
  EXPECT_EQ(network["reasons"][1]["field"], "provider");
  EXPECT_EQ(network["reasons"][1]["source"], "x.yaml:6:11");
  EXPECT_EQ(network["reasons"][1]["assumed"], false);
  EXPECT_EQ(json["findings"][0]["rule"], "unsupported-kind");
}

TEST(Explanation, WhatAdmissionDemandsIsAssumedAndSaidInAWarning) {
  const Explanation explanation =
      explain_text(ShootText{.networking = "pods: 100.96.0.0/11"}.yaml());
  EXPECT_EQ(explanation.networks.size(), 1u);
  for (const char* rule : {"nodes-required", "workerless-with-network"}) {
    const auto found = std::ranges::find(explanation.findings, rule, &Finding::rule);
    ASSERT_NE(found, explanation.findings.end()) << rule;
    EXPECT_EQ(found->severity, Severity::Warning);
    EXPECT_THAT(found->message, HasSubstr("admission would refuse the shoot"));
  }
}

/// A text without its line breaks and indentations.
std::string unwrapped(const std::string& text) {
  return std::regex_replace(text, std::regex("\\n +"), " ");
}

TEST(ExplanationText, FitsEightyColumns) {
  const std::string text =
      rendered(explain_text(ShootText{.config = "{overlay: {enabled: true}}"}.yaml()));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto word = line.find_first_not_of(' ');
    const bool is_one_word = word != line.npos && line.find(' ', word) == line.npos;
    if (is_one_word || line.find("overlay.enabled") != line.npos) continue;
    EXPECT_LE(line.size(), 80u) << line;
  }
}

TEST(ExplanationText, NamesTheAnswerThePlaceAndWhatIsAssumed) {
  const std::string text =
      unwrapped(rendered(explain_text(ShootText{.config = "{overlay: {enabled: true}}"}.yaml())));
  EXPECT_THAT(text, HasSubstr("Shoot garden-dev/one  (x.yaml:1:1)"));
  EXPECT_THAT(text, HasSubstr("through an overlay (ipip), with packets of up to 8981 bytes"));
  EXPECT_THAT(text, HasSubstr("providerConfig.overlay.enabled is true"));
  EXPECT_THAT(text, HasSubstr("x.yaml:9:41"));
  EXPECT_THAT(text, HasSubstr("* assumed"));
  EXPECT_THAT(text, Not(HasSubstr("NETWORK  ")));
}

TEST(ExplanationText, SaysWhenPacketsDoNotFitTheLink) {
  const std::string text = unwrapped(rendered(
      explain_text(ShootText{.config = "{vethMTU: '9001', overlay: {enabled: true}}"}.yaml())));
  EXPECT_THAT(text, HasSubstr("with packets of up to 9001 bytes; those of more than 8981 bytes do "
                              "not fit the link and are fragmented or lost [row T2]"));
}

TEST(ExplanationText, TellsTheRoutesThatTheWorkersNeedOfTheQuota) {
  const std::string text = unwrapped(rendered(explain_text(
      ShootText{.provider = "openstack\n    workers: [{name: w, minimum: 2, maximum: 100}]",
                .config = "{overlay: {enabled: false}}"}
          .yaml())));
  EXPECT_THAT(text, HasSubstr("route_quota         2 to 100 of 512 *"));
}

TEST(ExplanationText, SaysWhenPodsDoNotReachOtherNodes) {
  const std::string text = rendered(
      explain_text(ShootText{.provider = "local", .config = "{overlay: {enabled: false}}"}.yaml()));
  EXPECT_THAT(text, HasSubstr("pods do not reach other nodes"));
  EXPECT_THAT(text, Not(HasSubstr("pods reach other nodes")));
}

TEST(ExplanationText, SaysFromWhichNumberOfNodesOnPodsAreNotReached) {
  const auto text = [](const char* workers) {
    return unwrapped(
        rendered(explain_text(ShootText{.provider = "gcp", .workers = workers}.yaml())));
  };
  EXPECT_THAT(text("[{name: w, minimum: 2, maximum: 400}]"),
              HasSubstr("on more than 299 nodes (the workers allow 400) some are not reached, "
                        "because the route table holds 300 routes"));
  EXPECT_THAT(text("[{name: w, minimum: 2, maximum: 299}]"), Not(HasSubstr("are not reached")));
}

TEST(ExplanationText, StartsWithASummaryOfSeveralNetworks) {
  Explanation explanation =
      explain_text(ShootText{}.yaml() + "---\n" + network_yaml("cilium", "", "shoot--dev--two"));
  explanation.findings.clear();
  EXPECT_EQ(rendered(explanation, Form::Summary),
            "NETWORK\n"
            "  PROVIDER  CNI     STAGE   DATAPLANE      PODS           POD MTU  ROW\n"
            "garden-dev/one\n"
            "  aws       calico  create  routed none    100.96.0.0/11  9001     T4\n"
            "shoot--dev--two/net\n"
            "  unknown   cilium  live    overlay vxlan  100.96.0.0/11  1450     C4\n");
  EXPECT_THAT(rendered(explanation), HasSubstr(rendered(explanation, Form::Summary)));
}

struct Example {
  const char* file;
  const char* row;
  std::uint32_t pod_mtu;
};

TEST(Explanation, EveryExampleManifestGivesTheRowThatItPromises) {
  const Example rows[] = {
      {"cluster.yaml", "T9", 8981},
      {"network-calico.yaml", "T4", 1460},
      {"network-cilium.yaml", "C4", 1450},
      {"network-old-name.yaml", "T1", 1480},
      {"shoot-alicloud.yaml", "T4", 1500},
      {"shoot-aws-cilium.yaml", "C2", 8951},
      {"shoot-aws-ebpf.yaml", "T4", 9001},
      {"shoot-aws-ipip.yaml", "T2", 8981},
      {"shoot-aws-live.yaml", "T1", 8981},
      {"shoot-aws.yaml", "T4", 9001},
      {"shoot-azure.yaml", "T7", 1440},
      {"shoot-gcp-vxlan.yaml", "T3", 1410},
      {"shoot-gcp.yaml", "T4", 8896},
      {"shoot-openstack.yaml", "T2", 1430},
      {"landscape.yaml", "T4", 9001},
      {"shoot-2020.yaml", "T4", 9001},
      {"runtime.yaml", "T4", 9001},
      {"managed-seed-set.yaml", "T4", 1460},
      {"shoot-aws-dual-stack.yaml", "D1", 9001},
      {"shoot-aws-ipv6.yaml", "D1", 9001},
      {"shoot-gcp-dual-stack.yaml", "C3", 1460},
  };
  for (const Example& row : rows) {
    SCOPED_TRACE(row.file);
    const auto stream = document::read(source_file("topologies/library/manifests/") + row.file);
    ASSERT_TRUE(stream) << stream.error().to_string();
    const Explanation explanation = explain(*stream, StageChoice::Auto);
    ASSERT_EQ(explanation.networks.size(), 1u);
    EXPECT_EQ(explanation.networks[0].row, row.row);
    EXPECT_EQ(explanation.networks[0].dataplane.pod_mtu, row.pod_mtu);
    EXPECT_FALSE(any_at_or_above(explanation.findings, Severity::Error));
  }
}

TEST(ExplanationText, EndsWithTheFindings) {
  const Explanation explanation = explain_text("kind: Shoot\n---\nkind: Secret\n");
  ASSERT_EQ(explanation.findings.size(), 2u);
  for (const std::string& printed : {rendered(explanation), rendered(explanation, Form::Summary)}) {
    EXPECT_THAT(printed, HasSubstr("\nwarnings and notes\nerror: "));
    const std::string text = unwrapped(printed);
    for (const Finding& finding : explanation.findings)
      EXPECT_THAT(text, HasSubstr('[' + finding.rule + ", x.yaml:"));
  }
}

}  // namespace explanation_test

namespace declarative_test {

using effective::Encapsulation;
using effective::Mode;
using effective::RoutesBy;
using manifest::testing::ShootText;

document::Stream gardenet() {
  auto stream = document::read(source_file("topologies/library/gardenet.yaml"));
  EXPECT_TRUE(stream);
  return *std::move(stream);
}

Explanation explain_gardenet(const ShootText& shoot) {
  document::Stream stream = gardenet();
  stream.append(document::parse(shoot.yaml(), "x.yaml"));
  return explain(stream, StageChoice::Auto);
}

struct RowCase {
  const char* what;
  ShootText shoot;
  const char* row;
  Mode mode;
  Encapsulation encapsulation;
  RoutesBy routes_by;
  std::uint32_t pod_mtu;
};

const RowCase kCases[] = {
    {"the default",
     {.provider = "equinix"},
     "G3",
     Mode::Overlay,
     Encapsulation::Vxlan,
     RoutesBy::Cilium,
     1450},
    {"its own field",
     {.provider = "equinix", .config = "{transport: geneve}"},
     "G2",
     Mode::Overlay,
     Encapsulation::Geneve,
     RoutesBy::Cilium,
     1450},
    {"without overlay, by the manifest",
     {.provider = "equinix", .config = "{overlay: {enabled: false}, transport: geneve}"},
     "G1",
     Mode::Routed,
     Encapsulation::None,
     RoutesBy::CloudRouteTable,
     1500},
    {"without overlay, by the provider's admission",
     {.provider = "aws"},
     "G1",
     Mode::Routed,
     Encapsulation::None,
     RoutesBy::CloudRouteTable,
     9001},
    {"an MTU of its own",
     {.provider = "equinix", .config = "{mtu: 1400}"},
     "G3",
     Mode::Overlay,
     Encapsulation::Vxlan,
     RoutesBy::Cilium,
     1400},
};

TEST(DeclarativeNetworkType, FollowsTheRowsOfItsFile) {
  for (RowCase row : kCases) {
    SCOPED_TRACE(row.what);
    row.shoot.type = "gardenet";
    const Explanation explanation = explain_gardenet(row.shoot);
    ASSERT_EQ(explanation.networks.size(), 1u);
    const effective::EffectiveDataplane& network = explanation.networks[0];
    EXPECT_EQ(network.cni, "gardenet");
    EXPECT_FALSE(network.opaque);
    EXPECT_EQ(network.row, row.row);
    EXPECT_EQ(network.dataplane.mode, row.mode);
    EXPECT_EQ(network.dataplane.encapsulation, row.encapsulation);
    EXPECT_EQ(network.dataplane.routes_by, row.routes_by);
    EXPECT_EQ(network.dataplane.pod_mtu, row.pod_mtu);
  }
}

TEST(DeclarativeNetworkType, RefusesWhatItsFileDoesNotKnow) {
  for (const char* config : {"{transprot: geneve}", "{transport: gre}", "{mtu: \"1400\"}",
                             "{apiVersion: calico.networking.extensions.gardener.cloud/v1alpha1}",
                             "{ipam: {typ: host-local}}"}) {
    SCOPED_TRACE(config);
    const Explanation explanation =
        explain_gardenet({.provider = "equinix", .type = "gardenet", .config = config});
    EXPECT_TRUE(explanation.networks.empty());
    ASSERT_EQ(explanation.findings.size(), 1u);
    EXPECT_EQ(explanation.findings[0].rule, "not-admitted");
    EXPECT_EQ(explanation.findings[0].place.file, "x.yaml");
  }
}

TEST(DeclarativeNetworkType, WithoutItsFileATypeIsOpaque) {
  const Explanation explanation = explain(
      document::parse(ShootText{.type = "gardenet", .networking = "pods: 100.96.0.0/11"}.yaml(),
                      "x.yaml"),
      StageChoice::Auto);
  ASSERT_EQ(explanation.networks.size(), 1u);
  EXPECT_TRUE(explanation.networks[0].opaque);
  EXPECT_EQ(explanation.networks[0].pods.at(0).to_string(), "100.96.0.0/11");
  ASSERT_FALSE(explanation.findings.empty());
  EXPECT_EQ(explanation.findings.back().rule, "unsupported-cni");
  EXPECT_EQ(explanation.findings.back().severity, Severity::Warning);
}

TEST(DeclarativeNetworkType, ATypeIsGivenOnce) {
  document::Stream stream = gardenet();
  stream.append(gardenet());
  const Explanation explanation = explain(stream, StageChoice::Auto);
  ASSERT_EQ(explanation.findings.size(), 1u);
  EXPECT_EQ(explanation.findings[0].rule, "duplicate-network-type");
}

}  // namespace declarative_test

}  // namespace overlane::explain
