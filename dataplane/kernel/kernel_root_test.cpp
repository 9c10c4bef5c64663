#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/forward/encapsulate.h"
#include "dataplane/forward/testing/walk.h"
#include "dataplane/kernel/difference.h"
#include "dataplane/kernel/place.h"
#include "dataplane/kernel/wire_bytes.h"

namespace overlane::kernel {
namespace {

using forward::Ingress;
using forward::Packet;
using forward::testing::udp;
using forward::testing::without_fragmenting;
using node::NodeState;
using node::testing::ClusterShape;
using node::testing::ip;
using node::testing::make_cluster;
using node::testing::net;
using node::testing::pod;

/// Node 1 of a cluster, tampered with, and one packet.
struct Case {
  const char* sentence;
  ClusterShape shape;
  void (*tamper)(NodeState&);
  Ingress ingress;
  Packet packet;
};

void as_it_is(NodeState&) {}

Packet with_ttl(Packet packet, std::uint8_t ttl) {
  packet.inner.ttl = ttl;
  return packet;
}

/// A packet as another node's tunnel sends it.
Packet wrapped(Packet inner, Encapsulation encapsulation, const char* from = "10.250.0.5") {
  forward::encapsulate(inner, encapsulation,
                       {.source = ip(from),
                        .destination = ip("10.250.0.4"),
                        .vni = encapsulation == Encapsulation::Vxlan ? node::kCalicoVni : 0,
                        .destination_port = node::kCalicoVxlanPort});
  return inner;
}

const ClusterShape kRouted{};
const ClusterShape kIpip{.encapsulation = Encapsulation::Ipip};
const ClusterShape kVxlan{.encapsulation = Encapsulation::Vxlan};

void with_large_pods(NodeState& state) {
  for (node::LocalPod& local : state.pods)
    local.mtu = 9000;
}
void strict(NodeState& state) {
  state.sysctls.rp_filter_all = 1;
}
void without_default(NodeState& state) {
  node::remove_route(state, net("0.0.0.0/0"));
}
void unreachable_peer(NodeState& state) {
  node::set_route(state, net("100.96.2.0/24"),
                  {.kind = node::RouteKind::Unreachable, .protocol = node::RouteProtocol::Static});
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"a routed packet leaves through the default route", kRouted, as_it_is, Ingress::Pod,
       udp(pod(0), pod(1))},
      {"a packet from the fabric reaches its pod", kRouted, as_it_is, Ingress::Uplink,
       udp(pod(1), pod(0))},
      {"pods of one node reach each other", kRouted, as_it_is, Ingress::Pod,
       udp(pod(0), pod(0, 1))},
      {"a packet for the node is delivered to it", kRouted, as_it_is, Ingress::Pod,
       udp(pod(0), ip("10.250.0.4"))},
      {"a pod with a foreign address is stopped", kRouted, as_it_is, Ingress::Pod,
       udp(ip("100.96.9.9"), pod(1))},
      {"a hop limit of one ends here, and the sender hears of it", kRouted, as_it_is, Ingress::Pod,
       with_ttl(udp(pod(0), pod(1)), 1)},
      {"what is too large with DF is answered with the MTU", kRouted, with_large_pods, Ingress::Pod,
       without_fragmenting(udp(pod(0), pod(1), 2000))},
      {"what is too large without DF is cut", kRouted, with_large_pods, Ingress::Pod,
       udp(pod(0), pod(1), 4000)},
      {"without a route the sender hears net unreachable", kRouted, without_default, Ingress::Pod,
       udp(pod(0), pod(1))},
      {"an unreachable route answers host unreachable", kRouted, unreachable_peer, Ingress::Pod,
       udp(pod(0), pod(1))},
      {"a vanished pod's address is a black hole", kVxlan, as_it_is, Ingress::Uplink,
       wrapped(udp(pod(1), ip("100.96.1.77")), Encapsulation::Vxlan)},
      {"a packet goes out through VXLAN", kVxlan, as_it_is, Ingress::Pod, udp(pod(0), pod(1))},
      {"a packet comes in through VXLAN", kVxlan, as_it_is, Ingress::Uplink,
       wrapped(udp(pod(1), pod(0)), Encapsulation::Vxlan)},
      {"VXLAN from a stranger is stopped", kVxlan, as_it_is, Ingress::Uplink,
       wrapped(udp(pod(1), pod(0)), Encapsulation::Vxlan, "10.250.0.77")},
      {"a bare packet from a pod behind VXLAN fails the strict reverse path", kVxlan, strict,
       Ingress::Uplink, udp(pod(1), pod(0))},
      {"too large with DF for VXLAN is answered with the tunnel's MTU", kVxlan, with_large_pods,
       Ingress::Pod, without_fragmenting(udp(pod(0), pod(1), 1451))},
      {"too large without DF is cut before VXLAN", kVxlan, with_large_pods, Ingress::Pod,
       udp(pod(0), pod(1), 2000)},
      {"a packet goes out through IPIP", kIpip, as_it_is, Ingress::Pod, udp(pod(0), pod(1))},
      {"a packet with DF goes out through IPIP", kIpip, as_it_is, Ingress::Pod,
       without_fragmenting(udp(pod(0), pod(1)))},
      {"a packet comes in through IPIP", kIpip, as_it_is, Ingress::Uplink,
       wrapped(udp(pod(1), pod(0)), Encapsulation::Ipip)},
      {"IPIP from a stranger is stopped", kIpip, as_it_is, Ingress::Uplink,
       wrapped(udp(pod(1), pod(0)), Encapsulation::Ipip, "10.250.0.77")},
      {"too large with DF for IPIP is answered with the tunnel's MTU", kIpip, with_large_pods,
       Ingress::Pod, without_fragmenting(udp(pod(0), pod(1), 1481))},
      {"a hop limit of one ends before IPIP", kIpip, as_it_is, Ingress::Pod,
       with_ttl(udp(pod(0), pod(1)), 1)},
  };
  return all;
}

struct Prepared {
  NodeState state;
  reference::ByteOutcome expected;
  Experiment experiment;
};

Prepared prepare(const Case& test) {
  Prepared prepared{.state = make_cluster(test.shape).nodes[0]};
  test.tamper(prepared.state);
  node::NodeRuntime runtime;
  reference::HeldPieces pieces;
  prepared.expected = reference::forward(prepared.state, runtime, pieces,
                                         wire_bytes(prepared.state, test.packet), test.ingress, {});
  prepared.experiment = make_experiment(
      prepared.state,
      {inject(prepared.state, test.packet, test.ingress, prepared.expected.sent.size())});
  return prepared;
}

/// The ability that a case asks of a place.
const char* needs(const Case& test) {
  return test.shape.encapsulation == Encapsulation::Ipip    ? "ipip"
         : test.shape.encapsulation == Encapsulation::Vxlan ? "vxlan"
                                                            : "veth";
}

bool can(const Answer& answer, std::string_view ability) {
  const auto at = std::ranges::find(answer.abilities, ability, &Ability::name);
  return at != answer.abilities.end() && at->missing.empty();
}

TEST(Kernel, AgreesWithTheCoreInEveryPlaceThatHasTheDevices) {
  std::vector<Prepared> all;
  Request request{.probe = true};
  for (const Case& test : cases()) {
    all.push_back(prepare(test));
    request.experiments.push_back(all.back().experiment);
  }
  std::vector<bool> judged(all.size());
  std::string missing;
  for (const Place place : {Place::Namespaces, Place::UserModeLinux}) {
    const auto answer = ask(place, request, {KERNEL_NODE});
    if (!answer) missing += answer.error() + '\n';
    for (std::size_t i = 0; answer && i < all.size(); ++i) {
      const Case& test = cases()[i];
      if (!can(*answer, needs(test))) continue;
      SCOPED_TRACE(std::string(test.sentence) + ", in " + std::string(to_string(place)));
      ASSERT_TRUE(answer->outcomes[i]) << answer->outcomes[i].error();
      const Observed& observed = answer->outcomes[i]->at(0);
      EXPECT_EQ(difference(all[i].state, observed, all[i].expected, Family::Ipv4), "");
      judged[i] = true;
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!judged[i])
      missing += std::string(cases()[i].sentence) + ": no " + needs(cases()[i]) + '\n';
  }
  if (!missing.empty()) GTEST_SKIP() << missing;
}

}  // namespace
}  // namespace overlane::kernel
