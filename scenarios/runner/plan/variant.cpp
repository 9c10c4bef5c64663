#include "scenarios/runner/plan/variant.h"

#include <algorithm>

#include <fmt/format.h>

#include "scenarios/runner/plan/delivery.h"
#include "scenarios/runner/plan/events.h"
#include "scenarios/runner/plan/services.h"
#include "scenarios/traffic/expand.h"
#include "sim/transport/segment.h"
#include "topologies/cni/profiles.h"
#include "topologies/compile/compile.h"
#include "topologies/document/syntax/parse.h"
#include "topologies/document/tree/tree.h"
#include "topologies/effective/cloud_routes.h"

namespace overlane::runner {
namespace {

using effective::EffectiveDataplane;
using model::VariantStatus;

/// Minimum MTU of every link for a family. Linux disables the family on smaller devices.
struct LeastMtu {
  std::uint32_t bytes;
  std::string_view need;
};
constexpr LeastMtu least_mtu(Family family) {
  return family == Family::Ipv4 ? LeastMtu{68, "IPv4 needs 68 (RFC 791)"}
                                : LeastMtu{1280, "IPv6 needs 1280 (RFC 8200)"};
}

model::VariantDataplane describe(const effective::Dataplane& dataplane) {
  return {.mode = std::string(to_string(dataplane.mode)),
          .encapsulation = std::string(to_string(dataplane.encapsulation)),
          .backend = std::string(to_string(dataplane.backend)),
          .routes_by = std::string(to_string(dataplane.routes_by)),
          .service_routing = std::string(to_string(dataplane.service_routing)),
          .encryption = std::string(to_string(dataplane.encryption)),
          .cross_subnet = dataplane.cross_subnet,
          .link_mtu = dataplane.link_mtu,
          .pod_mtu = dataplane.pod_mtu,
          .overhead_bytes = dataplane.overhead_bytes};
}

/// With kube-proxy, Cilium's packets pass through the host's stack (legacy host routing).
cost::Datapath datapath(const effective::Dataplane& dataplane) {
  switch (dataplane.service_routing) {
    case effective::ServiceRouting::CalicoEbpf:
    case effective::ServiceRouting::Cilium:
      return cost::Datapath::Ebpf;
    case effective::ServiceRouting::KubeProxyIptables:
    case effective::ServiceRouting::KubeProxyIpvs:
    case effective::ServiceRouting::KubeProxyNftables:
    case effective::ServiceRouting::NetworkExtension:
      break;
  }
  return cost::Datapath::Netfilter;
}

/// For an extension described by a NetworkProvider the mode is unknown: treated as iptables.
cost::ServiceRouting service_routing(const effective::Dataplane& dataplane) {
  switch (dataplane.service_routing) {
    case effective::ServiceRouting::KubeProxyIptables:
    case effective::ServiceRouting::NetworkExtension:
      return cost::ServiceRouting::Iptables;
    case effective::ServiceRouting::KubeProxyIpvs:
      return cost::ServiceRouting::Ipvs;
    case effective::ServiceRouting::KubeProxyNftables:
      return cost::ServiceRouting::Nftables;
    case effective::ServiceRouting::CalicoEbpf:
    case effective::ServiceRouting::Cilium:
      return cost::ServiceRouting::Ebpf;
  }
  return cost::ServiceRouting::Iptables;
}

run::Network network(const Prepared& prepared, const effective::Dataplane& dataplane,
                     compile::Compiled states) {
  run::Network network{.nodes = std::move(states.nodes),
                       .fabric = std::move(states.fabric),
                       .machines = {},
                       .wire = prepared.subject.wire,
                       .paths = prepared.subject.paths,
                       .limits = prepared.subject.limits,
                       .costs = prepared.costs,
                       .datapath = datapath(dataplane),
                       .services = {service_routing(dataplane), prepared.subject.services}};
  network.machines.assign(network.nodes.size(), prepared.subject.machine);
  return network;
}

/// Sets the mode as if by the shoot's spec.kubernetes.kubeProxy.
void set_kube_proxy(const std::string& mode, const SourceLocation& place,
                    manifest::ShootSpec& shoot) {
  const bool enabled = mode != "none";
  shoot.kube_proxy_enabled = manifest::Located<bool>{enabled, place, "variant.kubeProxy"};
  if (enabled)
    shoot.kube_proxy_mode = manifest::Located<std::string>{mode, place, "variant.kubeProxy"};
}

/// The NetworkConfig patch with the CNI's field for WireGuard added.
document::Tree with_wireguard(const document::Tree& patch, const cni::Profile& cni, bool on) {
  const std::string text(on ? cni.run.wireguard_on : cni.run.wireguard_off);
  const auto encryption = document::parse(text, "variant.encryption").documents.at(0);
  return patch.root() ? document::merge_patch(patch.root(), encryption.root()) : encryption;
}

}  // namespace

Result<EffectiveDataplane> variant_dataplane(const Subject& subject, const spec::Variant& variant) {
  derive::DeriveOptions asked = subject.derive;
  if (variant.calico) asked.landscape.calico_version = variant.calico;
  manifest::PodNetworkSpec spec = subject.spec;
  if (variant.kube_proxy) set_kube_proxy(*variant.kube_proxy, variant.place, spec.shoot);
  document::Tree patch = variant.network_config;
  if (variant.wireguard)
    patch = with_wireguard(patch, cni::profile_of(subject.as_written.agent), *variant.wireguard);
  auto derived = derive::derive(spec, asked, patch.root());
  if (derived) {
    derived->zones = subject.as_written.zones;
    derived->node_subnets = subject.as_written.node_subnets;
  }
  return derived;
}

namespace {

model::Assumption uncut_by_fabric() {
  return {"path_mtu.fragmentation", "none on the way",
          "none, or by a router, as a VPN's may do with packets without DF",
          "Google Cloud drops what exceeds the path's MTU (VPC documentation, MTU), and so did "
          "AWS's transit gateways; VXLAN's and Geneve's outer packets have no DF",
          "default"};
}

/// Describes an IPv6 datagram of a pod that exceeds the pod MTU; the pod would have to fragment it.
/// Empty if there is none.
std::string uncut(const std::vector<run::TrafficGroup>& traffic, Family family,
                  std::uint32_t pod_mtu) {
  if (family == Family::Ipv4) return "";
  for (const run::TrafficGroup& group : traffic) {
    const std::uint32_t bytes =
        transport::kIpv6Header + transport::kUdpHeader + group.payload_bytes;
    const bool is_pods = group.kind == model::TrafficKind::Udp && !group.from_node;
    if (!is_pods || bytes <= pod_mtu) continue;
    return fmt::format(
        "traffic {} sends datagrams of {} bytes in IPv6, which the sender would cut "
        "for the pods' MTU {}: that is not simulated",
        group.name, bytes, pod_mtu);
  }
  return "";
}

}  // namespace

std::vector<run::TrafficGroup> traffic_in(const Prepared& prepared, Family family) {
  if (family == prepared.subject.as_written.primary_family()) return prepared.traffic;
  Findings said_before;
  auto traffic = traffic::expand(prepared.scenario.traffic, prepared.subject.topology, family,
                                 prepared.seed, said_before);
  return traffic ? *std::move(traffic) : std::vector<run::TrafficGroup>{};
}

LaidOut lay_out(const Prepared& prepared, const spec::Variant& asked) {
  LaidOut result;
  result.family = asked.family.value_or(prepared.subject.as_written.primary_family());
  result.mtu_probing = asked.mtu_probing;
  model::Variant& variant = result.variant;
  variant.name = asked.name;
  const auto refuse = [&](VariantStatus status, std::string reason) {
    variant.status = status;
    variant.reason = std::move(reason);
    return result;
  };

  const auto shoot = variant_dataplane(prepared.subject, asked);
  if (!shoot) {
    return refuse(shoot.error().rule == "not-admitted" ? VariantStatus::NotAdmitted
                                                       : VariantStatus::Unsupported,
                  shoot.error().message);
  }
  const effective::Dataplane* dataplane = shoot->dataplane_of(result.family);
  const bool has_family = prepared.subject.as_written.dataplane_of(result.family) != nullptr;
  if (dataplane == nullptr || !has_family) {
    return refuse(VariantStatus::Unsupported,
                  fmt::format("the shoot's pods have no addresses of {}: ipFamilies are {}",
                              result.family == Family::Ipv4 ? "IPv4" : "IPv6",
                              fmt::join(shoot->ip_families, ", ")));
  }
  variant.dataplane = describe(*dataplane);
  if (dataplane->address_gap != effective::AddressGap::None)
    return refuse(VariantStatus::NotDeliverable,
                  fmt::format("{}: pods of different nodes reach each other by chance only ({})",
                              effective::in_words(dataplane->address_gap),
                              effective::rule_of(dataplane->address_gap)));
  const LeastMtu least = least_mtu(result.family);
  if (dataplane->pod_mtu < least.bytes) {
    return refuse(VariantStatus::NotDeliverable, fmt::format("the pods' MTU would be {} bytes; {}",
                                                             dataplane->pod_mtu, least.need));
  }
  const std::vector<run::TrafficGroup> traffic = traffic_in(prepared, result.family);
  if (const std::string why = uncut(traffic, result.family, dataplane->pod_mtu); !why.empty()) {
    return refuse(VariantStatus::Unsupported, why);
  }
  auto states = compile::compile(prepared.subject.topology, *shoot);
  if (!states) return refuse(VariantStatus::Unsupported, states.error().message);
  if (const auto served = add_services(prepared, *shoot, result.family, *states); !served)
    return refuse(VariantStatus::Unsupported, served.error().message);
  result.findings = std::move(states->findings);
  if (shoot->dataplane.backend == effective::Backend::Vxlan) {
    result.assumptions.push_back(
        {"ipam.blocks", "one per node, of the pod CIDR's size",
         "/26 blocks anywhere in the pod range",
         "calico-ipam allocates /26 blocks; pods keep the addresses of the other variants here, so "
         "that only the encapsulation differs",
         "derived"});
  }

  const spec::FabricSpec fabric = asked.fabric.or_else(prepared.subject.fabric);
  states->fabric.path_mtu = fabric.path_mtu.value_or(node::FabricPathMtu{});
  states->fabric.denied = fabric.denied.value_or(std::vector<node::DenyRule>{});
  if (fabric.path_mtu) result.assumptions.push_back(uncut_by_fabric());
  const Delivery delivery = probe(*states, traffic);
  if (delivery.blocked == delivery.paths) {
    return refuse(VariantStatus::NotDeliverable, delivery.first_block);
  }
  if (delivery.blocked > 0) {
    variant.status = VariantStatus::Partial;
    variant.reason = fmt::format("{} of {} pod-to-pod paths are blocked; {}", delivery.blocked,
                                 delivery.paths, delivery.first_block);
  }
  // A patch may take out what makes the shoot's own pods unreachable.
  const effective::Dataplane& own = *prepared.subject.as_written.dataplane_of(result.family);
  if (own.address_gap != effective::AddressGap::None && own.mode == dataplane->mode)
    variant.reason += fmt::format(
        "{}is not the shoot as written, where {} ({})", variant.reason.empty() ? "" : "; ",
        effective::in_words(own.address_gap), effective::rule_of(own.address_gap));
  const std::string condition = effective::condition_of_reach(*shoot, *dataplane);
  if (!condition.empty())
    variant.reason += fmt::format("{}holds only {}", variant.reason.empty() ? "" : "; ", condition);
  if (auto hole = find_black_hole(*states, traffic, dataplane->pod_mtu, asked.mtu_probing)) {
    hole->message = fmt::format("variant {}: {}", asked.name, hole->message);
    hole->object = {"Scenario", "", prepared.scenario.name};
    hole->place = asked.place.file.empty() ? prepared.scenario.place : asked.place;
    result.findings.push_back(*std::move(hole));
  }
  result.network = network(prepared, *dataplane, *std::move(states));
  result.network->paths.loss = asked.loss;
  const auto configured = [&](std::uint32_t link_mtu) {
    Subject subject = prepared.subject;
    subject.spec.shoot.link_mtu =
        manifest::Located<std::int64_t>{.value = link_mtu, .place = asked.place, .path = {}};
    const auto derived = variant_dataplane(subject, asked);
    if (!derived) return std::vector<node::NodeState>{};
    auto compiled = compile::compile(subject.topology, *derived);
    return compiled ? std::move(compiled->nodes) : std::vector<node::NodeState>{};
  };
  PlannedEvents events = plan_events(prepared.scenario.events, *result.network, configured,
                                     asked.name, prepared.show_steps);
  result.changes = std::move(events.changes);
  result.joins = std::move(events.joins);
  variant.steps = std::move(events.steps);
  for (Finding& finding : events.findings) {
    finding.object = {"Scenario", "", prepared.scenario.name};
    result.findings.push_back(std::move(finding));
  }
  return result;
}

}  // namespace overlane::runner
