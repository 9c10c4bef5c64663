#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "topologies/compile/compile.h"
#include "topologies/derive/derive.h"
#include "topologies/document/syntax/parse.h"
#include "topologies/manifest/documents/manifest_set.h"
#include "topologies/overlap/inventory/read.h"
#include "topologies/overlap/sharing/budget.h"

namespace overlane::witness {
namespace route_quota_test {

constexpr std::int64_t kQuota = 12;
constexpr std::int64_t kMaxNodes = 20;

struct Row {
  std::string provider;
  std::string infrastructure;
  std::string families = "IPv4";
  std::int64_t fit = 0;  ///< Nodes.
};

std::string yaml(const Row& row, std::int64_t nodes) {
  return fmt::format(
      "apiVersion: core.gardener.cloud/v1beta1\n"
      "kind: Shoot\n"
      "metadata: {{name: one, namespace: garden-dev}}\n"
      "spec: {{provider: {{type: {}, infrastructureConfig: {{{}}}, controlPlaneConfig: {{{}}}, "
      "workers: [{{name: w, minimum: 1, maximum: {}, zones: [a]}}]}}, "
      "networking: {{type: calico, ipFamilies: [{}], nodes: 10.250.0.0/16, "
      "pods: {}, services: 100.64.0.0/13, "
      "providerConfig: {{overlay: {{enabled: false}}}}}}}}\n{}",
      row.provider, row.infrastructure,
      // stackit's default cloud controller manager writes no routes.
      row.provider == "stackit" ? "cloudControllerManager: {name: openstack}" : "", nodes,
      row.families,
      // hcloud writes routes only to private ranges.
      row.provider == "hcloud" ? "10.96.0.0/11" : "100.96.0.0/11",
      row.families == "IPv4" ? ""
                             : "status: {networking: {pods: [100.96.0.0/11, 'fd00:96::/48'], "
                               "services: [100.64.0.0/13, 'fd00:64::/108'], "
                               "nodes: [10.250.0.0/16, 'fd00:250::/56']}}\n");
}

derive::DeriveOptions options_of(const Row& row) {
  derive::DeriveOptions options;
  options.landscape.route_quotas[provider::profile_of(row.provider).provider] = kQuota;
  return options;
}

bool is_of_quota(const Finding& finding) {
  return finding.rule.find("route-quota-by-") != std::string::npos;
}

/// The most nodes without a finding about the route quota, of those of `find`.
template <typename Find>
std::int64_t most_without(const Find& find) {
  for (std::int64_t nodes = 1; nodes <= kMaxNodes; ++nodes) {
    const Findings findings = find(nodes);
    if (std::ranges::any_of(findings, is_of_quota)) return nodes - 1;
  }
  return kMaxNodes;
}

std::int64_t by_check(const Row& row) {
  return most_without([&](std::int64_t nodes) {
    const auto spec = manifest::decode(document::parse(yaml(row, nodes), "x.yaml")).clusters.at(0);
    return derive::examine(spec, options_of(row)).findings;
  });
}

std::int64_t by_overlap(const Row& row) {
  return most_without([&](std::int64_t nodes) {
    std::vector<overlap::Landscape> landscapes;
    landscapes.push_back({"", document::parse(yaml(row, nodes), "x.yaml"), {}});
    overlap::LandscapeReader reader(std::move(landscapes),
                                    {.derive = options_of(row), .threads = 1});
    const overlap::Inventory inventory = reader.read();
    Findings findings;
    for (const auto& budget : route_budgets(inventory, overlap::locate(inventory)))
      if (budget.finding) findings.push_back(*budget.finding);
    return findings;
  });
}

/// Nodes that have every route in every table.
std::int64_t by_compile(const Row& row) {
  const auto spec =
      manifest::decode(document::parse(yaml(row, kMaxNodes), "x.yaml")).clusters.at(0);
  const auto shoot = derive::derive(spec, options_of(row));
  EXPECT_TRUE(shoot) << shoot.error().to_string();
  if (!shoot) return 0;
  const auto topology =
      graph::Topology::build({.shoot = &*shoot, .nodes = static_cast<std::uint32_t>(kMaxNodes)});
  EXPECT_TRUE(topology) << topology.error().to_string();
  if (!topology) return 0;
  const compile::Compiled states = compile::compile(*topology, *shoot).value();
  EXPECT_EQ(states.findings.empty(), row.fit == kMaxNodes);
  return std::ranges::count_if(topology->nodes(), [&](const graph::Node& node) {
    return std::ranges::all_of(states.fabric.route_tables, [&](const node::RouteTable& table) {
      return std::ranges::all_of(graph::kFamilies, [&](Family family) {
        const graph::NodeAddresses* addresses = node.addresses.in(family);
        return addresses == nullptr || addresses->interface_prefix ||
               table.routes.find(addresses->pod_cidr) != nullptr;
      });
    });
  });
}

TEST(RouteQuota, ChecksBudgetsAndFabricsCountAlike) {
  std::vector<Row> rows = {
      {"aws", "networks: {vpc: {cidr: 10.250.0.0/16, gatewayEndpoints: [s3]}}", "IPv4", 9},
      {"openstack", "networks: {ipv6: {}}", "IPv4, IPv6", 6}};
  for (const provider::Profile* profile : provider::profiles())
    if (profile->routes.quota)
      rows.push_back(
          {std::string(profile->name), "", "IPv4", kQuota - profile->routes.quota->own_routes});
  for (const Row& row : rows) {
    SCOPED_TRACE(row.provider + " " + row.infrastructure);
    EXPECT_EQ(by_check(row), row.fit);
    EXPECT_EQ(by_overlap(row), row.fit);
    EXPECT_EQ(by_compile(row), row.fit);
  }
}

/// Of OpenStack's router, AWS's and Azure's route tables and a GCP network.
TEST(RouteQuota, RoutesOfNoNodeCountWhereTheProviderCountsThem) {
  const auto own = [](std::string_view name) {
    return provider::profile_of(name).routes.quota->own_routes;
  };
  EXPECT_EQ(own("openstack"), 0) << "max_routes limits extra routes";
  EXPECT_EQ(own("azure"), 0) << "user-defined routes only";
  EXPECT_EQ(own("gcp"), 1) << "the default route is a static one";
  EXPECT_EQ(own("aws"), 2);
}

}  // namespace route_quota_test
}  // namespace overlane::witness
