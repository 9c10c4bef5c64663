#include "topologies/provider/profile.h"

#include <set>

#include <gtest/gtest.h>

#include "topologies/provider/machines/nics.h"

namespace overlane::provider {
namespace profile_test {

TEST(Profiles, AreFoundByNameAndByProvider) {
  std::set<std::string_view> names;
  for (const Profile* profile : profiles()) {
    EXPECT_TRUE(names.insert(profile->name).second) << profile->name;
    EXPECT_EQ(&profile_of(profile->name), profile);
    EXPECT_EQ(&profile_of(profile->provider), profile);
    EXPECT_EQ(to_string(profile->provider), profile->name);
  }
  EXPECT_EQ(names.size(), 9u);
  EXPECT_FALSE(profile_of("vsphere").is_known());
  EXPECT_FALSE(profile_of("").is_known());
  EXPECT_EQ(to_string(Provider::Other), "other");
}

TEST(Nics, HaveSourcesAndHashAsTheirDriversSay) {
  for (const Nic& nic : nics()) {
    SCOPED_TRACE(nic.driver);
    EXPECT_EQ(find_nic(nic.driver), &nic);
    EXPECT_FALSE(nic.segmentation_source.empty());
    EXPECT_FALSE(nic.rss_source.empty());
    EXPECT_FALSE(nic.hashes_inside_udp_tunnels);
    EXPECT_EQ(nic.hashes_inside_ipip, nic.driver == "mlx5");
  }
  EXPECT_EQ(find_nic("e1000"), nullptr);
}

TEST(Profiles, NumbersHaveSources) {
  for (const Profile* profile : profiles()) {
    SCOPED_TRACE(profile->name);
    EXPECT_FALSE(profile->fabric.link_mtu_source.empty());
    EXPECT_FALSE(profile->fabric.egress_mtu_source.empty());
    EXPECT_EQ(profile->fabric.egress_mtu, 1500u) << "what the internet carries";
    EXPECT_FALSE(profile->routes.controller.empty());
    EXPECT_EQ(profile->fabric.dropped_protocols.empty(),
              profile->fabric.dropped_protocols_source.empty());
    EXPECT_EQ(profile->machines.single_flow.has_value(),
              !profile->machines.single_flow_source.empty());
    EXPECT_EQ(profile->machines.single_flow.has_value(),
              !profile->machines.single_flow_range.empty());
    EXPECT_TRUE(profile->machines.nic.empty() || find_nic(profile->machines.nic) != nullptr);
    if (const auto& limit = profile->machines.flow_allowance) {
      EXPECT_FALSE(limit->source.empty());
      EXPECT_LE(limit->flows_of(1), limit->flows_of(1'000));
      EXPECT_GT(limit->flows_of(1), 0u);
    }
    EXPECT_FALSE(profile->node_subnets.source.empty());
    EXPECT_EQ(profile->machines.host_addresses, !profile->machines.host_addresses_source.empty());
    EXPECT_FALSE(profile->fabric.latency.source.empty());
    EXPECT_LE(profile->fabric.latency.within_zone, profile->fabric.latency.across_zones);
    EXPECT_EQ(profile->fabric.ipip_within_group_only, !profile->fabric.ipip_filter.command.empty());
    EXPECT_EQ(profile->fabric.allows_pod_range_only, profile->fabric.dropping_backend.has_value());
    EXPECT_EQ(profile->admission.dual_stack_node_mask.has_value(),
              !profile->admission.dual_stack_node_mask_source.empty());
    const auto& quota = profile->routes.quota;
    if (!quota) continue;
    EXPECT_FALSE(quota->holder.empty());
    EXPECT_EQ(quota->usual > 0, !quota->source.empty());
    EXPECT_EQ(quota->lowest > 0, !quota->lowest_source.empty());
    EXPECT_LE(quota->lowest, quota->usual);
  }
}

TEST(Profiles, AdmissionWritesOverlayKeysOnlyForTypesThatItsMutatorHandles) {
  struct Row {
    const char* provider;
    bool calico;
    bool cilium;
    bool others;
  };
  const Row rows[] = {{"aws", true, true, true},       {"gcp", true, true, true},
                      {"azure", false, true, false},   {"openstack", true, true, false},
                      {"alicloud", true, true, true},  {"metal", false, false, false},
                      {"stackit", false, false, false}};
  for (const Row& row : rows) {
    const Admission& admission = profile_of(row.provider).admission;
    EXPECT_EQ(admission.writes_new_overlay_of("calico"), row.calico) << row.provider;
    EXPECT_EQ(admission.writes_new_overlay_of("cilium"), row.cilium) << row.provider;
    EXPECT_EQ(admission.writes_new_overlay_of("weave"), row.others) << row.provider;
  }
  EXPECT_TRUE(profile_of("gcp").admission.forces_dns_snat_off("cilium"));
  EXPECT_FALSE(profile_of("alicloud").admission.forces_dns_snat_off("cilium"));
}

TEST(Profiles, ProvidersLayOutTheNodesSubnets) {
  struct Row {
    const char* provider;
    bool one_without_zones;
    bool one_with_zones;
  };
  for (const Row& row :
       {Row{"aws", false, false}, Row{"alicloud", false, false}, Row{"azure", true, false},
        Row{"gcp", true, true}, Row{"openstack", true, true}, Row{"stackit", true, true},
        Row{"hcloud", true, true}, Row{"metal", true, true}, Row{"vsphere", false, false}}) {
    const SubnetLayout& layout = profile_of(row.provider).node_subnets;
    EXPECT_EQ(layout.is_one(false), row.one_without_zones) << row.provider;
    EXPECT_EQ(layout.is_one(true), row.one_with_zones) << row.provider;
  }
}

/// Facts from the sources; the rest is marked as assumed.
TEST(Profiles, StackitIsOpenStackWithoutItsAdmission) {
  const Profile& stackit = profile_of("stackit");
  EXPECT_EQ(stackit.admission.new_overlay, NewOverlay::Untouched);
  EXPECT_FALSE(stackit.admission.pod_routes_when_routed);
  EXPECT_TRUE(stackit.routes.follow_overlay);
  EXPECT_FALSE(stackit.routes.off_with_bird.empty());
  EXPECT_EQ(stackit.routes.manager_choice->preset, "stackit");
  EXPECT_EQ(stackit.routes.manager_choice->with_routes, "openstack");
  EXPECT_EQ(stackit.routes.quota->usual, 0);
  EXPECT_EQ(stackit.fabric.scope, RouteScope::Router);
  EXPECT_TRUE(stackit.fabric.link_mtu_source.text().starts_with("assumed"));
}

TEST(Profiles, HcloudWritesRoutesBesideAnOverlay) {
  const Profile& hcloud = profile_of("hcloud");
  EXPECT_FALSE(hcloud.routes.follow_overlay);
  EXPECT_EQ(hcloud.fabric.link_mtu, 1450u);
  EXPECT_TRUE(hcloud.fabric.link_mtu_source.text().starts_with("assumed"));
  EXPECT_TRUE(hcloud.routes.quota->source.text().starts_with("assumed"));
}

}  // namespace profile_test
}  // namespace overlane::provider
