#include "topologies/manifest/spec/infrastructure.h"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/document/syntax/parse.h"

namespace overlane::manifest {

namespace infrastructure_test {

using document::Problems;

struct Read {
  Infrastructure infrastructure;
  Findings findings;
};

Read read_config(const char* provider, const std::string& text) {
  const document::Stream stream = document::parse(text, "x.yaml");
  Problems problems({});
  Read read;
  decode_infrastructure_config(provider, stream.documents.at(0).root(), read.infrastructure,
                               problems);
  read.findings = problems.findings();
  return read;
}

std::string text_of(const Field<std::string>& field) {
  return field ? field->value : "nothing";
}
std::string text_of(const Field<IpPrefix>& field) {
  return field ? field->value.to_string() : "nothing";
}
std::string text_of(const Field<bool>& field) {
  return !field ? "nothing" : field->value ? "true" : "false";
}
std::string text_of(const Field<std::int64_t>& field) {
  return field ? std::to_string(field->value) : "nothing";
}

struct FieldRow {
  const char* provider;
  const char* config;
  std::function<std::string(const Infrastructure&)> field;
  const char* value;
};

TEST(InfrastructureConfig, EveryFieldThatDecidesRoutingIsRead) {
  const FieldRow rows[] = {
      {"aws", "networks: {vpc: {id: vpc-1}}", [](const auto& i) { return text_of(i.network_id); },
       "vpc-1"},
      {"aws", "networks: {vpc: {cidr: 10.0.0.0/16}}",
       [](const auto& i) { return text_of(i.network_cidr); }, "10.0.0.0/16"},
      {"aws", "networks: {vpc: {gatewayEndpoints: [s3]}}",
       [](const auto& i) { return i.gateway_endpoints.at(0); }, "s3"},
      {"aws", "networks: {vpc: {ipv6IpamPool: {id: pool-1}}}",
       [](const auto& i) { return text_of(i.ipv6_pool); }, "pool-1"},
      {"aws", "networks: {nodesSecurityGroupID: sg-1}",
       [](const auto& i) { return text_of(i.nodes_security_group); }, "sg-1"},
      {"aws", "enableMTUCustomizer: true", [](const auto& i) { return text_of(i.mtu_customizer); },
       "true"},
      {"aws", "dualStack: {enabled: true}", [](const auto& i) { return text_of(i.dual_stack); },
       "true"},
      {"aws", "networks: {zones: [{name: a, workers: 10.0.0.0/19}]}",
       [](const auto& i) { return text_of(i.zones.at(0).workers); }, "10.0.0.0/19"},
      {"aws", "networks: {zones: [{name: a, internal: 10.0.1.0/24}]}",
       [](const auto& i) { return text_of(i.zones.at(0).internal); }, "10.0.1.0/24"},
      {"aws", "networks: {zones: [{name: a, public: 10.0.2.0/24}]}",
       [](const auto& i) { return text_of(i.zones.at(0).public_subnet); }, "10.0.2.0/24"},
      {"aws", "networks: {zones: [{name: a, workersSubnetID: subnet-1}]}",
       [](const auto& i) { return text_of(i.zones.at(0).workers_subnet_id); }, "subnet-1"},
      {"aws", "networks: {zones: [{name: a, publicSubnetID: subnet-2}]}",
       [](const auto& i) { return text_of(i.zones.at(0).public_subnet_id); }, "subnet-2"},
      {"aws", "networks: {zones: [{name: a, internalSubnetID: subnet-3}]}",
       [](const auto& i) { return text_of(i.zones.at(0).internal_subnet_id); }, "subnet-3"},
      {"aws", "networks: {zones: [{name: a, elasticIPAllocationID: eip-1}]}",
       [](const auto& i) { return text_of(i.zones.at(0).elastic_ip); }, "eip-1"},
      {"aws", "networks: {workers: [10.0.0.0/19, 10.0.32.0/19]}\nzones: [a, b]",
       [](const auto& i) { return i.zones.at(1).name + " " + text_of(i.zones.at(1).workers); },
       "b 10.0.32.0/19"},
      {"gcp", "networks: {vpc: {name: shared, cloudRouter: {name: r}}}",
       [](const auto& i) { return text_of(i.network_id) + " " + text_of(i.cloud_router); },
       "shared r"},
      {"gcp", "networks: {workers: 10.0.0.0/16}",
       [](const auto& i) { return text_of(i.workers_cidr); }, "10.0.0.0/16"},
      {"gcp", "networks: {internal: 10.1.0.0/16}",
       [](const auto& i) { return text_of(i.internal_cidr); }, "10.1.0.0/16"},
      {"gcp", "networks: {cloudNAT: {minPortsPerVM: 64}}",
       [](const auto& i) { return text_of(i.cloud_nat); }, "true"},
      {"gcp", "networks: {mtu: 8896}", [](const auto& i) { return text_of(i.mtu); }, "8896"},
      {"azure", "networks: {vnet: {name: v, resourceGroup: g}}",
       [](const auto& i) { return text_of(i.network_id) + " " + text_of(i.resource_group); },
       "v g"},
      {"azure", "networks: {vnet: {cidr: 10.0.0.0/8}}",
       [](const auto& i) { return text_of(i.network_cidr); }, "10.0.0.0/8"},
      {"azure", "networks: {zones: [{name: 2, cidr: 10.0.0.0/19}]}",
       [](const auto& i) { return i.zones.at(0).name + " " + text_of(i.zones.at(0).workers); },
       "2 10.0.0.0/19"},
      {"azure", "networks: {natGateway: {enabled: true, zone: 1}}",
       [](const auto& i) { return text_of(i.nat_gateway); }, "true"},
      {"azure", "networks: {subnet: {name: mine}}",
       [](const auto& i) { return text_of(i.subnet_name); }, "mine"},
      {"azure", "zoned: true", [](const auto& i) { return text_of(i.zoned); }, "true"},
      {"openstack", "networks: {router: {id: r-1}, id: n-1}",
       [](const auto& i) { return text_of(i.network_id) + " " + text_of(i.subnet_network); },
       "r-1 n-1"},
      {"openstack", "networks: {subnetPool: {id: p-1, prefixLength: 24}}",
       [](const auto& i) { return text_of(i.subnet_pool); }, "p-1"},
      {"openstack", "networks: {ipv6: {subnetPoolID: p-6}}",
       [](const auto& i) { return text_of(i.ipv6_networks) + " " + text_of(i.ipv6_pool); },
       "true p-6"},
      {"openstack", "floatingPoolName: FloatingIP",
       [](const auto& i) { return text_of(i.floating_pool); }, "FloatingIP"},
      {"alicloud", "networks: {vpc: {id: vpc-a, useCustomRouteTable: true}}",
       [](const auto& i) { return text_of(i.network_id) + " " + text_of(i.custom_route_table); },
       "vpc-a true"},
      {"alicloud", "networks: {vpc: {gardenerManagedNATGateway: true}}",
       [](const auto& i) { return text_of(i.nat_gateway); }, "true"},
      {"alicloud",
       "networks: {zones: [{name: a, workers: 10.0.0.0/19, natGateway: {eipAllocationID: e}}]}",
       [](const auto& i) { return text_of(i.zones.at(0).elastic_ip); }, "e"},
      {"stackit", "floatingPoolName: f\nnetworks: {workers: 10.0.0.0/22}",
       [](const auto& i) { return text_of(i.workers_cidr); }, "10.0.0.0/22"},
      {"hcloud", "floatingPoolName: f\nnetworks: {workers: 10.0.0.0/24}",
       [](const auto& i) { return text_of(i.workers_cidr); }, "10.0.0.0/24"},
      {"hcloud",
       "apiVersion: hcloud.provider.extensions.gardener.cloud/v1alpha2\n"
       "networks: {workersConfiguration: {cidr: 10.0.0.0/24, zone: eu-central}}",
       [](const auto& i) { return text_of(i.workers_cidr); }, "10.0.0.0/24"},
      {"metal", "partitionID: p\nprojectID: q",
       [](const auto& i) { return text_of(i.partition) + " " + text_of(i.project); }, "p q"},
      {"metal", "firewall: {size: c1, networks: [internet]}",
       [](const auto& i) { return i.firewall_networks.at(0); }, "internet"},
  };
  for (const FieldRow& row : rows) {
    SCOPED_TRACE(std::string(row.provider) + ": " + row.config);
    const Read read = read_config(row.provider, row.config);
    EXPECT_TRUE(read.findings.empty()) << read.findings.front().to_string();
    EXPECT_EQ(row.field(read.infrastructure), row.value);
  }
}

struct FindingRow {
  const char* what;
  const char* provider;
  const char* config;
  const char* rule;
  Severity severity;
  int column;
};

TEST(InfrastructureConfig, WhatItsProviderDoesNotKnowIsNamed) {
  const FindingRow rows[] = {
      {"a misspelt field", "aws", "networks: {vcp: {id: vpc-1}}", "unknown-field",
       Severity::Warning, 12},
      {"another provider's field", "gcp", "networks: {router: {id: r}}", "unknown-field",
       Severity::Warning, 12},
      {"the old name of workers", "openstack", "networks: {worker: 10.0.0.0/16}",
       "deprecated-field", Severity::Warning, 12},
      {"the API group of 2019", "aws", "apiVersion: aws.extensions.gardener.cloud/v1alpha1",
       "deprecated-field", Severity::Warning, 1},
      {"another provider's config", "aws",
       "apiVersion: gcp.provider.extensions.gardener.cloud/v1alpha1", "wrong-api-version",
       Severity::Error, 13},
      {"a version that the provider has not", "gcp",
       "apiVersion: gcp.provider.extensions.gardener.cloud/v1alpha2", "wrong-api-version",
       Severity::Error, 13},
      {"another kind", "aws", "kind: WorkerConfig", "wrong-kind", Severity::Error, 7},
      {"host bits", "aws", "networks: {vpc: {cidr: 10.0.0.1/16}}", "invalid-cidr", Severity::Error,
       24},
      {"an MTU beyond GCP's", "gcp", "networks: {mtu: 9000}", "bad-value", Severity::Error, 17},
      {"a zone that is a word", "azure", "networks: {zones: [{name: one}]}", "wrong-type",
       Severity::Error, 27},
      {"a quoted boolean", "alicloud", "networks: {vpc: {useCustomRouteTable: \"true\"}}",
       "wrong-type", Severity::Error, 39},
  };
  for (const FindingRow& row : rows) {
    SCOPED_TRACE(row.what);
    const Read read = read_config(row.provider, row.config);
    ASSERT_EQ(read.findings.size(), 1u);
    EXPECT_EQ(read.findings[0].rule, row.rule) << read.findings[0].to_string();
    EXPECT_EQ(read.findings[0].severity, row.severity);
    EXPECT_EQ(read.findings[0].place.column, row.column);
  }
}

TEST(InfrastructureConfig, WithoutAProviderItsApiVersionNamesTheDecoder) {
  const std::string vpc = "networks: {vpc: {id: vpc-1}}\n";
  const auto id = [](const Read& read) { return text_of(read.infrastructure.network_id); };
  const std::string group = "apiVersion: aws.provider.extensions.gardener.cloud/v1alpha1\n";
  EXPECT_EQ(id(read_config("", group + vpc)), "vpc-1");
  EXPECT_EQ(id(read_config("", vpc)), "nothing");
  EXPECT_EQ(id(read_config("ironcore", vpc)), "nothing");
}

struct StatusRow {
  const char* provider;
  const char* status;
  const char* network_id;
  const char* resource_group;
};

TEST(InfrastructureStatus, NamesTheNetworkThatExists) {
  const StatusRow rows[] = {
      {"aws", "vpc: {id: vpc-1, subnets: [{id: s, purpose: nodes, zone: a}]}", "vpc-1", "nothing"},
      {"gcp", "networks: {vpc: {name: made}, subnets: [{name: s, purpose: nodes}]}", "made",
       "nothing"},
      {"azure",
       "networks: {vnet: {name: made}, subnets: [{name: s, purpose: nodes, cidr: 10.0.0.0/19}]}\n"
       "resourceGroup: {name: group}",
       "made", "group"},
      {"openstack", "networks: {id: n, router: {id: r}, subnets: [{id: s, purpose: nodes}]}", "r",
       "nothing"},
      {"alicloud", "vpc: {id: vpc-a, vswitches: [{id: s, purpose: nodes, zone: a}]}", "vpc-a",
       "nothing"},
  };
  for (const StatusRow& row : rows) {
    SCOPED_TRACE(row.provider);
    const document::Stream stream = document::parse(row.status, "x.yaml");
    Problems problems({});
    ObservedInfrastructure observed;
    decode_infrastructure_status(row.provider, stream.documents.at(0).root(), observed, problems);
    EXPECT_TRUE(problems.findings().empty());
    EXPECT_EQ(text_of(observed.network_id), row.network_id);
    EXPECT_EQ(text_of(observed.resource_group), row.resource_group);
    ASSERT_EQ(observed.subnets.size(), 1u);
    EXPECT_EQ(observed.subnets[0].id, "s");
    EXPECT_EQ(observed.subnets[0].purpose, kNodesPurpose);
    EXPECT_EQ(text_of(observed.subnets[0].cidr),
              std::string(row.provider) == "azure" ? "10.0.0.0/19" : "nothing");
  }
}

}  // namespace infrastructure_test

}  // namespace overlane::manifest
