#include <memory>

#include "dataplane/conformance/testing/case.h"

namespace overlane::conformance::testing {
namespace {

using node::Endpoint;
using node::Service;
using node::ServiceProxy;

const IpAddress kService = ip("100.64.0.20");
const IpAddress kServiceV6 = ip("fd00:64::20");
constexpr std::uint16_t kPort = 80;
constexpr std::uint16_t kTarget = 8080;

Packet ports(std::uint16_t source, std::uint16_t destination, Packet packet) {
  packet.source_port = source;
  packet.destination_port = destination;
  return packet;
}
Packet tcp(std::uint8_t flags, Packet packet) {
  packet.inner.protocol = forward::kTcp;
  packet.tcp_flags = flags;
  return packet;
}
constexpr std::uint8_t kSyn = 2;
constexpr std::uint8_t kSynAck = 0x12;

/// The ports of a Service over UDP and TCP, each with the given endpoints.
std::vector<Service> on(IpAddress address, const std::vector<Endpoint>& endpoints) {
  return {{{address, kPort, forward::kUdp}, endpoints},
          {{address, kPort, forward::kTcp}, endpoints}};
}

void serve(NodeState& state, ServiceProxy proxy, std::vector<Service> services) {
  state.services = std::make_shared<const node::ServiceTable>(
      node::ServiceTable::make(proxy, std::move(services),
                               {net("100.96.0.0/16"), net("fd00:10:96::/48")})
          .value());
}

/// Gives the node kube-proxy's iptables rules for a Service with one endpoint.
std::function<void(NodeState&)> to(IpAddress endpoint) {
  return [=](NodeState& state) {
    track(state);
    serve(state, ServiceProxy::Iptables,
          on(endpoint.is_ipv4() ? kService : kServiceV6, {{endpoint, kTarget}}));
  };
}
std::function<void(NodeState&)> without_endpoints(ServiceProxy proxy) {
  return [=](NodeState& state) {
    track(state);
    serve(state, proxy, on(kService, {}));
  };
}
std::function<void(NodeState&)> two_endpoints(ServiceProxy proxy) {
  return [=](NodeState& state) {
    track(state);
    serve(state, proxy, on(kService, {{pod(1, 0), kTarget}, {pod(1, 1), kTarget}}));
  };
}
/// Gives the pods an MTU that is larger than that of a tunnel.
void large_pods(NodeState& state) {
  to(pod(1))(state);
  for (node::LocalPod& local : state.pods)
    local.mtu = 1500;
}
/// Tracks only translated connections, as compile() sets it for a node of a shoot.
void translated_alone(NodeState& state) {
  to(pod(1))(state);
  node::PacketFilter filter = *state.filter;
  filter.tracking = node::Tracking::Translated;
  state.filter = std::make_shared<const node::PacketFilter>(std::move(filter));
}

const Packet kAsk = ports(40000, kPort, udp(pod(0), kService));
const Packet kAnswer = ports(kTarget, 40000, udp(pod(1), pod(0)));
const Packet kAskV6 = ports(40000, kPort, udp(pod_v6(0), kServiceV6));

/// The ICMP error of a router about the translated request to the endpoint, which is too big.
Packet too_big() {
  Packet packet = udp(ip("10.250.0.1"), pod(0), 56);
  packet.inner.protocol = forward::kIcmp;
  packet.source_port = packet.destination_port = 0;
  packet.icmp = forward::IcmpError{.type = 3,
                                   .code = 4,
                                   .next_hop_mtu = 1300,
                                   .quoted_source = pod(0),
                                   .quoted_destination = pod(1),
                                   .quoted_protocol = forward::kUdp,
                                   .quoted_source_port = 40000,
                                   .quoted_destination_port = kTarget};
  return packet;
}

const char* const kAsked = "uplink via 10.250.0.1 100.96.1.10 > 100.96.2.10 udp 100 ttl 63";
const char* const kOther = "uplink via 10.250.0.1 100.96.1.10 > 100.96.2.11 udp 100 ttl 63";
const char* const kAnswered = "pod 100.64.0.20 > 100.96.1.10 udp 100 ttl 63";
constexpr const char* kRules = "set_up makes iptables' rules alone";
constexpr const char* kAtRandom = "a kernel draws the endpoint";

}  // namespace

std::vector<Case> service_cases() {
  return {
      {"what a pod sends to a Service goes to its endpoint, and the answer comes from the Service",
       kRouted,
       to(pod(1)),
       {from_pod(kAsk), from_uplink(kAnswer)},
       {kAsked, kAnswered},
       ""},
      {"where only translated connections are tracked, those to Services are",
       kRouted,
       translated_alone,
       {from_pod(kAsk), from_uplink(kAnswer), from_pod(udp(pod(0), pod(1)))},
       {kAsked, kAnswered, kAsked},
       "a kernel tracks all"},
      {"TCP to a Service is translated both ways",
       kRouted,
       to(pod(1)),
       {from_pod(tcp(kSyn, kAsk)), from_uplink(tcp(kSynAck, kAnswer))},
       {"uplink via 10.250.0.1 100.96.1.10 > 100.96.2.10 tcp 100 ttl 63",
        "pod 100.64.0.20 > 100.96.1.10 tcp 100 ttl 63"},
       ""},
      {"to a Service through VXLAN, the packet inside bears the endpoint's address",
       kVxlan,
       to(pod(1)),
       {from_pod(kAsk), from_uplink(tunnelled(kVxlan, kAnswer))},
       {"uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 vxlan 150 ttl 64 | 100.96.1.10 > "
        "100.96.2.10 udp 100 ttl 63",
        kAnswered},
       ""},
      {"to a Service through IPIP, the packet inside bears the endpoint's address",
       kIpip,
       to(pod(1)),
       {from_pod(kAsk), from_uplink(tunnelled(kIpip, kAnswer))},
       {"uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 ipip 120 ttl 63 | 100.96.1.10 > "
        "100.96.2.10 udp 100 ttl 63",
        kAnswered},
       ""},
      {"an endpoint on the same node gets the packet, and its answer comes from the Service",
       kRouted,
       to(pod(0, 1)),
       {from_pod(kAsk), from_pod(ports(kTarget, 40000, udp(pod(0, 1), pod(0))))},
       {"pod 100.96.1.10 > 100.96.1.11 udp 100 ttl 63",
        "pod 100.64.0.20 > 100.96.1.10 udp 100 ttl 63"},
       ""},
      {"a pod that reaches itself through a Service sees the node, and itself as the Service",
       kRouted,
       to(pod(0)),
       {from_pod(kAsk)},
       {"pod 10.250.0.4 > 100.96.1.10 udp 100 ttl 63"},
       "the kernel draws the port"},
      {"an endpoint outside the cluster is sent the packet, masqueraded where pools are",
       kRouted,
       [](NodeState& s) {
         masquerade(s);
         serve(s, ServiceProxy::Iptables, on(kService, {{kServer, kTarget}}));
       },
       {from_pod(kAsk), from_uplink(ports(kTarget, 40000, udp(kServer, kNode)))},
       {"uplink via 10.250.0.1 10.250.0.4 > 192.0.2.10 udp 100 ttl 63", kAnswered},
       ""},
      {"a router's word about a packet to a Service comes from the Service, and quotes it",
       kRouted,
       to(pod(1)),
       {from_pod(kAsk), from_uplink(too_big())},
       {kAsked, "pod 100.64.0.20 > 100.96.1.10 icmp 3/4 mtu 1300 56 ttl 63"},
       ""},
      {"a Service without endpoints refuses in FORWARD",
       kRouted,
       without_endpoints(ServiceProxy::Iptables),
       {from_pod(kAsk)},
       {"pod 10.250.0.4 > 100.96.1.10 icmp 3/3 128 ttl 64 tos c0; no-endpoints"},
       ""},
      {"without a Service at this port the packet takes the default route",
       kRouted,
       to(pod(1)),
       {from_pod(ports(40000, 81, kAsk))},
       {"uplink via 10.250.0.1 100.96.1.10 > 100.64.0.20 udp 100 ttl 63"},
       ""},
      {"an RST without a connection is not translated",
       kRouted,
       to(pod(1)),
       {from_pod(tcp(4, kAsk))},
       {"uplink via 10.250.0.1 100.96.1.10 > 100.64.0.20 tcp 100 ttl 63"},
       ""},
      {"the node itself reaches a Service as the address of the device that leads there",
       kIpip,
       to(pod(1)),
       {from_host(ports(40000, kPort, udp(kNode, kService)))},
       {"uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 ipip 120 ttl 64 | 100.96.1.1 > "
        "100.96.2.10 udp 100 ttl 64"},
       "the kernel draws the port"},
      {"a later packet that does not fit the way to an endpoint is refused in the Service's name",
       kVxlan,
       large_pods,
       {from_pod(df(kAsk)), from_pod(df(ports(40000, kPort, udp(pod(0), kService, 1500))))},
       {"uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 vxlan 150 ttl 64 | 100.96.1.10 > "
        "100.96.2.10 udp 100 ttl 63 DF",
        "pod 100.64.0.20 > 100.96.1.10 icmp 3/4 mtu 1450 576 ttl 64 tos c0; mtu-exceeded"},
       ""},
      {"a first packet that does not fit the way to an endpoint is refused in the Service's name",
       kVxlan,
       large_pods,
       {from_pod(df(ports(40000, kPort, udp(pod(0), kService, 1500))))},
       {"pod 100.64.0.20 > 100.96.1.10 icmp 3/4 mtu 1450 576 ttl 64 tos c0; mtu-exceeded"},
       ""},
      {"IPv6: what a pod sends to a Service goes to its endpoint, and back",
       kRouted,
       to(pod_v6(1)),
       {from_pod(kAskV6), from_uplink(ports(kTarget, 40000, udp(pod_v6(1), pod_v6(0))))},
       {"uplink via fd00:10:250::1 fd00:10:96:1::10 > fd00:10:96:2::10 udp 100 ttl 63",
        "pod fd00:64::20 > fd00:10:96:1::10 udp 100 ttl 63"},
       ""},
      {"iptables draws an endpoint for each connection and stays with it",
       kRouted,
       two_endpoints(ServiceProxy::Iptables),
       {from_pod(kAsk), from_pod(ports(40001, kPort, kAsk)), from_pod(ports(40002, kPort, kAsk)),
        from_pod(kAsk)},
       {kOther, kAsked, kOther, kOther},
       kAtRandom},
      {"IPVS gives connections to endpoints in turn",
       kRouted,
       two_endpoints(ServiceProxy::Ipvs),
       {from_pod(kAsk), from_pod(ports(40001, kPort, kAsk)), from_pod(ports(40002, kPort, kAsk)),
        from_pod(kAsk)},
       {kAsked, kOther, kAsked, kAsked},
       kRules},
      {"IPVS refuses other ports with the Service's own address, which the node has",
       kRouted,
       two_endpoints(ServiceProxy::Ipvs),
       {from_pod(ports(40000, 81, kAsk))},
       {"pod 100.64.0.20 > 100.96.1.10 icmp 3/3 128 ttl 64 tos c0; no-endpoints"},
       kRules},
      {"IPVS refuses without endpoints",
       kRouted,
       without_endpoints(ServiceProxy::Ipvs),
       {from_pod(kAsk)},
       {"pod 100.64.0.20 > 100.96.1.10 icmp 3/3 128 ttl 64 tos c0; no-endpoints"},
       kRules},
      {"nftables lets pass what opens no connection",
       kRouted,
       two_endpoints(ServiceProxy::Nftables),
       {from_pod(tcp(4, kAsk))},
       {"uplink via 10.250.0.1 100.96.1.10 > 100.64.0.20 tcp 100 ttl 63"},
       kRules},
      {"nftables refuses other ports of a Service's address",
       kRouted,
       two_endpoints(ServiceProxy::Nftables),
       {from_pod(ports(40000, 81, kAsk))},
       {"pod 10.250.0.4 > 100.96.1.10 icmp 3/3 128 ttl 64 tos c0; no-endpoints"},
       kRules},
      {"Calico's eBPF leaves TCP to the socket, and translates UDP at the veth",
       kRouted,
       [](NodeState& s) {
         track(s);
         serve(s, ServiceProxy::CalicoEbpf, on(kService, {{pod(1), kTarget}}));
       },
       {from_pod(kAsk), from_pod(tcp(kSyn, kAsk))},
       {kAsked, "uplink via 10.250.0.1 100.96.1.10 > 100.64.0.20 tcp 100 ttl 63"},
       kRules},
      {"Calico's eBPF refuses UDP without endpoints before anything else looks at it",
       kRouted,
       without_endpoints(ServiceProxy::CalicoEbpf),
       {from_pod(ttl(1, kAsk))},
       {"pod 10.250.0.4 > 100.96.1.10 icmp 3/3 128 ttl 64 tos c0; no-endpoints"},
       kRules},
      {"Cilium leaves all to the socket",
       kRouted,
       [](NodeState& s) {
         track(s);
         serve(s, ServiceProxy::Cilium, on(kService, {{pod(1), kTarget}}));
       },
       {from_pod(kAsk)},
       {"uplink via 10.250.0.1 100.96.1.10 > 100.64.0.20 udp 100 ttl 63"},
       kRules},
  };
}

}  // namespace overlane::conformance::testing
