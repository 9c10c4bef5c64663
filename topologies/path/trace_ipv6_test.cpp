#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/path/needed.h"
#include "topologies/path/testing/clusters.h"
#include "topologies/path/trace.h"

namespace overlane::path {
namespace trace_ipv6_test {

using effective::EffectiveDataplane;
using effective::Provider;
using graph::testing::bird_routes_shoot;
using graph::testing::cilium_native_shoot;
using graph::testing::cilium_tunnel_shoot;
using graph::testing::dual_stack;
using graph::testing::dual_stack_on;
using graph::testing::ipv6_first;
using graph::testing::ipv6_only;
using graph::testing::routed_shoot;
using testing::all_lines;
using testing::Cluster;
using testing::explain;
using ::testing::HasSubstr;
using testing::story;

struct Mode {
  const char* name;
  EffectiveDataplane shoot;
};

EffectiveDataplane openstack() {
  EffectiveDataplane shoot = dual_stack(bird_routes_shoot());
  shoot.provider = Provider::OpenStack;
  shoot.pods.back() = IpPrefix::parse("2001:db8:96::/48").value();
  shoot.services.push_back(IpPrefix::parse("2001:db8:0:ff::10:0/108").value());
  return shoot;
}

/// All dataplane modes of IPv6, with global addresses.
std::vector<Mode> modes() {
  const auto aws = dual_stack_on(Provider::Aws, routed_shoot());
  return {
      {"calico on AWS", aws},
      {"calico on AWS, IPv6 first", ipv6_first(aws)},
      {"calico on AWS, IPv6 alone", ipv6_only(aws)},
      {"calico on AWS with BIRD's routes", dual_stack_on(Provider::Aws, bird_routes_shoot())},
      {"cilium on AWS", dual_stack_on(Provider::Aws, cilium_native_shoot())},
      {"cilium on AWS, IPv6 alone", ipv6_only(dual_stack_on(Provider::Aws, cilium_native_shoot()))},
      {"calico on GCP", dual_stack_on(Provider::Gcp, routed_shoot())},
      {"cilium on GCP", dual_stack_on(Provider::Gcp, cilium_native_shoot())},
      {"calico on OpenStack", openstack()}};
}

TEST(TraceIpv6, EveryModeReachesEveryTargetUnderTheSendersOwnAddress) {
  struct Target {
    const char* to;
    const char* end;
  };
  constexpr Target kTargets[] = {
      {"node-2/pod-1", "node-2/pod-1"}, {"node-3/pod-0", "node-3/pod-0"},
      {"node-1/pod-1", "node-1/pod-1"}, {"node-2", "node-2"},
      {"internet", "outside"},          {"[2001:db8:0:ff::10:9]:53", "node-2/pod-0"}};
  for (const Mode& mode : modes()) {
    const Cluster cluster(mode.shoot);
    const auto lines = all_lines(cluster.states);
    for (const Target& target : kTargets) {
      const Trace trace = cluster({.to = target.to, .family = Family::Ipv6, .answer = true});
      const std::string what = std::string(mode.name) + " to " + target.to + '\n';
      ASSERT_TRUE(trace.succeeded()) << what << explain(trace);
      const DeliveredPacket& got = trace.arrived.front();
      EXPECT_EQ(got.place, target.end) << what;
      EXPECT_EQ(pod_name(cluster.states.nodes[0], got.as.inner.source), "node-1/pod-0") << what;
      EXPECT_EQ(trace.arrived.back().place, "node-1/pod-0") << what;
      for (const Hop& hop : trace.hops) {
        // A Service is in the states only for its own trace.
        if (hop.state_entry.empty() || hop.state_entry.starts_with("service ")) continue;
        EXPECT_THAT(lines, ::testing::Contains(hop.state_entry)) << what;
      }
    }
  }
}

TEST(TraceIpv6, TheFirstFamilyIsTheDefault) {
  const auto aws = dual_stack_on(Provider::Aws, routed_shoot());
  EXPECT_TRUE(Cluster(aws)({}).arrived.at(0).as.inner.is_ipv4());
  EXPECT_FALSE(Cluster(ipv6_first(aws))({}).arrived.at(0).as.inner.is_ipv4());
}

TEST(TraceIpv6, ThePodsPrefixAtTheInterfaceDecides) {
  for (const Provider provider : {Provider::Aws, Provider::Gcp}) {
    Cluster cluster(dual_stack_on(provider, routed_shoot()));
    const IpPrefix prefix = cluster.states.fabric.instances[1].prefixes.back();
    const Question question{.to = "node-2/pod-0", .family = Family::Ipv6};
    const Trace there = cluster(question);
    EXPECT_THAT(explain(there), HasSubstr(" prefix " + prefix.to_string()));
    const auto asked = ask(cluster.states, cluster.shoot, question);
    cluster.without("vpc: instance node-2 prefix " + prefix.to_string());
    const Trace gone = trace(cluster.states, asked->request);
    ASSERT_TRUE(gone.failure) << explain(gone);
    EXPECT_EQ(gone.failure->drop, Drop::FabricNoRoute);
    EXPECT_THAT(needed(cluster.states, *gone.failure).what, HasSubstr("handed to its interface"));
  }
}

TEST(TraceIpv6, LocalAddressesAreUnknownOutside) {
  const Cluster local(dual_stack(routed_shoot()));
  const Trace trace = local({.to = "internet", .family = Family::Ipv6});
  ASSERT_TRUE(trace.failure) << explain(trace);
  EXPECT_THAT(needed(local.states, *trace.failure).what, HasSubstr("masquerades fd00:96::2"));
}

TEST(TraceIpv6, TheNat64OfAwsLeadsOut) {
  const Cluster aws(ipv6_only(dual_stack_on(Provider::Aws, routed_shoot())));
  EXPECT_TRUE(aws({.to = "64:ff9b::cb00:7101"}).delivered);
  EXPECT_FALSE(is_global(IpAddress::parse("64:ff9b:1::1").value()));
}

TEST(TraceIpv6, ATunnelOverIpv4CarriesIt) {
  const Cluster tunnel(dual_stack(cilium_tunnel_shoot(effective::Encapsulation::Geneve)));
  const Trace trace = tunnel({.to = "fd00:96:0:1::2", .answer = true});
  ASSERT_TRUE(trace.succeeded()) << explain(trace);
  EXPECT_THAT(story(trace), HasSubstr("encapsulate"));
}

}  // namespace trace_ipv6_test
}  // namespace overlane::path
