#include <fmt/format.h>

#include "dataplane/conformance/testing/tunnels.h"
#include "dataplane/node/state/world.h"

namespace overlane::conformance::testing {
namespace {

using node::testing::ClusterShape;

const Tunnel kTunnels[] = {
    {"Cilium's VXLAN", {.encapsulation = Encapsulation::Vxlan, .tunnel_map = true}},
    {"Cilium's VXLAN with IPv6",
     {.encapsulation = Encapsulation::Vxlan, .tunnel_map = true},
     Family::Ipv6},
    {"Cilium's VXLAN over IPv6",
     {.encapsulation = Encapsulation::Vxlan, .underlay = Family::Ipv6, .tunnel_map = true}},
    {"Cilium's Geneve", {.encapsulation = Encapsulation::Geneve, .tunnel_map = true}},
    {"Cilium's Geneve with IPv6",
     {.encapsulation = Encapsulation::Geneve, .tunnel_map = true},
     Family::Ipv6},
    {"Cilium's Geneve over IPv6",
     {.encapsulation = Encapsulation::Geneve, .underlay = Family::Ipv6, .tunnel_map = true}},
};

std::string sentence(const Tunnel& tunnel, const char* what) {
  return fmt::format("{} {}", tunnel.name, what);
}

Case sent(const Tunnel& tunnel) {
  const forward::Packet packet = udp(tunnel.own_pod(), tunnel.far_pod());
  forward::Packet expected = tunnelled(tunnel.shape, ttl(63, packet));
  std::swap(expected.outer.source, expected.outer.destination);
  forward::Outcome outcome;
  outcome.emissions.push_back({forward::Egress::Uplink, expected, expected.outer.destination});
  return {sentence(tunnel, "sends to the far end that the route names"),
          tunnel.shape,
          unchanged,
          {from_pod(packet)},
          {describe(outcome)},
          ""};
}

Case received(const Tunnel& tunnel) {
  return {sentence(tunnel, "takes what comes"), tunnel.shape,         unchanged,
          {from_uplink(tunnel.arriving())},     {tunnel.delivered()}, ""};
}

/// Cilium's VNI is the security identity of the sender, so a device accepts every VNI.
Case any_identity(const Tunnel& tunnel) {
  forward::Packet packet = tunnel.arriving();
  packet.vni = 4711;
  return {sentence(tunnel, "takes packets of every VNI"),
          tunnel.shape,
          unchanged,
          {from_uplink(packet)},
          {tunnel.delivered()},
          ""};
}

Case stranger(const Tunnel& tunnel) {
  forward::Packet packet = tunnel.arriving();
  packet.outer.source = packet.outer.source + 100;
  return {sentence(tunnel, "asks no filter who sends"),
          tunnel.shape,
          [](node::NodeState& s) { s.filter = nullptr; },
          {from_uplink(packet)},
          {tunnel.delivered()},
          ""};
}

Case without_route(const Tunnel& tunnel) {
  const auto forget = [pod = tunnel.far_pod()](node::NodeState& s) {
    const auto match = lookup(s, pod);
    node::NodeEditor(s).set_route(match->destination, {.kind = node::RouteKind::Blackhole});
  };
  return {sentence(tunnel, "loses silently what a black hole takes"), tunnel.shape,        forget,
          {from_pod(udp(tunnel.own_pod(), tunnel.far_pod()))},        {"blackhole-route"}, ""};
}

}  // namespace

std::vector<Case> metadata_cases() {
  std::vector<Case> rows;
  for (const Tunnel& tunnel : kTunnels) {
    for (const auto row : {sent, received, any_identity, stranger, without_route})
      rows.push_back(row(tunnel));
  }
  return rows;
}

}  // namespace overlane::conformance::testing
