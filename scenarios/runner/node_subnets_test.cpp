// Tests of the derivation of the fabric's subnets and the nodes' addresses from an
// InfrastructureConfig.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/runner/testing/scenario_files.h"
#include "topologies/compile/compile.h"
#include "topologies/manifest/testing/shoot_builder.h"

namespace overlane::runner {
namespace node_subnets_test {

struct Provided {
  const char* provider;
  const char* networks;  ///< Networks in the InfrastructureConfig.
  const char* zones;
  const char* subnets;  ///< Subnets of the fabric, with their zones.
  const char* nodes;    ///< Addresses of the first three nodes.
  const char* status = "";
};

constexpr Provided kProvided[] = {
    {"aws",
     "{vpc: {cidr: 10.180.0.0/16}, zones: ["
     "{name: a, workers: 10.180.0.0/19, public: 10.180.96.0/22, internal: 10.180.112.0/22}, "
     "{name: b, workers: 10.180.32.0/19, public: 10.180.100.0/22, internal: 10.180.116.0/22}]}",
     "[a, b]", "10.180.0.0/19 in a, 10.180.32.0/19 in b", "10.180.0.4 10.180.32.4 10.180.0.5"},
    {"alicloud",
     "{vpc: {cidr: 10.180.0.0/16}, zones: [{name: a, workers: 10.180.0.0/19}, "
     "{name: b, workers: 10.180.32.0/19}]}",
     "[a, b]", "10.180.0.0/19 in a, 10.180.32.0/19 in b", "10.180.0.4 10.180.32.4 10.180.0.5"},
    {"azure", "{vnet: {cidr: 10.180.0.0/16}, workers: 10.180.0.0/19}", "['1', '2', '3']",
     "10.180.0.0/19", "10.180.0.4 10.180.0.5 10.180.0.6"},
    {"azure",
     "{vnet: {cidr: 10.180.0.0/16}, zones: [{name: 1, cidr: 10.180.0.0/19}, "
     "{name: 2, cidr: 10.180.32.0/19}]}",
     "['1', '2']", "10.180.0.0/19 in 1, 10.180.32.0/19 in 2", "10.180.0.4 10.180.32.4 10.180.0.5"},
    {"gcp", "{workers: 10.180.0.0/19}", "[a, b]", "10.180.0.0/19",
     "10.180.0.4 10.180.0.5 10.180.0.6"},
    {"openstack", "{workers: 10.180.0.0/22}", "[a, b]", "10.180.0.0/22",
     "10.180.0.4 10.180.0.5 10.180.0.6"},
    {"openstack", "{subnetPool: {id: pool}}", "[a, b]", "10.180.4.0/22",
     "10.180.4.4 10.180.4.5 10.180.4.6", "{networking: {nodes: [10.180.4.0/22]}}"},
    {"stackit", "{workers: 10.180.0.0/22}", "[a, b]", "10.180.0.0/22",
     "10.180.0.4 10.180.0.5 10.180.0.6"},
    {"hcloud", "{workers: 10.180.0.0/24}", "[a, b]", "10.180.0.0/24",
     "10.180.0.4 10.180.0.5 10.180.0.6"},
    {"hcloud", "{workersConfiguration: {cidr: 10.180.1.0/24, zone: eu-central}}", "[a, b]",
     "10.180.1.0/24", "10.180.1.4 10.180.1.5 10.180.1.6"},
    {"metal", "", "[a]", "10.180.0.0/16 in a", "10.180.0.4 10.180.0.5 10.180.0.6"},
    {"vsphere", "", "[a, b]", "10.180.0.0/17 in a, 10.180.128.0/17 in b",
     "10.180.0.4 10.180.128.4 10.180.0.5"},
};

Outcome<Subject> subject_of(const Provided& row, const testing::Folder& folder) {
  const std::string zoned = std::string(row.provider) == "azure" ? "zoned: true, " : "";
  const std::string networks = *row.networks == '\0' ? "" : zoned + "networks: " + row.networks;
  const manifest::testing::ShootText shoot{
      .provider = row.provider,
      .infrastructure = "{" + networks + "}",
      .workers = std::string("[{name: w, minimum: 3, maximum: 3, zones: ") + row.zones + "}]",
      .networking = "pods: 100.96.0.0/11\n    services: 100.64.0.0/13\n    nodes: 10.180.0.0/16",
      .status = row.status};
  return load_subject({.manifests = {folder.write("shoot.yaml", shoot.yaml())}}, {}, {});
}

TEST(NodeSubnets, AreThoseThatTheProviderMakes) {
  for (const Provided& row : kProvided) {
    SCOPED_TRACE(std::string(row.provider) + ' ' + row.networks + row.status);
    const testing::Folder folder;
    const auto subject = subject_of(row, folder);
    ASSERT_TRUE(subject) << subject.error().findings.front().message;
    const auto states = compile::compile(subject->topology, subject->as_written);
    ASSERT_TRUE(states) << states.error().message;
    std::string subnets;
    for (const node::Subnet& subnet : states->fabric.subnets)
      subnets += (subnets.empty() ? "" : ", ") + subnet.cidrs.at(0).to_string() +
                 (subnet.zone.empty() ? "" : " in " + subnet.zone);
    EXPECT_EQ(subnets, row.subnets);
    std::string nodes;
    for (const node::Instance& instance : states->fabric.instances) {
      const IpAddress address = instance.addresses.at(0);
      nodes += (nodes.empty() ? "" : " ") + address.to_string();
      EXPECT_TRUE(states->fabric.subnets.at(instance.subnet).cidrs.at(0).contains(address));
    }
    EXPECT_EQ(nodes, row.nodes);
  }
}

/// Paths between zones do not depend on the subnets.
TEST(NodeSubnets, NodesOfOneSubnetAreInTheirZones) {
  const testing::Folder folder;
  const auto subject = subject_of(kProvided[4], folder);
  ASSERT_TRUE(subject);
  const auto states = compile::compile(subject->topology, subject->as_written);
  std::string zones;
  for (const node::Instance& instance : states->fabric.instances)
    zones += node::zone_of(states->fabric, instance);
  EXPECT_EQ(zones, "aba");
}

}  // namespace node_subnets_test
}  // namespace overlane::runner
