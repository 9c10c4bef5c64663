#include "scenarios/calibrate/two_hosts.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "topologies/compile/compile.h"
#include "topologies/derive/derive.h"
#include "topologies/document/syntax/parse.h"
#include "topologies/graph/topology.h"
#include "topologies/manifest/documents/manifest_set.h"

namespace overlane::calibrate {
namespace {

constexpr std::string_view kShoot = R"(apiVersion: core.gardener.cloud/v1beta1
kind: Shoot
metadata: {{name: hosts, namespace: garden-calibrate}}
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
    - name: hosts
      machine: {{type: m5.large}}
      minimum: 2
      maximum: 2
      volume: {{type: gp3, size: 50Gi}}
      zones: [eu-central-1a]
  networking:
    type: {type}
    pods: 100.96.0.0/11
    services: 100.64.0.0/13
    nodes: 10.250.0.0/16
    providerConfig: {config}
  kubernetes: {{version: 1.33.3}}
)";

/// The network type and NetworkConfig for an encapsulation.
struct Manifest {
  std::string_view type;
  std::string_view config;
};

constexpr Manifest manifest_for(Encapsulation encapsulation) {
  switch (encapsulation) {
    case Encapsulation::None:
      return {"calico",
              "{apiVersion: calico.networking.extensions.gardener.cloud/v1alpha1, "
              "kind: NetworkConfig, overlay: {enabled: false}}"};
    case Encapsulation::Vxlan:
      return {"calico",
              "{apiVersion: calico.networking.extensions.gardener.cloud/v1alpha1, "
              "kind: NetworkConfig, overlay: {enabled: true}, vxlan: {enabled: true}}"};
    case Encapsulation::Geneve:
      return {"cilium",
              "{apiVersion: cilium.networking.extensions.gardener.cloud/v1alpha1, "
              "kind: NetworkConfig, tunnel: geneve, overlay: {enabled: true}}"};
    case Encapsulation::Ipip:
    case Encapsulation::Sit:
    case Encapsulation::Ip6Tnl:
    case Encapsulation::Wireguard:
      break;
  }
  return {"calico",
          "{apiVersion: calico.networking.extensions.gardener.cloud/v1alpha1, "
          "kind: NetworkConfig, overlay: {enabled: true}, vxlan: {enabled: false}}"};
}

std::string first(const Findings& findings, std::string_view otherwise) {
  return findings.empty() ? std::string(otherwise) : findings.front().to_string();
}

Parsed<effective::EffectiveDataplane> derive(const System& system, std::uint32_t link_mtu) {
  const Manifest manifest = manifest_for(system.encapsulation);
  const std::string text =
      fmt::format(kShoot, fmt::arg("type", manifest.type), fmt::arg("config", manifest.config));
  manifest::ManifestSet set = manifest::decode(document::parse(text, "<calibrate>"));
  if (set.clusters.size() != 1) return fail(first(set.findings, "the manifest holds no shoot"));
  manifest::PodNetworkSpec& spec = set.clusters.front();
  spec.shoot.link_mtu = manifest::Located<std::int64_t>{link_mtu, {}, "spec"};
  auto shoot = derive::derive(spec, derive::StageChoice::Create);
  if (!shoot) return fail(shoot.error().to_string());
  const effective::Dataplane& dataplane = shoot->dataplane;
  if (to_string(dataplane.encapsulation) != to_string(system.encapsulation) ||
      dataplane.cross_subnet) {
    return fail(fmt::format("the shoot's pods get {}, not {}", to_string(dataplane.encapsulation),
                            to_string(system.encapsulation)));
  }
  return *std::move(shoot);
}

/// Sets the measured pod MTU instead of the derived one.
void set_pod_mtu(effective::Dataplane& dataplane, std::uint32_t mtu) {
  dataplane.pod_mtu = mtu;
  if (dataplane.pod_device_mtu != 0) dataplane.pod_device_mtu = dataplane.pod_mtu;
}

host::Machine machine(const MeasurementTable& table, const MeasurementRow& row) {
  const spec::MachineSpec& given = table.hosts.machine;
  host::Machine machine = host::usual_machine(table.hosts.wire);
  machine.cores = given.cores.value_or(machine.cores);
  machine.threads_per_core = given.threads_per_core.value_or(machine.threads_per_core);
  machine.nic_rate = given.nic.value_or(host::kVethRate);
  machine.nic_queues = given.queues.value_or(machine.nic_queues);
  machine.receive_ring_packets = given.receive_ring.value_or(machine.receive_ring_packets);
  machine.interrupt_gap = given.interrupt_gap.value_or(machine.interrupt_gap);
  machine.rps = given.rps.value_or(machine.rps);
  machine.udp_rss = given.udp_rss.value_or(machine.udp_rss);
  apply(given.offloads, machine.offloads);
  apply(table.system_of(row).offloads, machine.offloads);
  apply(row.offloads, machine.offloads);
  return machine;
}

}  // namespace

std::uint32_t pod_mtu(const MeasurementTable& table, const MeasurementRow& row) {
  const System& system = table.system_of(row);
  if (row.pod_mtu) return *row.pod_mtu;
  if (system.pod_mtu) return *system.pod_mtu;
  const std::uint32_t link = row.link_mtu.value_or(table.hosts.link_mtu);
  return link - std::min(link, std::uint32_t{facts(system.encapsulation).overhead_over_ipv4});
}

Parsed<TwoHosts> make_two_hosts(const MeasurementTable& table, const MeasurementRow& row) {
  const System& system = table.system_of(row);
  auto shoot = derive(system, row.link_mtu.value_or(table.hosts.link_mtu));
  if (!shoot) return fail(shoot.error());
  set_pod_mtu(shoot->dataplane, pod_mtu(table, row));
  const auto topology = graph::Topology::build({.shoot = &*shoot});
  if (!topology) return fail(topology.error().to_string());
  auto states = compile::compile(*topology, *shoot);
  if (!states) return fail(states.error().to_string());
  if (!states->findings.empty()) return fail(states->findings.front().to_string());

  TwoHosts hosts;
  const auto end = [&](std::uint32_t pod) {
    const graph::Pod& entry = topology->pods()[pod];
    return run::PodEnd{entry.node, *entry.address.in(Family::Ipv4)};
  };
  hosts.pods = {end(0), end(1)};
  hosts.network.nodes = std::move(states->nodes);
  hosts.network.fabric = std::move(states->fabric);
  hosts.network.machines.assign(2, machine(table, row));
  hosts.network.wire = table.hosts.wire;
  hosts.network.datapath = system.datapath;
  return hosts;
}

}  // namespace overlane::calibrate
