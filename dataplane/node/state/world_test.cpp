#include "dataplane/node/state/world.h"

#include <functional>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataplane/node/testing/cluster.h"

namespace overlane::node {
namespace editor_test {

using ::testing::ElementsAre;
using testing::ip;
using ::testing::IsEmpty;
using testing::make_cluster;
using testing::net;

NodeState ipip_node() {
  return make_cluster({.encapsulation = Encapsulation::Ipip, .nodes = 3}).nodes[0];
}

Device with_mtu(const NodeState& state, DeviceName name, std::uint32_t mtu) {
  Device device = *state.find_device(name);
  device.mtu = mtu;
  return device;
}

/// A change of a node's state, and the part of NodeChange that reports it.
struct NodeRow {
  const char* what;
  std::function<bool(NodeEditor&)> change;
  std::function<bool(const NodeChange&)> names_it;
};

TEST(NodeEditor, NotesWhatWasChangedOnce) {
  const auto destination = [](const char* prefix) {
    return [=](const NodeChange& change) {
      return change.destinations == std::vector{net(prefix)} && change.devices.empty();
    };
  };
  const auto device = [](const char* name) {
    return [=](const NodeChange& change) {
      return change.devices == std::vector{DeviceName(name)} && change.destinations.empty();
    };
  };
  const auto pod = [](const char* address) {
    return [=](const NodeChange& change) {
      return change.destinations == std::vector{IpPrefix::host(ip(address))} &&
             change.devices == std::vector{NodeState{}.pod_device(ip(address))};
    };
  };
  const NodeRow rows[] = {
      {"a new route",
       [](NodeEditor& e) { return e.set_route(net("192.0.2.0/24"), {.device = "eth0"}); },
       destination("192.0.2.0/24")},
      {"a peer's route is replaced",
       [](NodeEditor& e) { return e.set_route(net("100.96.2.0/24"), {.device = "eth0"}); },
       destination("100.96.2.0/24")},
      {"a peer's route goes", [](NodeEditor& e) { return e.remove_route(net("100.96.2.0/24")); },
       destination("100.96.2.0/24")},
      {"a device gets another MTU",
       [](NodeEditor& e) { return e.set_device(with_mtu(e.state(), "eth0", 1400)); },
       device("eth0")},
      {"a device goes", [](NodeEditor& e) { return e.remove_device("tunl0"); }, device("tunl0")},
      {"a pod comes", [](NodeEditor& e) { return e.set_pod({.address = ip("100.96.1.99")}); },
       pod("100.96.1.99")},
      {"a pod goes", [](NodeEditor& e) { return e.remove_pod(ip("100.96.1.10")); },
       pod("100.96.1.10")},
      {"other peers",
       [](NodeEditor& e) {
         auto table = std::make_shared<ClusterTable>(*e.state().cluster);
         table->ipv4.other_subnet = {};
         return e.set_cluster(std::move(table));
       },
       [](const NodeChange& change) { return change.peers; }},
      {"no routes to peers",
       [](NodeEditor& e) { return e.set_cluster(e.state().cluster, {net("100.96.2.0/24")}); },
       [](const NodeChange& change) { return change.peers; }},
      {"no filter", [](NodeEditor& e) { return e.set_filter(nullptr); },
       [](const NodeChange& change) { return change.filter; }},
      {"a sysctl", [](NodeEditor& e) { return e.set_sysctls({.ip_forward = false}); },
       [](const NodeChange& change) { return change.sysctls; }},
  };
  for (const NodeRow& row : rows) {
    SCOPED_TRACE(row.what);
    const NodeState before = ipip_node();
    NodeState state = before;
    NodeEditor editor(state);
    EXPECT_TRUE(row.change(editor));
    EXPECT_FALSE(state == before);
    EXPECT_FALSE(state.generation == before.generation);
    const NodeChange change = editor.take();
    EXPECT_TRUE(change.any());
    EXPECT_TRUE(row.names_it(change));
    EXPECT_FALSE(editor.take().any()) << "once";
  }
}

TEST(NodeEditor, DoesNothingWhereTheStateIsAsAskedFor) {
  const NodeState before = ipip_node();
  const Route derived = lookup(before, ip("100.96.2.10"))->route;
  const std::function<bool(NodeEditor&)> changes[] = {
      [&](NodeEditor& e) { return e.set_route(net("100.96.2.0/24"), derived); },
      [](NodeEditor& e) { return e.remove_route(net("192.0.2.0/24")); },
      [](NodeEditor& e) { return e.set_device(*e.state().find_device("tunl0")); },
      [](NodeEditor& e) { return e.remove_device("tunl1"); },
      [](NodeEditor& e) { return e.set_pod(e.state().pods[0]); },
      [](NodeEditor& e) { return e.remove_pod(ip("100.96.1.99")); },
      [](NodeEditor& e) { return e.set_cluster(e.state().cluster); },
      [](NodeEditor& e) { return e.set_cluster(e.state().cluster, {}); },
      [](NodeEditor& e) { return e.restore_route(net("100.96.2.0/24")); },
      [](NodeEditor& e) { return e.set_filter(e.state().filter); },
      [](NodeEditor& e) { return e.set_services(nullptr); },
      [](NodeEditor& e) { return e.set_sysctls(e.state().sysctls); },
  };
  for (std::size_t i = 0; i < std::size(changes); ++i) {
    SCOPED_TRACE(i);
    NodeState state = before;
    NodeEditor editor(state);
    EXPECT_FALSE(changes[i](editor));
    EXPECT_TRUE(state == before);
    EXPECT_TRUE(state.generation == before.generation);
    EXPECT_FALSE(editor.take().any());
  }
}

TEST(NodeEditor, BringsBackRoutesToPeers) {
  const NodeState before = ipip_node();
  NodeState state = before;
  NodeEditor editor(state);
  editor.set_cluster(state.cluster, {net("100.96.2.0/24"), net("100.96.3.0/24")});
  EXPECT_FALSE(find_route(state, net("100.96.3.0/24")));
  editor.take();
  EXPECT_TRUE(editor.restore_route(net("100.96.3.0/24")));
  EXPECT_THAT(editor.take().destinations, ElementsAre(net("100.96.3.0/24")));
  EXPECT_EQ(find_route(state, net("100.96.3.0/24"))->route,
            find_route(before, net("100.96.3.0/24"))->route);
  EXPECT_FALSE(find_route(state, net("100.96.2.0/24")));
}

TEST(NodeEditor, KeepsDevicesAndPodsSorted) {
  NodeState state = ipip_node();
  NodeEditor editor(state);
  editor.set_device({.name = "aaa"});
  editor.set_device({.name = "zzz"});
  editor.set_pod({.address = ip("100.96.1.2")});
  EXPECT_TRUE(std::ranges::is_sorted(state.devices, {}, &Device::name));
  EXPECT_TRUE(std::ranges::is_sorted(state.pods, {}, &LocalPod::address));
  EXPECT_NE(state.find_device("aaa"), nullptr);
  EXPECT_NE(state.find_pod(ip("100.96.1.2")), nullptr);
}

TEST(FabricEditor, NotesWhatWasChanged) {
  FabricState fabric = make_cluster({.nodes = 2}).fabric;
  fabric.groups = {{.name = "nodes", .rules = {}}};
  FabricEditor editor(fabric);
  const FabricRoute route{.target = FabricTarget::Instance, .instance = 1};
  EXPECT_EQ(editor.set_route(0, net("100.96.7.0/24"), route), RouteChange::Set);
  EXPECT_EQ(editor.set_route(0, net("100.96.7.0/24"), route), RouteChange::Unchanged);
  EXPECT_TRUE(editor.remove_route(0, net("100.96.2.0/24")));
  FabricChange change = editor.take();
  EXPECT_THAT(change.destinations, ElementsAre(FabricChange::Destination{0, net("100.96.7.0/24")},
                                               FabricChange::Destination{0, net("100.96.2.0/24")}));
  EXPECT_THAT(change.instances, IsEmpty());

  Instance guarded = fabric.instances[1];
  guarded.source_destination_check = true;
  EXPECT_TRUE(editor.set_instance(1, guarded));
  EXPECT_FALSE(editor.set_instance(1, guarded));
  const FabricRule rule{.networks = {net("100.96.0.0/11")}};
  EXPECT_TRUE(editor.add_rule(0, rule));
  EXPECT_FALSE(editor.add_rule(0, rule));
  change = editor.take();
  EXPECT_THAT(change.instances, ElementsAre(1u));
  EXPECT_THAT(change.groups, ElementsAre(0u));
  EXPECT_FALSE(change.all);

  EXPECT_TRUE(editor.set_path_mtu({.within_zone = 1400}));
  EXPECT_TRUE(editor.set_denied({{.protocol = 4}}));
  EXPECT_FALSE(editor.set_mtu(fabric.mtu));
  EXPECT_TRUE(editor.take().all);
  EXPECT_FALSE(editor.take().any());
}

TEST(FabricEditor, NotesTheDestinationOfARouteThatIsGivenByReference) {
  FabricState fabric = make_cluster({.nodes = 3}).fabric;
  FabricEditor editor(fabric);
  const IpPrefix first = fabric.route_tables[0].routes.begin()->first;
  editor.remove_route(0, fabric.route_tables[0].routes.begin()->first);
  EXPECT_EQ(editor.take().destinations.at(0).prefix, first);
}

TEST(WorldEditor, NamesTheNodesThatWereChanged) {
  const auto cluster = make_cluster({.nodes = 3});
  World world{cluster.nodes, cluster.fabric};
  WorldEditor editor(world);
  editor.node(2).remove_route(net("0.0.0.0/0"));
  editor.node(1).remove_route(net("192.0.2.0/24"));
  editor.fabric().remove_route(0, net("100.96.2.0/24"));
  editor.node(2).remove_device("eth0");
  const WorldChange change = editor.take();
  ASSERT_EQ(change.nodes.size(), 1u) << "node 1 has no such route";
  EXPECT_THAT(change.nodes.at(2).destinations, ElementsAre(net("0.0.0.0/0")));
  EXPECT_THAT(change.nodes.at(2).devices, ElementsAre(DeviceName("eth0")));
  EXPECT_EQ(change.fabric.destinations.size(), 1u);
  EXPECT_FALSE(editor.take().any());
  EXPECT_EQ(world.nodes[2].find_device("eth0"), nullptr);
}

TEST(WorldEditor, StopsAndStartsNodesAndPods) {
  const auto cluster = make_cluster({.nodes = 2});
  World world{cluster.nodes, cluster.fabric};
  WorldEditor editor(world);
  EXPECT_FALSE(editor.start_node(1));
  EXPECT_TRUE(editor.stop_node(1));
  EXPECT_FALSE(editor.stop_node(1));
  EXPECT_THAT(world.stopped, ElementsAre(1u));
  EXPECT_THAT(editor.take().stopped, ElementsAre(1u));
  EXPECT_TRUE(editor.start_node(1));
  EXPECT_THAT(editor.take().started, ElementsAre(1u));
  EXPECT_TRUE(world.stopped.empty());

  const LocalPod pod = world.nodes[0].pods.front();
  const PodPlace before{0, pod.address};
  EXPECT_TRUE(editor.end_pod(before));
  EXPECT_FALSE(editor.end_pod(before));
  EXPECT_THAT(editor.take().ended, ElementsAre(before));
  LocalPod moved = pod;
  moved.address = ip("100.96.1.99");
  editor.restart_pod(before, 1, moved);
  const WorldChange change = editor.take();
  EXPECT_THAT(change.restarted, ElementsAre(PodRestart{before, {1, moved.address}}));
  EXPECT_EQ(change.nodes.count(0), 0u) << "the pod was not there any more";
  EXPECT_EQ(world.nodes[0].find_pod(pod.address), nullptr);
  EXPECT_NE(world.nodes[1].find_pod(moved.address), nullptr);
}

}  // namespace editor_test
}  // namespace overlane::node
