#include "topologies/derive/derive.h"

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/cni/calico/calico.h"
#include "topologies/document/syntax/parse.h"
#include "topologies/manifest/documents/manifest_set.h"
#include "topologies/manifest/testing/shoot_builder.h"

namespace overlane::derive {

namespace derive_test {

using namespace effective;  // NOLINT(google-build-using-namespace): the values under test.

using manifest::testing::network_yaml;
using manifest::testing::ShootText;

constexpr StageChoice kAuto = StageChoice::Auto;
constexpr StageChoice kCreate = StageChoice::Create;
constexpr StageChoice kLive = StageChoice::Live;

manifest::PodNetworkSpec spec_of(const std::string& yaml) {
  const manifest::ManifestSet set = manifest::decode(document::parse(yaml, "x.yaml"));
  EXPECT_EQ(set.clusters.size(), 1u) << yaml;
  for (const Finding& finding : set.findings)
    EXPECT_NE(finding.severity, Severity::Error) << finding.to_string();
  return set.clusters.at(0);
}

constexpr const char* kOn = "{overlay: {enabled: true}}";

TEST(Derive, RefusesCombinationsWithoutARow) {
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

TEST(Derive, AutoDistinguishesNewFromLive) {
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

TEST(Derive, NamesTheServiceRouting) {
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
      {"local", "", "local/host", Scope::Vpc, Sharing::Sure},
  };
  for (const DomainCase& row : rows) {
    const ShootText shoot{.provider = row.provider, .infrastructure = row.infrastructure};
    const RoutingDomain domain = derive(spec_of(shoot.yaml()), kAuto)->routing_domain;
    EXPECT_EQ(domain.key, row.key);
    EXPECT_EQ(to_string(domain.scope), to_string(row.scope)) << row.infrastructure;
    EXPECT_EQ(to_string(domain.sharing), to_string(row.sharing)) << row.infrastructure;
  }
}

TEST(Derive, KnowsTheNodesSubnets) {
  struct Row {
    const char* provider;
    const char* infrastructure;
    const char* subnets;  ///< A zone, or "all".
    const char* status = "";
  };
  for (const Row& row : {
           Row{"aws",
               "{networks: {zones: [{name: a, workers: 10.0.0.0/19}, {name: b, workers: "
               "10.0.32.0/19}]}}",
               "a 10.0.0.0/19;b 10.0.32.0/19;"},
           Row{"aws", "{networks: {zones: [{name: a, workersSubnetID: subnet-1}]}}", ""},
           Row{"alicloud", "{networks: {zones: [{name: a, worker: 10.0.0.0/19}]}}",
               "a 10.0.0.0/19;"},
           Row{"azure", "{zoned: true, networks: {zones: [{name: 1, cidr: 10.0.0.0/19}]}}",
               "1 10.0.0.0/19;"},
           Row{"azure", "{zoned: true, networks: {workers: 10.0.0.0/19}}", "all 10.0.0.0/19;"},
           Row{"gcp", "{networks: {workers: 10.0.0.0/19}}", "all 10.0.0.0/19;"},
           Row{"gcp", "{networks: {workers: 10.0.0.0/19}}", "all 10.0.0.0/19;",
               "{networking: {nodes: [10.0.0.0/18]}}"},
           Row{"openstack", "{networks: {workers: 10.0.0.0/22}}", "all 10.0.0.0/22;"},
           Row{"openstack", "{networks: {subnetPool: {id: pool}}}", "all 10.0.4.0/22;",
               "{networking: {nodes: [10.0.4.0/22]}}"},
           Row{"openstack", "{networks: {subnetPool: {id: pool}}}", "",
               "{networking: {nodes: [10.0.4.0/22, 10.0.8.0/22]}}"},
           Row{"stackit", "{networks: {workers: 10.0.0.0/22}}", "all 10.0.0.0/22;"},
           Row{"hcloud", "{networks: {workers: 10.0.0.0/24}}", "all 10.0.0.0/24;"},
           Row{"hcloud",
               "{networks: {workers: 10.0.1.0/24, workersConfiguration: {cidr: 10.0.0.0/24, zone: "
               "eu-central}}}",
               "all 10.0.0.0/24;"},
       }) {
    const ShootText shoot{
        .provider = row.provider, .infrastructure = row.infrastructure, .status = row.status};
    const Result<EffectiveDataplane> network = derive(spec_of(shoot.yaml()), kAuto);
    ASSERT_TRUE(network) << row.provider << ": " << network.error().message;
    std::string text;
    for (const effective::NodeSubnet& subnet : network->node_subnets.given) {
      text += (subnet.zone.empty() ? "all" : subnet.zone) + " " + subnet.cidr.to_string() + ";";
      EXPECT_EQ(subnet.zone.empty(), network->has_one_subnet()) << row.provider;
    }
    EXPECT_EQ(text, row.subnets) << row.provider << ' ' << row.infrastructure;
  }
}

/// gardener-extension-provider-azure: a status of layout MultipleSubnet has a subnet per zone.
TEST(Derive, TheSubnetsOfAnInfrastructureStatusWin) {
  const auto subnets = [](const char* status) {
    const ShootText shoot{.provider = "azure",
                          .infrastructure = "{zoned: true, networks: {workers: 10.0.0.0/19}}"};
    const std::string infrastructure =
        std::string(
            "spec: {type: azure}\nstatus:\n  providerStatus:\n    apiVersion: "
            "azure.provider.extensions.gardener.cloud/v1alpha1\n    kind: InfrastructureStatus\n"
            "    networks: {vnet: {name: v}, subnets: ") +
        status + "}\n";
    const auto network =
        derive(spec_of(shoot.yaml() + "---\n" +
                       manifest::testing::extension_yaml("Infrastructure", infrastructure)),
               kAuto);
    std::string text;
    for (const effective::NodeSubnet& subnet : network->node_subnets.given)
      text += (subnet.zone.empty() ? "all" : subnet.zone) + " " + subnet.cidr.to_string() + ";";
    return text;
  };
  EXPECT_EQ(subnets("[{name: n, purpose: nodes, cidr: 10.0.0.0/18}]"), "all 10.0.0.0/18;");
  EXPECT_EQ(subnets("[{name: n, purpose: nodes, zone: '1', cidr: 10.0.0.0/20}, "
                    "{name: m, purpose: nodes, zone: '2', cidr: 10.0.16.0/20}, "
                    "{name: i, purpose: internal, zone: '1', cidr: 10.0.32.0/20}]"),
            "1 10.0.0.0/20;2 10.0.16.0/20;");
}

/// gardener-extension-provider-azure pull request 1602.
TEST(Derive, AzureWritesNoRoutesBesideAnOverlayInAnExistingSubnet) {
  struct Row {
    const char* networks;
    const char* overlay;
    CloudRoutes cloud_routes;
  };
  for (const Row& row : {
           Row{"{workers: 10.250.0.0/19}", "true", CloudRoutes::Written},
           Row{"{vnet: {name: v, resourceGroup: r}, subnet: {name: s}}", "true",
               CloudRoutes::NotNeeded},
           Row{"{vnet: {name: v, resourceGroup: r}, subnet: {name: s}}", "false",
               CloudRoutes::Written},
       }) {
    const ShootText shoot{
        .provider = "azure",
        .infrastructure = std::string("{zoned: true, networks: ") + row.networks + "}",
        .type = "cilium",
        .config = std::string("{overlay: {enabled: ") + row.overlay + "}}"};
    const auto network = derive(spec_of(shoot.yaml()), kLive);
    ASSERT_TRUE(network) << network.error().message;
    EXPECT_EQ(network->dataplane.cloud_routes, row.cloud_routes) << row.networks << row.overlay;
  }
}

TEST(Derive, ReportsALeftOverVxlanWhereAdmissionAddsPodRoutes) {
  const auto network =
      derive(spec_of(ShootText{.provider = "openstack",
                               .config = "{overlay: {enabled: false}, vxlan: {enabled: true}}"}
                         .yaml()),
             kAuto);
  ASSERT_FALSE(network);
  EXPECT_NE(network.error().message.find("createPodRoutes: true that admission of provider "
                                         "openstack adds"),
            std::string::npos)
      << network.error().message;
  EXPECT_EQ(network.error().path, "spec.networking.providerConfig.vxlan.enabled");
}

TEST(Derive, AppliesAMergePatch) {
  const manifest::PodNetworkSpec spec = spec_of(ShootText{.config = "{vethMTU: \"1400\"}"}.yaml());
  const auto patched = [&](const char* patch) {
    const document::Tree tree = document::parse(patch, "variant").documents.at(0);
    return derive(spec, kAuto, tree.root());
  };
  EXPECT_EQ(derive(spec, kAuto, {})->row, "T4");
  EXPECT_EQ(patched("{overlay: {enabled: true}}")->row, "T2");
  EXPECT_EQ(patched("{overlay: {enabled: true}, vxlan: {enabled: true}}")->dataplane.pod_mtu,
            1400u);
  EXPECT_EQ(patched("{backend: calico}").error().rule, "not-admitted");

  const manifest::PodNetworkSpec azure = spec_of(ShootText{.provider = "azure"}.yaml());
  const document::Tree on = document::parse(kOn, "variant").documents.at(0);
  const auto refused = derive(azure, kAuto, on.root());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().rule, "not-admitted");
  EXPECT_EQ(refused.error().place.file, "variant");
}

TEST(Derive, FelixProgramsIpipRoutesFromCalico333) {
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

TEST(Derive, MasqueradesNeitherPodsNorRoutedNodes) {
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
           Row{"asked for beside an overlay, where it does not count", "calico", "aws",
               "{overlay: {enabled: true}, snatToUpstreamDNS: {enabled: true}}", kPods, kPods, ""},
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

TEST(Derive, ParsesCalicoVersionsOfTwoNumbers) {
  EXPECT_EQ(CalicoVersion::parse("3.33"), (CalicoVersion{3, 33}));
  for (const char* text : {"", "3", "3.", ".3", "3.33.1", "v3.33", "3.x", "-3.1"})
    EXPECT_EQ(CalicoVersion::parse(text), std::nullopt) << text;
}

TEST(Derive, DefaultOfTheSettingIsTheShippedCalico) {
  const auto settings = effective::landscape_settings();
  const auto setting =
      std::ranges::find(settings, "calico.version", &effective::LandscapeSetting::key);
  ASSERT_NE(setting, settings.end());
  EXPECT_EQ(setting->default_value, to_string(calico::kShippedCalico));
}

/// The numbers at the ends of "tunnel 50, WireGuard 95".
std::uint32_t sum_of_terms(const std::string& text) {
  std::uint32_t sum = 0;
  std::istringstream terms(text);
  for (std::string term; std::getline(terms, term, ',');)
    sum += static_cast<std::uint32_t>(std::stoul(term.substr(term.rfind(' '))));
  return sum;
}

TEST(Derive, CiliumsOverheadIsTheSumOfWhatItsReasonLists) {
  struct Row {
    const char* config;
    std::uint32_t overhead;
    const char* because;
  };
  for (const Row& row :
       {Row{"{overlay: {enabled: true}}", 50, "tunnel 50"},
        Row{"{tunnel: geneve}", 50, "tunnel 50"},
        Row{"{overlay: {enabled: false}, encryption: {enabled: true}}", 95, "WireGuard 95"},
        Row{"{overlay: {enabled: true}, encryption: {enabled: true}}", 145,
            "tunnel 50, WireGuard 95"},
        Row{"{tunnel: geneve, encryption: {enabled: true}, loadBalancingMode: dsr, "
            "ipv4NativeRoutingCIDREnabled: true}",
            157, "tunnel 50, WireGuard 95, DSR option in Geneve 12"}}) {
    const ShootText shoot{.provider = "equinix", .type = "cilium", .config = row.config};
    const auto network = derive(spec_of(shoot.yaml()), kCreate);
    ASSERT_TRUE(network) << network.error().to_string();
    EXPECT_EQ(network->dataplane.overhead_bytes, row.overhead) << row.config;
    EXPECT_EQ(network->dataplane.pod_mtu, 1500 - row.overhead) << row.config;
    const auto reason =
        std::ranges::find(network->reasons, "dataplane.overhead_bytes", &Reason::field);
    EXPECT_EQ(reason->because.to_string(), row.because);
    EXPECT_EQ(sum_of_terms(reason->because.to_string()), row.overhead);
  }
}

struct StoredRow {
  const char* what;
  ShootText shoot;
  CloudRoutes create;
  CloudRoutes live;
};

/// Admission writes useCustomRouteController, createPodRoutes and snatToUpstreamDNS into new and
/// changed shoots; a live object has what is stored.
TEST(Derive, ALiveObjectIsBelievedWhereAdmissionWouldWriteAnotherValue) {
  const auto aws = [](const char* control_plane, const char* config) {
    ShootText shoot{.config = config};
    shoot.infrastructure = std::string("{}\n    controlPlaneConfig: ") + control_plane;
    return shoot;
  };
  constexpr const char* kRoutedConfig = "{overlay: {enabled: false}}";
  constexpr const char* kOff = "{cloudControllerManager: {useCustomRouteController: false}}";
  constexpr const char* kOnInstead = "{cloudControllerManager: {useCustomRouteController: true}}";
  const StoredRow rows[] = {
      {"switched off", aws(kOff, kRoutedConfig), CloudRoutes::Written, CloudRoutes::NotWritten},
      {"switched on", aws(kOnInstead, kRoutedConfig), CloudRoutes::Written, CloudRoutes::Written},
      {"not set", aws("{kind: ControlPlaneConfig}", kRoutedConfig), CloudRoutes::Written,
       CloudRoutes::NotWritten},
      {"on beside an overlay", aws(kOnInstead, kOn), CloudRoutes::NotNeeded, CloudRoutes::Written},
      {"not shown", {.config = kRoutedConfig}, CloudRoutes::Written, CloudRoutes::Written},
  };
  for (const StoredRow& row : rows) {
    SCOPED_TRACE(row.what);
    const manifest::PodNetworkSpec spec = spec_of(row.shoot.yaml());
    EXPECT_EQ(derive(spec, kCreate)->dataplane.cloud_routes, row.create);
    EXPECT_EQ(derive(spec, kLive)->dataplane.cloud_routes, row.live);
  }
  const manifest::PodNetworkSpec off = spec_of(aws(kOff, kOn).yaml());
  const auto patched = [&](const char* patch) {
    const document::Tree tree = document::parse(patch, "variant").documents.at(0);
    return derive(off, kLive, tree.root())->dataplane.cloud_routes;
  };
  EXPECT_EQ(patched(kRoutedConfig), CloudRoutes::Written) << "admission runs on the change";
  EXPECT_EQ(patched(kOn), CloudRoutes::NotNeeded) << "nothing changes";

  const manifest::PodNetworkSpec openstack =
      spec_of(ShootText{.provider = "openstack", .config = kRoutedConfig}.yaml());
  EXPECT_EQ(derive(openstack, kCreate)->dataplane.routes_by, RoutesBy::Bgp);
  EXPECT_EQ(derive(openstack, kLive)->dataplane.routes_by, RoutesBy::CloudRouteTable);
  const manifest::PodNetworkSpec gcp =
      spec_of(ShootText{.provider = "gcp",
                        .config = "{overlay: {enabled: false}, snatToUpstreamDNS: {enabled: true}}"}
                  .yaml());
  const auto dns = [&](StageChoice stage) {
    const auto network = derive(gcp, stage);
    return std::ranges::find(network->reasons, "dataplane.masqueraded_dns", &Reason::field)
        ->because.to_string();
  };
  EXPECT_EQ(dns(kCreate).find("admission of provider gcp turns"), 0u);
  EXPECT_EQ(dns(kLive).find("admission"), std::string::npos);
}

/// Who writes the router's routes on STACKIT, and why they are missing where pods need them.
struct StackitRow {
  const char* config;
  const char* control_plane;
  CloudRoutes routes;
  effective::RouteGap gap;
  const char* because;
};

TEST(Derive, StackitWritesRoutesWithoutOverlayWithoutBirdAndWithTheOpenStackManager) {
  using effective::RouteGap;
  constexpr const char* kOpenStack = "{cloudControllerManager: {name: openstack}}";
  constexpr const char* kOwn = "{cloudControllerManager: {name: stackit}}";
  constexpr const char* kNoRoutes = ", and only openstack has a route controller";
  const StackitRow rows[] = {
      {"{overlay: {enabled: false}}", kOpenStack, CloudRoutes::Written, RouteGap::None,
       "overlay.enabled is false, so the route controller"},
      {"{overlay: {enabled: false}, backend: none}", kOpenStack, CloudRoutes::Written,
       RouteGap::None, "overlay.enabled is false, so the route controller"},
      {"{overlay: {enabled: true}, backend: bird}", kOpenStack, CloudRoutes::NotNeeded,
       RouteGap::None, "overlay.enabled is true, so the route controller"},
      {"{overlay: {enabled: true}}", kOwn, CloudRoutes::NotNeeded, RouteGap::None,
       "overlay.enabled is true, so the route controller"},
      // The network extension starts no BIRD without createPodRoutes.
      {"{overlay: {enabled: false}, backend: bird}", kOpenStack, CloudRoutes::NotWritten,
       RouteGap::BirdBackend, "backend is bird, so provider stackit leaves routes to BGP"},
      {"{overlay: {enabled: false, createPodRoutes: true}, backend: bird}", kOpenStack,
       CloudRoutes::NotNeeded, RouteGap::None, "backend is bird, so provider stackit"},
      {"{overlay: {enabled: false, createPodRoutes: true}}", kOpenStack, CloudRoutes::Written,
       RouteGap::None, "overlay.enabled is false, so the route controller"},
      {"{overlay: {enabled: false}}", kOwn, CloudRoutes::NotWritten, RouteGap::CloudManager,
       "cloudControllerManager.name is stackit, and only openstack has a route controller"},
      {"{overlay: {enabled: false}}", "", CloudRoutes::NotWritten, RouteGap::CloudManager,
       kNoRoutes},
      {"{overlay: {enabled: false}}", "{kind: ControlPlaneConfig}", CloudRoutes::NotWritten,
       RouteGap::CloudManager, kNoRoutes},
      {"{overlay: {enabled: false, createPodRoutes: true}}", "", CloudRoutes::NotNeeded,
       RouteGap::None, kNoRoutes},
  };
  for (const StackitRow& row : rows)
    for (const StageChoice stage : {kCreate, kLive}) {
      SCOPED_TRACE(std::string(row.config) + " " + row.control_plane);
      ShootText shoot{.provider = "stackit", .config = row.config};
      shoot.infrastructure = "{networks: {workers: 10.250.0.0/19}}";
      if (*row.control_plane != 0)
        shoot.infrastructure += std::string("\n    controlPlaneConfig: ") + row.control_plane;
      const auto network = derive(spec_of(shoot.yaml()), stage);
      ASSERT_TRUE(network);
      EXPECT_EQ(network->dataplane.cloud_routes, row.routes);
      EXPECT_EQ(network->dataplane.route_gap, row.gap);
      const auto reason =
          std::ranges::find(network->reasons, "dataplane.cloud_routes", &Reason::field);
      ASSERT_NE(reason, network->reasons.end());
      EXPECT_THAT(reason->because.to_string(), ::testing::HasSubstr(row.because));
      EXPECT_EQ(reason->assumed, row.because == kNoRoutes);
    }
}

TEST(Derive, AnUnscheduledShootHasTheDefaultsOfTheOnlySeedThatCouldTakeIt) {
  const auto services = [](const std::string& seeds) {
    const manifest::ManifestSet set = manifest::decode(document::parse(
        ShootText{.provider = "openstack", .networking = "pods: 10.70.0.0/15"}.yaml() + seeds,
        "x.yaml"));
    const auto network = derive(set.clusters.at(0), kAuto);
    const auto reason = std::ranges::find(network->reasons, "services", &Reason::field);
    EXPECT_TRUE(reason->assumed);
    return reason->value;
  };
  const auto seed = [](const std::string& name, const std::string& range) {
    return "---\n" + manifest::testing::garden_yaml(
                         "Seed", name,
                         "{provider: {type: openstack}, networks: {shootDefaults: {services: " +
                             range + "}}}");
  };
  EXPECT_EQ(services(""), "100.64.0.0/13");
  EXPECT_EQ(services(seed("a", "10.80.0.0/16")), "10.80.0.0/16");
  EXPECT_EQ(services(seed("a", "10.80.0.0/16") + seed("b", "10.81.0.0/16")), "100.64.0.0/13");
}

TEST(Derive, EveryFieldHasAReasonWithASource) {
  const auto network = derive(spec_of(ShootText{}.yaml()), kAuto);
  std::string fields;
  for (const Reason& reason : network->reasons) {
    fields.append(reason.field).append(" ");
    EXPECT_FALSE(reason.because.empty()) << reason.field;
    EXPECT_FALSE(reason.source.empty()) << reason.field;
  }
  EXPECT_EQ(fields,
            "stage provider cni ip_families calico_version pods services nodes routing_domain "
            "dataplane.mode "
            "dataplane.encapsulation dataplane.cross_subnet dataplane.backend dataplane.routes_by "
            "dataplane.cloud_routes dataplane.service_routing dataplane.encryption "
            "dataplane.link_mtu dataplane.pod_mtu "
            "dataplane.overhead_bytes dataplane.masqueraded dataplane.masquerade_except "
            "dataplane.masqueraded_dns route_quota "
            "node_cidr_mask_size max_nodes max_pods ");
}

TEST(Derive, MachineOfTheLargestPoolIsExplained) {
  struct Row {
    const char* provider;
    const char* workers;
    const char* type;
    const char* because;
  };
  for (const Row& row : {
           Row{"aws", "[{name: w, machine: {type: m5.large}, minimum: 2, maximum: 4}]", "m5.large",
               "worker pool w: 2 cores, 750 Mbit/s sustained, 10 Gbit/s in bursts (Amazon EC2, "
               "2026-08-02)"},
           Row{"gcp",
               "[{name: a, machine: {type: e2-standard-4}, minimum: 1, maximum: 4}, {name: b, "
               "machine: {type: n2-standard-16}, minimum: 3, maximum: 4}]",
               "n2-standard-16",
               "worker pool b: 16 cores, 32 Gbit/s (Google Compute Engine, 2025-12-19); other "
               "pools have e2-standard-4"},
           Row{"aws", "[{name: w, machine: {type: x99.huge}, minimum: 2, maximum: 4}]", "x99.huge",
               "worker pool w: its figures are not known"},
       }) {
    const auto network = derive(
        spec_of(ShootText{
            .provider = row.provider, .workers = row.workers, .networking = "nodes: 10.250.0.0/16"}
                    .yaml()),
        kAuto);
    ASSERT_TRUE(network) << row.type;
    const auto reason = std::ranges::find(network->reasons, "machine", &Reason::field);
    ASSERT_NE(reason, network->reasons.end()) << row.type;
    EXPECT_EQ(reason->value, row.type);
    EXPECT_EQ(reason->because.to_string(), row.because);
    EXPECT_FALSE(reason->assumed);
  }
}

}  // namespace derive_test

}  // namespace overlane::derive
