#include <string>

#include <gtest/gtest.h>

#include "topologies/document/read/read.h"
#include "topologies/document/syntax/parse.h"
#include "topologies/explain/explanation.h"
#include "topologies/manifest/testing/shoot_builder.h"

namespace overlane::explain {

using derive::StageChoice;
namespace declarative_test {

using effective::Encapsulation;
using effective::Mode;
using effective::RoutesBy;
using manifest::testing::ShootText;

document::Stream gardenet() {
  auto stream =
      document::read(std::string(OVERLANE_SOURCE_DIR) + "/topologies/library/gardenet.yaml");
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
