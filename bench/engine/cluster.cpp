#include "bench/engine/cluster.h"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "scenarios/library/library.h"
#include "scenarios/spec/cost_profile.h"
#include "topologies/compile/compile.h"
#include "topologies/derive/derive.h"
#include "topologies/document/syntax/parse.h"
#include "topologies/graph/topology.h"
#include "topologies/manifest/documents/manifest_set.h"

namespace overlane::bench {
namespace {

constexpr std::string_view kShoot = R"(apiVersion: core.gardener.cloud/v1beta1
kind: Shoot
metadata: {{name: bench, namespace: garden-bench}}
spec:
  cloudProfile: {{name: aws}}
  region: eu-central-1
  credentialsBindingName: team-aws
  provider:
    type: aws
    infrastructureConfig:
      apiVersion: aws.provider.extensions.gardener.cloud/v1alpha1
      kind: InfrastructureConfig
      networks:
        vpc: {{cidr: 10.250.0.0/16}}
        zones:
        - name: eu-central-1a
          workers: 10.250.0.0/17
          public: 10.250.128.0/22
          internal: 10.250.132.0/22
    workers:
    - name: general
      machine: {{type: m5.large}}
      minimum: {nodes}
      maximum: {nodes}
      volume: {{type: gp3, size: 50Gi}}
      zones: [eu-central-1a]
  networking:
    type: calico
    pods: 100.96.0.0/11
    services: 100.64.0.0/13
    nodes: 10.250.0.0/16
    providerConfig:
      apiVersion: calico.networking.extensions.gardener.cloud/v1alpha1
      kind: NetworkConfig
      overlay: {{enabled: {overlay}}}
      vxlan: {{enabled: {vxlan}}}
  kubernetes: {{version: 1.33.3}}
)";
constexpr std::int64_t kLinkMtu = 1500;

constexpr effective::Encapsulation encapsulation(PodNetwork network) {
  switch (network) {
    case PodNetwork::Routed:
      return effective::Encapsulation::None;
    case PodNetwork::Ipip:
      return effective::Encapsulation::Ipip;
    case PodNetwork::Vxlan:
      return effective::Encapsulation::Vxlan;
  }
  return effective::Encapsulation::None;
}

/// The text of the first finding, or `otherwise` if there is none.
std::string first(const Findings& findings, std::string_view otherwise) {
  return findings.empty() ? std::string(otherwise) : findings.front().to_string();
}

Parsed<effective::EffectiveDataplane> derive(const ClusterRequest& request) {
  const std::string text = fmt::format(kShoot, fmt::arg("nodes", request.nodes),
                                       fmt::arg("overlay", request.network != PodNetwork::Routed),
                                       fmt::arg("vxlan", request.network == PodNetwork::Vxlan));
  manifest::ManifestSet set = manifest::decode(document::parse(text, "<bench>"));
  if (set.clusters.size() != 1) return fail(first(set.findings, "the manifest holds no shoot"));
  manifest::PodNetworkSpec& spec = set.clusters.front();
  spec.shoot.link_mtu = manifest::Located<std::int64_t>{kLinkMtu, {}, "spec"};
  auto shoot = derive::derive(spec, derive::StageChoice::Create);
  if (!shoot) return fail(shoot.error().to_string());
  const effective::Dataplane& dataplane = shoot->dataplane;
  if (dataplane.encapsulation != encapsulation(request.network) || dataplane.cross_subnet) {
    return fail(fmt::format("the shoot's pods are not {}", to_string(request.network)));
  }
  return *std::move(shoot);
}

Parsed<cost::CostProfile> linux_server() {
  const auto text = library::find("linux-server.yaml");
  if (!text) return fail("the library has no linux-server.yaml");
  const document::Stream stream = document::parse(*text, "<library>");
  if (stream.documents.size() != 1) return fail(first(stream.findings, "no cost profile"));
  auto profile = spec::decode_cost_profile(stream.documents.front());
  if (!profile) return fail(first(profile.error(), "no cost profile"));
  return *std::move(profile);
}

}  // namespace

std::string_view to_string(PodNetwork network) {
  switch (network) {
    case PodNetwork::Routed:
      return "routed";
    case PodNetwork::Ipip:
      return "ipip";
    case PodNetwork::Vxlan:
      return "vxlan";
  }
  return "";
}

Parsed<Cluster> make_cluster(const ClusterRequest& request) {
  const auto shoot = derive(request);
  if (!shoot) return fail(shoot.error());
  // Each route table also has a route of the VPC and one to the internet.
  const auto topology = graph::Topology::build({.shoot = &*shoot,
                                                .nodes = request.nodes,
                                                .pods_per_node = request.pods_per_node,
                                                .machine = {},
                                                .route_quota = request.nodes + 2});
  if (!topology) return fail(topology.error().to_string());
  auto states = compile::compile(*topology, *shoot);
  if (!states) return fail(states.error().to_string());
  if (!states->findings.empty()) return fail(states->findings.front().to_string());

  Cluster cluster;
  for (const graph::Pod& pod : topology->pods())
    cluster.pods.push_back({pod.node, *pod.address.in(Family::Ipv4)});
  for (const graph::Node& node : topology->nodes()) {
    const auto number = static_cast<std::uint32_t>(cluster.on_nodes.size());
    cluster.on_nodes.push_back({number, node.addresses.in(Family::Ipv4)->address});
  }
  const graph::Machine& machine = topology->machine();
  cluster.network.nodes = std::move(states->nodes);
  cluster.network.fabric = std::move(states->fabric);
  cluster.network.machines.assign(request.nodes, {.nic_rate = machine.nic, .cores = machine.cores});
  if (request.cpu_costs) {
    auto costs = linux_server();
    if (!costs) return fail(costs.error());
    cluster.network.costs = *std::move(costs);
  }
  return cluster;
}

}  // namespace overlane::bench
