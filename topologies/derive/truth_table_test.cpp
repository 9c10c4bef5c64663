#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "topologies/derive/derive.h"
#include "topologies/derive/testing/outline_differences.h"
#include "topologies/document/syntax/parse.h"
#include "topologies/manifest/documents/manifest_set.h"
#include "topologies/manifest/testing/shoot_builder.h"
#include "topologies/rules/testing/rule_rows.h"

namespace overlane::derive {
namespace truth_table_test {

using namespace effective;       // NOLINT(google-build-using-namespace): the values under test.
using effective::Encapsulation;  // There is another one in dataplane/encap.

using manifest::testing::ShootText;

constexpr StageChoice kCreate = StageChoice::Create;
constexpr StageChoice kLive = StageChoice::Live;

struct RowCase {
  const char* what;
  const char* config;
  StageChoice stage;
  const char* provider;
  const char* row;
  Mode mode;
  Encapsulation encapsulation;
  Backend backend;
  RoutesBy routes_by;
  std::uint32_t pod_mtu;  ///< On a 1500-byte link (aws: 9001, gcp: 1460, openstack: 1450).
};

using E = Encapsulation;
using B = Backend;
using R = RoutesBy;
constexpr Mode kOverlay = Mode::Overlay;
constexpr Mode kRouted = Mode::Routed;

constexpr const char* kOn = "{overlay: {enabled: true}}";
constexpr const char* kOff = "{overlay: {enabled: false}}";

const RowCase kCalico[] = {
    // The truth table.
    {"no key, no default", "", kCreate, "local", "T1", kOverlay, E::Ipip, B::Bird, R::Bgp, 1480},
    {"overlay on", kOn, kCreate, "local", "T2", kOverlay, E::Ipip, B::Bird, R::Bgp, 1480},
    {"overlay on, user's backend and mode ignored",
     "{overlay: {enabled: true}, backend: none, ipv4: {mode: Never}}", kCreate, "local", "T2",
     kOverlay, E::Ipip, B::Bird, R::Bgp, 1480},
    {"overlay on with pod routes", "{overlay: {enabled: true, createPodRoutes: true}}", kCreate,
     "local", "T2", kOverlay, E::Ipip, B::Bird, R::Bgp, 1480},
    {"vxlan", "{overlay: {enabled: true}, vxlan: {enabled: true}}", kCreate, "local", "T3",
     kOverlay, E::Vxlan, B::Vxlan, R::Felix, 1450},
    {"overlay off", kOff, kCreate, "equinix", "T4", kRouted, E::None, B::None, R::CloudRouteTable,
     1500},
    {"overlay off, vxlan off", "{overlay: {enabled: false}, vxlan: {enabled: false}}", kCreate,
     "equinix", "T4", kRouted, E::None, B::None, R::CloudRouteTable, 1500},
    {"an overlay block without enabled", "{overlay: {}}", kCreate, "equinix", "T4", kRouted,
     E::None, B::None, R::CloudRouteTable, 1500},
    {"a left-over vxlan", "{overlay: {enabled: false}, vxlan: {enabled: true}}", kCreate, "equinix",
     "T5", kRouted, E::None, B::None, R::CloudRouteTable, 1500},
    {"pod routes", "{overlay: {enabled: false, createPodRoutes: true}}", kCreate, "equinix", "T6",
     kRouted, E::None, B::Bird, R::Bgp, 1500},
    {"backend none", "{backend: none}", kCreate, "equinix", "T7", kRouted, E::None, B::None,
     R::CloudRouteTable, 1500},
    {"vxlan without a key", "{vxlan: {enabled: true}}", kCreate, "equinix", "T8", kOverlay,
     E::Vxlan, B::Bird, R::Felix, 1450},
    {"vxlan overrules mode Never", "{vxlan: {enabled: true}, ipv4: {mode: Never}}", kCreate,
     "equinix", "T8", kOverlay, E::Vxlan, B::Bird, R::Felix, 1450},
    {"pool vxlan without a key", "{ipv4: {pool: vxlan}}", kCreate, "equinix", "T8", kOverlay,
     E::Vxlan, B::Bird, R::Felix, 1450},
    {"CrossSubnet", "{ipv4: {mode: CrossSubnet}}", kCreate, "equinix", "T9", kOverlay, E::Ipip,
     B::Bird, R::Bgp, 1480},
    {"mode Never", "{ipv4: {mode: Never}}", kCreate, "equinix", "T10", kRouted, E::None, B::Bird,
     R::Bgp, 1480},
    {"mode Off, backend bird", "{backend: bird, ipv4: {mode: \"Off\"}}", kCreate, "equinix", "T10",
     kRouted, E::None, B::Bird, R::Bgp, 1480},
    // Providers, without a key, new and live.
    {"new on aws", "", kCreate, "aws", "T4", kRouted, E::None, B::None, R::CloudRouteTable, 9001},
    {"live on aws", "", kLive, "aws", "T1", kOverlay, E::Ipip, B::Bird, R::Bgp, 8981},
    {"new on gcp", "", kCreate, "gcp", "T4", kRouted, E::None, B::None, R::CloudRouteTable, 1460},
    {"live on gcp", "", kLive, "gcp", "T1", kOverlay, E::Ipip, B::Bird, R::Bgp, 1440},
    {"new on azure", "", kCreate, "azure", "T7", kRouted, E::None, B::None, R::CloudRouteTable,
     1500},
    {"live on azure", "", kLive, "azure", "T7", kRouted, E::None, B::None, R::CloudRouteTable,
     1500},
    {"azure overrules the backend", "{backend: bird}", kCreate, "azure", "T7", kRouted, E::None,
     B::None, R::CloudRouteTable, 1500},
    {"new on openstack", "", kCreate, "openstack", "T2", kOverlay, E::Ipip, B::Bird, R::Bgp, 1430},
    {"live on openstack", "", kLive, "openstack", "T1", kOverlay, E::Ipip, B::Bird, R::Bgp, 1430},
    {"openstack off gets pod routes", kOff, kCreate, "openstack", "T6", kRouted, E::None, B::Bird,
     R::Bgp, 1450},
    {"new on alicloud", "", kCreate, "alicloud", "T4", kRouted, E::None, B::None,
     R::CloudRouteTable, 1500},
    {"live on alicloud", "", kLive, "alicloud", "T1", kOverlay, E::Ipip, B::Bird, R::Bgp, 1480},
    {"new on metal", "", kCreate, "metal", "T7", kRouted, E::None, B::None, R::Bgp, 1500},
    {"live on metal", "", kLive, "metal", "T1", kOverlay, E::Ipip, B::Bird, R::Bgp, 1480},
    {"new on metal with a config", "{typha: {enabled: false}}", kCreate, "metal", "T1", kOverlay,
     E::Ipip, B::Bird, R::Bgp, 1480},
    {"new on an unknown provider", "", kCreate, "ironcore", "T1", kOverlay, E::Ipip, B::Bird,
     R::Bgp, 1480},
    {"local has no route table", kOff, kCreate, "local", "T4", kRouted, E::None, B::None, R::None,
     1500},
    // MTU.
    {"vethMTU 0 is automatic", "{overlay: {enabled: true}, vethMTU: \"0\"}", kCreate, "local", "T2",
     kOverlay, E::Ipip, B::Bird, R::Bgp, 1480},
    {"vethMTU 1440", "{overlay: {enabled: true}, vethMTU: \"1440\"}", kCreate, "local", "T2",
     kOverlay, E::Ipip, B::Bird, R::Bgp, 1440},
    {"vethMTU is taken even if too large", "{overlay: {enabled: true}, vethMTU: \"1500\"}", kCreate,
     "local", "T2", kOverlay, E::Ipip, B::Bird, R::Bgp, 1500},
    {"vxlan on gcp", "{overlay: {enabled: true}, vxlan: {enabled: true}}", kCreate, "gcp", "T3",
     kOverlay, E::Vxlan, B::Vxlan, R::Felix, 1410},
    {"WireGuard", "{overlay: {enabled: false}, wireguardEncryption: true}", kCreate, "equinix",
     "T4", kRouted, E::None, B::None, R::Felix, 1440},
    {"WireGuard where nothing else routes pods",
     "{overlay: {enabled: false}, wireguardEncryption: true}", kCreate, "local", "T4", kRouted,
     E::None, B::None, R::Felix, 1440},
};

const RowCase kCilium[] = {
    {"overlay on", kOn, kCreate, "equinix", "C1", kOverlay, E::Vxlan, B::Tunnel, R::Cilium, 1450},
    {"overlay on, tunnel disabled", "{overlay: {enabled: true}, tunnel: disabled}", kCreate,
     "equinix", "C1", kOverlay, E::Vxlan, B::Tunnel, R::Cilium, 1450},
    {"overlay on, geneve", "{overlay: {enabled: true}, tunnel: geneve}", kCreate, "equinix", "C2",
     kOverlay, E::Geneve, B::Tunnel, R::Cilium, 1450},
    {"overlay off wins over geneve", "{overlay: {enabled: false}, tunnel: geneve}", kCreate,
     "equinix", "C3", kRouted, E::None, B::Native, R::CloudRouteTable, 1500},
    {"overlay off with pod routes", "{overlay: {enabled: false, createPodRoutes: true}}", kCreate,
     "equinix", "C3", kRouted, E::None, B::Native, R::DirectNodeRoutes, 1500},
    {"nothing said", "", kCreate, "equinix", "C4", kOverlay, E::Vxlan, B::Tunnel, R::Cilium, 1450},
    {"tunnel disabled", "{tunnel: disabled}", kCreate, "equinix", "C5", kRouted, E::None, B::Native,
     R::CloudRouteTable, 1500},
    {"geneve", "{tunnel: geneve}", kCreate, "equinix", "C6", kOverlay, E::Geneve, B::Tunnel,
     R::Cilium, 1450},
    {"new on aws", "", kCreate, "aws", "C3", kRouted, E::None, B::Native, R::CloudRouteTable, 9001},
    {"live on aws", "", kLive, "aws", "C4", kOverlay, E::Vxlan, B::Tunnel, R::Cilium, 8951},
    {"new on azure", "", kCreate, "azure", "C3", kRouted, E::None, B::Native, R::CloudRouteTable,
     1500},
    {"new on openstack", "", kCreate, "openstack", "C1", kOverlay, E::Vxlan, B::Tunnel, R::Cilium,
     1400},
    {"new on metal", "", kCreate, "metal", "C5", kRouted, E::None, B::Native, R::Bgp, 1440},
    {"encrypted tunnel", "{overlay: {enabled: true}, encryption: {enabled: true}}", kCreate,
     "equinix", "C1", kOverlay, E::Vxlan, B::Tunnel, R::Cilium, 1355},
    {"encrypted, without tunnel", "{overlay: {enabled: false}, encryption: {enabled: true}}",
     kCreate, "equinix", "C3", kRouted, E::None, B::Native, R::Cilium, 1405},
    {"DSR in Geneve",
     "{tunnel: geneve, loadBalancingMode: dsr, ipv4NativeRoutingCIDREnabled: true}", kCreate,
     "equinix", "C6", kOverlay, E::Geneve, B::Tunnel, R::Cilium, 1438},
    {"explicit mtu", "{tunnel: disabled, mtu: 1440}", kCreate, "equinix", "C5", kRouted, E::None,
     B::Native, R::CloudRouteTable, 1440},
};

void PrintTo(const RowCase& row, std::ostream* out) {
  *out << row.row << ": " << row.what;
}

void check(const RowCase& row, const char* type) {
  const ShootText shoot{.provider = row.provider, .type = type, .config = row.config};
  const manifest::ManifestSet set = manifest::decode(document::parse(shoot.yaml(), "x.yaml"));
  ASSERT_EQ(set.clusters.size(), 1u);
  const Result<EffectiveDataplane> network = derive(set.clusters[0], row.stage);
  ASSERT_TRUE(network) << network.error().to_string();
  const Dataplane& dataplane = network->dataplane;
  EXPECT_EQ(network->row, row.row);
  EXPECT_EQ(to_string(dataplane.mode), to_string(row.mode));
  EXPECT_EQ(to_string(dataplane.encapsulation), to_string(row.encapsulation));
  EXPECT_EQ(to_string(dataplane.backend), to_string(row.backend));
  EXPECT_EQ(to_string(dataplane.routes_by), to_string(row.routes_by));
  EXPECT_EQ(dataplane.pod_mtu, row.pod_mtu);
  EXPECT_EQ(dataplane.cross_subnet, network->row == "T9");
  EXPECT_EQ(dataplane.tunnel_mtu > 0, dataplane.overhead_bytes > 0);
  EXPECT_EQ(testing::differences(outline(set.clusters[0], row.stage), *network), "");
}

class CalicoRows : public ::testing::TestWithParam<RowCase> {};

TEST_P(CalicoRows, FollowsTheTruthTable) {
  check(GetParam(), "calico");
}

class CiliumRows : public ::testing::TestWithParam<RowCase> {};

TEST_P(CiliumRows, FollowsItsTable) {
  check(GetParam(), "cilium");
}

const auto kName = [](const auto& row) {
  return rules::testing::row_name(fmt::format("{} {}", row.param.row, row.param.what), row.index);
};

INSTANTIATE_TEST_SUITE_P(Row, CalicoRows, ::testing::ValuesIn(kCalico), kName);
INSTANTIATE_TEST_SUITE_P(Row, CiliumRows, ::testing::ValuesIn(kCilium), kName);

/// The dual-stack rows D1 to D4 are in families_test.cpp.
TEST(TruthTables, EachRowHasACase) {
  std::set<std::string> rows;
  for (const RowCase& row : kCalico)
    rows.insert(row.row);
  for (const RowCase& row : kCilium)
    rows.insert(row.row);
  for (int i = 1; i <= 10; ++i)
    EXPECT_TRUE(rows.contains(fmt::format("T{}", i))) << i;
  for (int i = 1; i <= 6; ++i)
    EXPECT_TRUE(rows.contains(fmt::format("C{}", i))) << i;
  fmt::print("{} rows of the truth tables, {} cases\n", rows.size(),
             std::size(kCalico) + std::size(kCilium));
}

}  // namespace truth_table_test
}  // namespace overlane::derive
