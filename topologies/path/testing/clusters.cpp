#include "topologies/path/testing/clusters.h"

#include <sstream>
#include <utility>

#include <gtest/gtest.h>

#include "topologies/path/without.h"

namespace overlane::path::testing {

std::string story(const Trace& trace) {
  std::string text;
  std::string place;
  for (const Hop& hop : trace.hops) {
    if (trace.is_of_error(hop.packet)) continue;
    if (hop.place != place) text += (text.empty() ? "" : "; ") + hop.place + ": ";
    if (hop.place == place) text += ", ";
    text += hop.decision;
    place = hop.place;
  }
  return text;
}

std::string explain(const Trace& trace) {
  std::string text;
  for (const Hop& hop : trace.hops)
    text += hop.place + " " + hop.decision + ": " + hop.because + " [" + hop.state_entry + "]\n";
  return text;
}

std::vector<std::string> all_lines(const compile::Compiled& states) {
  std::string text = to_string(states.fabric);
  for (const node::NodeState& state : states.nodes)
    text += to_string(state);
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

using effective::EffectiveDataplane;
using effective::Provider;

EffectiveDataplane on(Provider provider, EffectiveDataplane shoot) {
  using graph::testing::prefix;
  shoot.provider = provider;
  shoot.masquerade = {.sources = {prefix("100.96.0.0/11")},
                      .except = {prefix("10.250.0.0/16"), prefix("100.96.0.0/11")},
                      .upstream_dns = {},
                      .limits_ports = true,
                      .random_ports = true};
  return shoot;
}

Cluster::Cluster(EffectiveDataplane of) : shoot(std::move(of)) {
  const auto topology =
      graph::Topology::build({.shoot = &shoot, .nodes = kNodes, .pods_per_node = 2});
  states = compile::compile(*topology, shoot).value();
}

Trace Cluster::operator()(const Question& question) const {
  const auto asked = ask(states, shoot, question);
  EXPECT_TRUE(asked) << (asked ? "" : asked.error().to_string());
  if (!asked->service) return trace(states, asked->request);
  compile::Compiled serving = states;
  EXPECT_TRUE(compile::add_services({*asked->service}, shoot, 0, serving));
  return trace(serving, asked->request);
}

void Cluster::without(const std::string& entry) {
  const auto changes = take_out(states, entry, kPlaces);
  ASSERT_TRUE(changes) << changes.error().to_string();
  ASSERT_FALSE(changes->empty()) << entry;
}

std::vector<Mode> modes() {
  using namespace graph::testing;
  const std::string begin = "node-1/pod-0: send; node-1: check source, route, ";
  const std::string open_vpc = "; vpc: check source, route, deliver; node-2: ";
  const std::string vpc = "; vpc: check source, route, filter, deliver; node-2: ";
  const auto tunnelled = [&](const std::string& wrap, const std::string& across,
                             const std::string& unwrap) {
    return begin + wrap + ", route, send" + across + unwrap + ", route, deliver";
  };
  const std::string routed = begin + "send" + vpc + "route, deliver";
  const std::string vxlan =
      tunnelled("neighbour, neighbour, encapsulate", vpc, "filter, decapsulate");
  const std::string wireguard = tunnelled("peer, encapsulate", vpc, "decapsulate");
  const auto geneve = cilium_tunnel_shoot(effective::Encapsulation::Geneve);
  return {
      {"calico routed on AWS", on(Provider::Aws, routed_shoot()), routed},
      {"calico routed on GCP", on(Provider::Gcp, routed_shoot()), routed},
      {"calico routed on OpenStack", on(Provider::OpenStack, routed_shoot()), routed},
      {"calico routed on Azure", on(Provider::Azure, routed_shoot()),
       begin + "send" + open_vpc + "route, deliver"},
      {"calico by BIRD without a tunnel", on(Provider::Aws, bird_routes_shoot()), routed},
      {"calico IPIP on AWS", on(Provider::Aws, ipip_shoot()),
       tunnelled("encapsulate", vpc, "filter, decapsulate")},
      {"calico IPIP on OpenStack, by Felix", on(Provider::OpenStack, by_felix(ipip_shoot())),
       tunnelled("encapsulate", vpc, "filter, decapsulate")},
      {"calico CrossSubnet on AWS", on(Provider::Aws, cross_subnet_shoot()),
       tunnelled("encapsulate", vpc, "filter, decapsulate")},
      {"calico VXLAN on GCP", on(Provider::Gcp, vxlan_shoot()), vxlan},
      {"calico VXLAN on Azure", on(Provider::Azure, vxlan_shoot()),
       tunnelled("neighbour, neighbour, encapsulate", open_vpc, "filter, decapsulate")},
      {"cilium VXLAN on AWS",
       on(Provider::Aws, cilium_tunnel_shoot(effective::Encapsulation::Vxlan)),
       tunnelled("encapsulate", vpc, "decapsulate")},
      {"cilium Geneve on OpenStack", on(Provider::OpenStack, geneve),
       tunnelled("encapsulate", vpc, "decapsulate")},
      {"cilium native on AWS", on(Provider::Aws, cilium_native_shoot()), routed},
      {"calico WireGuard on AWS", on(Provider::Aws, encrypted(routed_shoot())), wireguard},
      {"calico WireGuard in place of IPIP on GCP", on(Provider::Gcp, encrypted(ipip_shoot())),
       wireguard},
      {"cilium WireGuard on AWS", on(Provider::Aws, encrypted(cilium_native_shoot())), wireguard},
      {"cilium direct routes on GCP", on(Provider::Gcp, cilium_direct_routes_shoot()), routed},
  };
}

}  // namespace overlane::path::testing
