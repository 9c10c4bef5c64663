#include "dataplane/adjacency/address_class.h"

#include <gtest/gtest.h>

#include "dataplane/adjacency/fast_parse.h"
#include "dataplane/adjacency/punt_filter.h"
#include "dataplane/node/state/world.h"
#include "dataplane/node/testing/cluster.h"

namespace overlane::adjacency {

namespace address_class_test {

using node::testing::ip;
using node::testing::make_cluster;
using node::testing::net;
using node::testing::pod;

node::NodeState first_node(Encapsulation encapsulation) {
  return make_cluster({.encapsulation = encapsulation, .nodes = 3}).nodes[0];
}

const AddressClass& class_of(const std::vector<AddressClass>& classes, IpAddress address) {
  return classes[PrefixFinder(classes)(address)];
}

TEST(AddressClass, EveryAddressHasOne) {
  const auto state = first_node(Encapsulation::Ipip);
  const auto classes = address_classes(state);
  for (const char* text : {"0.0.0.0", "9.9.9.9", "255.255.255.255", "::", "2001:db8::1", "ff02::1"})
    EXPECT_TRUE(class_of(classes, ip(text)).prefix.contains(ip(text))) << text;
}

TEST(AddressClass, ItsSampleIsInNoLongerPrefix) {
  const auto state = first_node(Encapsulation::Vxlan);
  const auto classes = address_classes(state);
  const PrefixFinder find(classes);
  for (std::uint32_t i = 0; i < classes.size(); ++i)
    EXPECT_EQ(find(classes[i].sample), i) << classes[i].prefix.to_string();
}

TEST(AddressClass, APrefixThatLongerOnesFillHasNone) {
  auto state = first_node(Encapsulation::None);
  node::NodeEditor(state).set_route(net("198.51.100.0/31"), {.kind = node::RouteKind::Blackhole});
  node::NodeEditor(state).set_route(net("198.51.100.0/32"), {.kind = node::RouteKind::Prohibit});
  node::NodeEditor(state).set_route(net("198.51.100.1/32"), {.kind = node::RouteKind::Unreachable});
  for (const AddressClass& one : address_classes(state))
    EXPECT_NE(one.prefix, net("198.51.100.0/31"));
}

TEST(AddressClass, SaysWhatTheTablesSay) {
  const auto state = first_node(Encapsulation::Ipip);
  const auto classes = address_classes(state);
  for (const IpAddress address : {pod(0), pod(1), ip("10.250.0.4"), ip("10.250.0.5"),
                                  ip("10.250.0.255"), ip("8.8.8.8"), ip("100.96.1.1")}) {
    const AddressClass& one = class_of(classes, address);
    const auto match = node::lookup(state, address);
    EXPECT_EQ(one.is_local, node::is_local(state, address)) << address.to_string();
    EXPECT_EQ(one.is_member, state.cluster->with_node_address(address) != nullptr);
    ASSERT_EQ(one.route.has_value(), match.has_value()) << address.to_string();
    if (match) {
      EXPECT_EQ(one.route->destination, match->destination);
      EXPECT_EQ(one.route->pod, match->pod);
    }
  }
}

TEST(AddressClass, PodsOfOneNodeAreOneGroupOfSourcesAndPodsOfOthersAnother) {
  const auto state = first_node(Encapsulation::Ipip);
  const auto classes = address_classes(state);
  EXPECT_EQ(class_of(classes, pod(0)).group, class_of(classes, pod(0, 1)).group);
  EXPECT_EQ(class_of(classes, pod(1)).group, class_of(classes, pod(2)).group);
  EXPECT_NE(class_of(classes, pod(0)).group, class_of(classes, pod(1)).group);
  EXPECT_NE(class_of(classes, pod(1)).group, class_of(classes, ip("10.250.0.5")).group);
}

TEST(PortSet, HoldsItsPortsAndNoOthersOfTheSameBit) {
  const PortSet ports({4789, 8472});
  EXPECT_TRUE(ports.contains(4789));
  EXPECT_TRUE(ports.contains(8472));
  EXPECT_FALSE(ports.contains(4789 + 64));
  EXPECT_FALSE(ports.contains(53));
}

TEST(PuntFilter, ConcernBothDirectionsUntilTheyAreCleared) {
  PuntFilter exceptions;
  EXPECT_FALSE(exceptions.has_any());
  exceptions.add_pair(pod(0), ip("8.8.8.8"));
  exceptions.add_destination(pod(2));
  EXPECT_TRUE(exceptions.has_any());
  EXPECT_TRUE(exceptions.has_pair(pod(0).ipv4(), ip("8.8.8.8").ipv4()));
  EXPECT_TRUE(exceptions.has_pair(ip("8.8.8.8").ipv4(), pod(0).ipv4()));
  EXPECT_TRUE(exceptions.has_destination(pod(2)));
  EXPECT_FALSE(exceptions.has_pair(pod(0).ipv4(), pod(1).ipv4()));
  EXPECT_FALSE(exceptions.has_destination(pod(1)));
  exceptions.clear();
  EXPECT_FALSE(exceptions.has_any());
  EXPECT_FALSE(exceptions.has_destination(pod(2)));
}

}  // namespace address_class_test

}  // namespace overlane::adjacency
