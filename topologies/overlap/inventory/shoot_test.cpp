#include "topologies/overlap/inventory/shoot.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/document/syntax/parse.h"
#include "topologies/overlap/inventory/inventory.h"
#include "topologies/overlap/testing/landscapes.h"

namespace overlane::overlap {

namespace shoot_test {

using testing::LocatedShoots;
using testing::ShootText;
using ::testing::UnorderedElementsAreArray;

struct Row {
  const char* because;
  ShootText shoot;
  std::vector<std::string> ranges;
};

constexpr const char* kIpv6Networks =
    "workers: 10.250.0.0/16, "
    "ipv6: {nodeCIDR: 'fd00:1::/64', podCIDR: 'fd00:2::/56', serviceCIDR: 'fd00:3::/112'}";

const Row kRows[] = {
    {"a subnet with the nodes' range is the same range",
     {.networks = "workers: 10.250.0.0/16"},
     {"pods 100.96.0.0/11", "services 100.64.0.0/13", "nodes 10.250.0.0/16"}},
    {"what is not given is supposed",
     {.provider = "openstack", .pods = "", .services = "", .nodes = ""},
     {"pods 100.96.0.0/11 (assumed)", "services 100.64.0.0/13 (assumed)",
      "nodes 10.250.0.0/16 (assumed)"}},
    {"but no nodes where a subnet says where they are",
     {.provider = "openstack", .networks = "workers: 10.8.0.0/24", .nodes = ""},
     {"pods 100.96.0.0/11", "services 100.64.0.0/13", "subnet 10.8.0.0/24"}},
    {"be it a zone's",
     {.provider = "alicloud",
      .networks = "vpc: {id: v}, zones: [{name: z, workers: 10.8.0.0/24}]",
      .nodes = ""},
     {"pods 100.96.0.0/11", "services 100.64.0.0/13", "subnet 10.8.0.0/24"}},
    {"before the status knows them openstack's infrastructure gives the second ranges",
     {.provider = "openstack", .networks = kIpv6Networks, .families = "IPv4, IPv6", .live = false},
     {"pods 100.96.0.0/11", "pods fd00:2::/56", "services 100.64.0.0/13", "services fd00:3::/112",
      "nodes 10.250.0.0/16", "nodes fd00:1::/64"}},
    {"then the status does",
     {.provider = "openstack",
      .networks = kIpv6Networks,
      .families = "IPv4, IPv6",
      .status = "networking: {pods: [100.96.0.0/11, 'fd00:4::/56'], services: [100.64.0.0/13, "
                "'fd00:5::/112'], nodes: [10.250.0.0/16, 'fd00:6::/64']}"},
     {"pods 100.96.0.0/11", "pods fd00:4::/56", "services 100.64.0.0/13", "services fd00:5::/112",
      "nodes 10.250.0.0/16", "nodes fd00:6::/64"}},
    {"of a shoot of one family they mean nothing",
     {.provider = "openstack", .networks = kIpv6Networks},
     {"pods 100.96.0.0/11", "services 100.64.0.0/13", "nodes 10.250.0.0/16"}},
};

TEST(Shoot, HasTheRangesThatDocumentsGive) {
  for (const Row& row : kRows) {
    const LocatedShoots located(row.shoot.yaml());
    std::vector<std::string> ranges;
    for (const Range& range : located.inventory.shoots.at(0).ranges)
      ranges.push_back(std::string(to_string(range.role)) + ' ' + range.cidr.to_string() +
                       (range.assumed ? " (assumed)" : ""));
    EXPECT_THAT(ranges, UnorderedElementsAreArray(row.ranges)) << row.because;
  }
}

TEST(Shoot, WithAMisspeltNetworkConfigIsReportedAndTreatedAsRouted) {
  std::string yaml = testing::texts({{.overlay = true}});
  const std::string_view right = "{enabled: true}";
  yaml.replace(yaml.find(right), right.size(), "{enabld: true}");
  std::vector<Landscape> landscapes;
  landscapes.push_back({"", document::parse(yaml, "x.yaml"), {}});
  const Inventory inventory = LandscapeReader(std::move(landscapes), {}).read();
  ASSERT_EQ(inventory.findings.size(), 1u);
  const Finding& finding = inventory.findings[0];
  EXPECT_EQ(finding.rule, "unknown-key");
  EXPECT_EQ(finding.severity, Severity::Error);
  EXPECT_EQ(finding.path, "spec.networking.providerConfig.overlay.enabld");
  EXPECT_TRUE(finding.message.ends_with("overlap treats the shoot's pods as routed"))
      << finding.message;
  ASSERT_EQ(inventory.shoots.size(), 1u);
  const auto pods = std::ranges::find(inventory.shoots[0].ranges, Role::Pods, &Range::role);
  ASSERT_NE(pods, inventory.shoots[0].ranges.end());
  EXPECT_EQ(pods->dataplane_mode, DataplaneMode::Routed);
  EXPECT_TRUE(pods->assumed);
}

}  // namespace shoot_test

}  // namespace overlane::overlap
