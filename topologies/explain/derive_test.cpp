#include "topologies/explain/derive.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "topologies/document/parse.h"
#include "topologies/manifest/manifest_set.h"
#include "topologies/manifest/testing/shoot_builder.h"

namespace overlane::explain {
namespace {

using namespace effective;  // NOLINT(google-build-using-namespace): the values under test.

using manifest::testing::network_yaml;
using manifest::testing::ShootText;

constexpr StageChoice kAuto = StageChoice::Auto;
constexpr StageChoice kCreate = StageChoice::Create;
constexpr StageChoice kLive = StageChoice::Live;

manifest::ClusterSpec spec_of(const std::string& yaml) {
  const manifest::ManifestSet set = manifest::decode(document::parse(yaml, "x.yaml"));
  EXPECT_EQ(set.clusters.size(), 1u) << yaml;
  for (const Finding& finding : set.findings)
    EXPECT_NE(finding.severity, Severity::Error) << finding.to_string();
  return set.clusters.at(0);
}

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
    {"new on an unknown provider", "", kCreate, "hcloud", "T1", kOverlay, E::Ipip, B::Bird, R::Bgp,
     1480},
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
     "T4", kRouted, E::None, B::None, R::CloudRouteTable, 1440},
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
     "equinix", "C1", kOverlay, E::Vxlan, B::Tunnel, R::Cilium, 1370},
    {"DSR in Geneve", "{tunnel: geneve, loadBalancingMode: dsr}", kCreate, "equinix", "C6",
     kOverlay, E::Geneve, B::Tunnel, R::Cilium, 1438},
    {"explicit mtu", "{tunnel: disabled, mtu: 1440}", kCreate, "equinix", "C5", kRouted, E::None,
     B::Native, R::CloudRouteTable, 1440},
};

void check(const RowCase& row, const char* type) {
  SCOPED_TRACE(row.what);
  const ShootText shoot{.provider = row.provider, .type = type, .config = row.config};
  const Result<EffectiveDataplane> network = derive(spec_of(shoot.yaml()), row.stage);
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
}

TEST(Derive, CalicoFollowsItsTruthTable) {
  for (const RowCase& row : kCalico)
    check(row, "calico");
}

TEST(Derive, CiliumFollowsItsTable) {
  for (const RowCase& row : kCilium)
    check(row, "cilium");
}

TEST(Derive, CombinationsInNoRowAreRefusedByName) {
  for (const char* config : {"{backend: vxlan}", "{backend: vxlan, ipv4: {pool: vxlan}}"}) {
    const auto network =
        derive(spec_of(ShootText{.provider = "equinix", .config = config}.yaml()), kCreate);
    ASSERT_FALSE(network) << config;
    EXPECT_EQ(network.error().rule, "unsupported-combination");
  }
}

struct StageCase {
  const char* what;
  std::string yaml;
  Stage stage;
};

TEST(Derive, AutoTellsNewFromLive) {
  const StageCase rows[] = {
      {"a manifest", ShootText{}.yaml(), Stage::Create},
      {"with an empty status", ShootText{.status = "{}"}.yaml(), Stage::Create},
      {"with a status", ShootText{.status = "{lastOperation: {state: Succeeded}}"}.yaml(),
       Stage::Live},
      {"a Network", network_yaml("calico", ""), Stage::Live},
  };
  for (const StageCase& row : rows)
    EXPECT_EQ(derive(spec_of(row.yaml), kAuto)->stage, row.stage) << row.what;
  EXPECT_EQ(derive(spec_of(network_yaml("calico", "")), kCreate)->stage, Stage::Create);
}

struct ServiceCase {
  const char* type;
  const char* config;
  const char* kubernetes;
  StageChoice stage;
  ServiceRouting expected;
};

TEST(Derive, NamesWhoRoutesServices) {
  const ServiceCase rows[] = {
      {"calico", "", "", kCreate, ServiceRouting::KubeProxyIptables},
      {"calico", "", "{kubeProxy: {mode: IPVS}}", kCreate, ServiceRouting::KubeProxyIpvs},
      {"calico", "", "{kubeProxy: {mode: NFTables}}", kCreate, ServiceRouting::KubeProxyNftables},
      {"calico", "{ebpfDataplane: {enabled: true}}", "{kubeProxy: {enabled: false}}", kCreate,
       ServiceRouting::CalicoEbpf},
      {"cilium", "", "{kubeProxy: {enabled: true}}", kCreate, ServiceRouting::Cilium},
      {"cilium", "", "{kubeProxy: {enabled: true}}", kLive, ServiceRouting::KubeProxyIptables},
      {"cilium", "", "{kubeProxy: {enabled: false}}", kLive, ServiceRouting::Cilium},
  };
  for (const ServiceCase& row : rows) {
    const ShootText shoot{.type = row.type, .config = row.config, .kubernetes = row.kubernetes};
    const auto network = derive(spec_of(shoot.yaml()), row.stage);
    ASSERT_TRUE(network) << network.error().to_string();
    EXPECT_EQ(to_string(network->dataplane.service_routing), to_string(row.expected)) << row.config;
  }
}

struct DomainCase {
  const char* provider;
  const char* infrastructure;
  const char* key;
  RoutingDomain::Scope scope;
  RoutingDomain::Sharing sharing;
};

TEST(Derive, NamesTheRoutingDomain) {
  using Scope = RoutingDomain::Scope;
  using Sharing = RoutingDomain::Sharing;
  const DomainCase rows[] = {
      {"aws", "{networks: {vpc: {id: vpc-1}}}", "aws/vpc-1", Scope::Table, Sharing::Sure},
      {"aws", "{networks: {vpc: {cidr: 10.0.0.0/16}}}", "aws/shoot/garden-dev/one", Scope::Table,
       Sharing::None},
      {"gcp", "{networks: {vpc: {name: net}}}", "gcp/net", Scope::Vpc, Sharing::Possible},
      {"azure", "{networks: {vnet: {name: net, resourceGroup: rg}}}", "azure/rg/net", Scope::Table,
       Sharing::Possible},
      {"openstack", "{networks: {router: {id: r1}}}", "openstack/r1", Scope::Router, Sharing::Sure},
      {"alicloud", "{networks: {vpc: {id: vpc-1}}}", "alicloud/vpc-1", Scope::Vpc, Sharing::Sure},
      {"alicloud", "{networks: {vpc: {id: vpc-1, useCustomRouteTable: true}}}", "alicloud/vpc-1",
       Scope::Table, Sharing::Sure},
  };
  for (const DomainCase& row : rows) {
    const ShootText shoot{.provider = row.provider, .infrastructure = row.infrastructure};
    const RoutingDomain domain = derive(spec_of(shoot.yaml()), kAuto)->routing_domain;
    EXPECT_EQ(domain.key, row.key);
    EXPECT_EQ(to_string(domain.scope), to_string(row.scope)) << row.infrastructure;
    EXPECT_EQ(to_string(domain.sharing), to_string(row.sharing)) << row.infrastructure;
  }
}

TEST(Derive, KnowsTheWorkersSubnetOfEachZone) {
  const auto subnets = [](const char* provider, const char* zones) {
    const ShootText shoot{.provider = provider,
                          .infrastructure = std::string("{networks: {zones: ") + zones + "}}"};
    std::string text;
    const Result<EffectiveDataplane> network = derive(spec_of(shoot.yaml()), kAuto);
    for (const ZoneSubnet& subnet : network->zone_subnets)
      text += subnet.zone + " " + subnet.workers.to_string() + ";";
    return text;
  };
  EXPECT_EQ(subnets("aws", "[{name: a, workers: 10.0.0.0/19}, {name: b, workers: 10.0.32.0/19}]"),
            "a 10.0.0.0/19;b 10.0.32.0/19;");
  EXPECT_EQ(subnets("alicloud", "[{name: a, worker: 10.0.0.0/19}]"), "a 10.0.0.0/19;");
  EXPECT_EQ(subnets("azure", "[{name: 1, cidr: 10.0.0.0/19}]"), "1 10.0.0.0/19;");
}

TEST(Derive, LinkMtuComesFromTheInfrastructureConfigIfItSaysSo) {
  const auto mtu = [](const char* provider, const char* infrastructure) {
    const ShootText shoot{.provider = provider, .infrastructure = infrastructure};
    return derive(spec_of(shoot.yaml()), kAuto)->dataplane.link_mtu;
  };
  EXPECT_EQ(mtu("gcp", "{networks: {mtu: 8896}}"), 8896u);
  EXPECT_EQ(mtu("aws", "{enableMTUCustomizer: true}"), 1460u);
  EXPECT_EQ(mtu("aws", "{enableMTUCustomizer: false}"), 9001u);
}

TEST(Derive, APatchAsksWhatIf) {
  const manifest::ClusterSpec spec = spec_of(ShootText{.config = "{vethMTU: \"1400\"}"}.yaml());
  const auto patched = [&](const char* patch) {
    const document::Tree tree = document::parse(patch, "variant").documents.at(0);
    return derive(spec, kAuto, tree.root());
  };
  EXPECT_EQ(derive(spec, kAuto, {})->row, "T4");
  EXPECT_EQ(patched("{overlay: {enabled: true}}")->row, "T2");
  EXPECT_EQ(patched("{overlay: {enabled: true}, vxlan: {enabled: true}}")->dataplane.pod_mtu,
            1400u);
  EXPECT_EQ(patched("{backend: calico}").error().rule, "not-admitted");

  const manifest::ClusterSpec azure = spec_of(ShootText{.provider = "azure"}.yaml());
  const document::Tree on = document::parse(kOn, "variant").documents.at(0);
  const auto refused = derive(azure, kAuto, on.root());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().rule, "not-admitted");
  EXPECT_EQ(refused.error().place.file, "variant");
}

TEST(Derive, FelixProgramsIpipFromCalico333OnAndTheReleaseIsTold) {
  struct Row {
    const char* config;
    const char* version;
    RoutesBy routes_by;
  };
  for (const Row& row :
       {Row{"{overlay: {enabled: true}}", "3.32", RoutesBy::Bgp},
        Row{"{overlay: {enabled: true}}", "3.33", RoutesBy::Felix},
        Row{"{ipv4: {mode: CrossSubnet}}", "3.33", RoutesBy::Felix},
        Row{"{overlay: {enabled: false, createPodRoutes: true}}", "3.33", RoutesBy::Bgp},
        Row{"{overlay: {enabled: true}, vxlan: {enabled: true}}", "3.32", RoutesBy::Felix},
        Row{"{overlay: {enabled: false}}", "4.0", RoutesBy::CloudRouteTable}}) {
    DeriveOptions options = kCreate;
    options.landscape.calico_version = CalicoVersion::parse(row.version);
    const auto network =
        derive(spec_of(ShootText{.provider = "equinix", .config = row.config}.yaml()), options);
    EXPECT_EQ(network->dataplane.routes_by, row.routes_by) << row.config << row.version;
    const auto reason = std::ranges::find(network->reasons, "calico_version", &Reason::field);
    EXPECT_EQ(reason->value, row.version);
    EXPECT_FALSE(reason->assumed);
  }
  const auto shipped = derive(spec_of(ShootText{}.yaml()), kAuto);
  const auto reason = std::ranges::find(shipped->reasons, "calico_version", &Reason::field);
  EXPECT_EQ(reason->value, "3.31");
  EXPECT_TRUE(reason->assumed);
}

TEST(Derive, PodsKeepTheirAddressTowardsPodsAndWithoutAnOverlayTowardsNodes) {
  struct Row {
    const char* what;
    const char* type;
    const char* provider;
    const char* config;
    const char* sources;
    const char* except;
    const char* dns;
  };
  constexpr const char* kPods = "100.96.0.0/11";
  constexpr const char* kPodsAndNodes = "100.96.0.0/11 10.250.0.0/16";
  for (const Row& row : {
           Row{"calico's overlay", "calico", "aws", "{overlay: {enabled: true}}", kPods, kPods, ""},
           Row{"calico routed on aws", "calico", "aws", "{overlay: {enabled: false}}", kPods,
               kPodsAndNodes, "10.250.0.2/32"},
           Row{"switched off", "calico", "aws",
               "{overlay: {enabled: false}, snatToUpstreamDNS: {enabled: false}}", kPods,
               kPodsAndNodes, ""},
           Row{"gcp forces it off", "calico", "gcp",
               "{overlay: {enabled: false}, snatToUpstreamDNS: {enabled: true}}", kPods,
               kPodsAndNodes, ""},
           Row{"without a key", "calico", "azure", "", kPods, kPods, ""},
           Row{"azure's resolver", "calico", "azure", "{overlay: {enabled: false}}", kPods,
               kPodsAndNodes, "168.63.129.16/32"},
           Row{"no nameserver known", "calico", "openstack", "{overlay: {enabled: false}}", kPods,
               kPodsAndNodes, ""},
           Row{"cilium's tunnel", "cilium", "aws", "{overlay: {enabled: true}}", kPods, kPods, ""},
           Row{"cilium native", "cilium", "aws", "{overlay: {enabled: false}}", kPods,
               kPodsAndNodes, ""},
           Row{"cilium without masquerading", "cilium", "aws",
               "{overlay: {enabled: false}, enableIpv4Masquerade: false}", "", "", ""},
       }) {
    const ShootText shoot{.provider = row.provider, .type = row.type, .config = row.config};
    const auto network = derive(spec_of(shoot.yaml()), kCreate);
    ASSERT_TRUE(network) << row.what << network.error().to_string();
    const auto text = [](const std::vector<IpPrefix>& ranges) {
      std::string list;
      for (const IpPrefix& range : ranges)
        list += (list.empty() ? "" : " ") + range.to_string();
      return list;
    };
    EXPECT_EQ(text(network->masquerade.sources), row.sources) << row.what;
    EXPECT_EQ(text(network->masquerade.except), row.except) << row.what;
    EXPECT_EQ(text(network->masquerade.upstream_dns), row.dns) << row.what;
  }
}

TEST(Derive, ACalicoReleaseIsTwoNumbers) {
  EXPECT_EQ(CalicoVersion::parse("3.33"), (CalicoVersion{3, 33}));
  for (const char* text : {"", "3", "3.", ".3", "3.33.1", "v3.33", "3.x", "-3.1"})
    EXPECT_EQ(CalicoVersion::parse(text), std::nullopt) << text;
}

TEST(Derive, EveryValueOfTheContractHasAReasonWithASource) {
  const auto network = derive(spec_of(ShootText{}.yaml()), kAuto);
  std::string fields;
  for (const Reason& reason : network->reasons) {
    fields += reason.field + " ";
    EXPECT_FALSE(reason.because.empty()) << reason.field;
    EXPECT_FALSE(reason.source.empty()) << reason.field;
  }
  EXPECT_EQ(fields,
            "stage provider cni ip_families calico_version pods services nodes routing_domain "
            "dataplane.mode "
            "dataplane.encapsulation dataplane.cross_subnet dataplane.backend dataplane.routes_by "
            "dataplane.service_routing dataplane.encryption dataplane.link_mtu dataplane.pod_mtu "
            "dataplane.overhead_bytes dataplane.masqueraded dataplane.masquerade_except "
            "dataplane.masqueraded_dns "
            "node_cidr_mask_size max_nodes max_pods ");
}

}  // namespace
}  // namespace overlane::explain
