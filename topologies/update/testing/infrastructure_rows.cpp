#include "topologies/manifest/testing/shoot_builder.h"
#include "topologies/update/testing/update_rows.h"

namespace overlane::update::testing {
namespace {

using manifest::testing::ShootText;

std::string shoot(const char* provider, const std::string& infrastructure) {
  return ShootText{.provider = provider, .infrastructure = infrastructure}.yaml();
}

/// With these networks.
std::string on(const char* provider, const char* networks) {
  return shoot(provider, std::string("{networks: {") + networks + "}}");
}

std::string routed_calico(const char* provider, const char* networks) {
  return ShootText{.provider = provider,
                   .infrastructure = std::string("{networks: {") + networks + "}}",
                   .config = "{overlay: {enabled: false}}"}
      .yaml();
}

constexpr const char* kZoneA = "{name: a, workers: 10.250.0.0/19}";

std::string zones(const std::string& list) {
  return on("aws", ("vpc: {cidr: 10.250.0.0/16}, zones: [" + list + "]").c_str());
}

}  // namespace

std::vector<UpdateRow> infrastructure_rows() {
  const std::string zone_a = kZoneA;
  return {
      {"vpc-changed", true, "§3.3: another VPC on aws", on("aws", "vpc: {id: vpc-1}"),
       on("aws", "vpc: {id: vpc-2}")},
      {"vpc-changed", true, "§3.3: into an existing VPC on alicloud",
       on("alicloud", "vpc: {cidr: 10.250.0.0/16}"), on("alicloud", "vpc: {id: vpc-2}")},
      {"vpc-changed", false, "§3.3: the same VPC", on("aws", "vpc: {id: vpc-1}"),
       on("aws", "vpc: {id: vpc-1, gatewayEndpoints: [s3]}")},
      {"zones-changed", true, "§3.3: a zone removed", zones(zone_a + ", {name: b}"), zones(zone_a)},
      {"zones-changed", true, "§3.3: a zone's subnet changed", zones(zone_a),
       zones("{name: a, workers: 10.250.32.0/19}")},
      {"zones-changed", false, "§3.3: a zone added", zones(zone_a),
       zones(zone_a + ", {name: b, workers: 10.250.32.0/19}")},
      {"vnet-shrunk", true, "§3.3: a smaller vnet",
       routed_calico("azure", "vnet: {cidr: 10.0.0.0/8}"),
       routed_calico("azure", "vnet: {cidr: 10.0.0.0/9}")},
      {"vnet-shrunk", false, "§3.3: a larger vnet",
       routed_calico("azure", "vnet: {cidr: 10.0.0.0/9}"),
       routed_calico("azure", "vnet: {cidr: 10.0.0.0/8}")},
      {"workers-subnet-shrunk", true, "§3.3: fewer addresses for workers",
       on("gcp", "workers: 10.250.0.0/16"), on("gcp", "workers: 10.250.0.0/17")},
      {"workers-subnet-shrunk", true, "§3.3: other addresses for workers",
       on("gcp", "workers: 10.250.0.0/16"), on("gcp", "workers: 10.240.0.0/15")},
      {"workers-subnet-shrunk", false, "§3.3: more addresses for workers",
       on("gcp", "workers: 10.250.0.0/16"), on("gcp", "workers: 10.250.0.0/15")},
      {"network-mtu-changed", true, "§3.3: a larger MTU",
       on("gcp", "workers: 10.250.0.0/16, mtu: 1460"),
       on("gcp", "workers: 10.250.0.0/16, mtu: 8896")},
      {"network-mtu-changed", true, "§3.3: an MTU where none was",
       on("gcp", "workers: 10.250.0.0/16"), on("gcp", "workers: 10.250.0.0/16, mtu: 8896")},
      {"network-mtu-changed", false, "§3.3: the same MTU",
       on("gcp", "workers: 10.250.0.0/16, mtu: 1460"),
       on("gcp", "workers: 10.250.0.0/15, mtu: 1460")},
      {"openstack-networks-changed", true, "§3.3: another router",
       on("openstack", "workers: 10.250.0.0/16, router: {id: one}"),
       on("openstack", "workers: 10.250.0.0/16, router: {id: two}")},
      {"openstack-networks-changed", true, "§3.3: a larger subnet",
       on("openstack", "workers: 10.250.0.0/16"), on("openstack", "workers: 10.250.0.0/15")},
      {"openstack-networks-changed", true, "§3.3: another floating pool",
       shoot("openstack", "{floatingPoolName: one}"),
       shoot("openstack", "{floatingPoolName: two}")},
      {"openstack-networks-changed", false, "§3.3: the subnet under its new name",
       on("openstack", "worker: 10.250.0.0/16"), on("openstack", "workers: 10.250.0.0/16")},
      {"route-table-changed", true, "§1.6: a table of its own later",
       on("alicloud", "vpc: {id: vpc-1}"),
       on("alicloud", "vpc: {id: vpc-1, useCustomRouteTable: true}")},
      {"route-table-changed", false, "§1.6: the default is written",
       on("alicloud", "vpc: {id: vpc-1}"),
       on("alicloud", "vpc: {id: vpc-1, useCustomRouteTable: false}")},
  };
}

}  // namespace overlane::update::testing
