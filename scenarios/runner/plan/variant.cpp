#include "scenarios/runner/plan/variant.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "dataplane/forward/packet.h"
#include "dataplane/forward/packet_builder.h"
#include "dataplane/node/state/node_state.h"
#include "results/model/run_report_json.h"
#include "scenarios/runner/plan/cloud_flows.h"
#include "scenarios/runner/plan/events.h"
#include "scenarios/traffic/expand.h"
#include "sim/run/app/addresses.h"
#include "sim/transport/segment.h"
#include "topologies/cni/profiles.h"
#include "topologies/compile/compile.h"
#include "topologies/document/syntax/parse.h"
#include "topologies/document/tree/tree.h"
#include "topologies/effective/cloud_routes.h"
#include "topologies/path/trace.h"

namespace overlane::runner {

namespace {

constexpr std::uint16_t kServicePort = 80;
/// Index of the first address for Services in the range. Address .1 is the API server's Service,
/// .10 the cluster DNS's.
constexpr std::uint64_t kFirst = 20;

struct Needs {
  std::uint32_t pods_per_node = 0;
  bool tcp = false;
  bool udp = false;
};

Needs needs_of(const spec::Scenario& scenario) {
  Needs needs;
  for (const spec::Traffic& traffic : scenario.traffic) {
    if (!traffic.to_service) continue;
    needs.pods_per_node = std::max(needs.pods_per_node, traffic.pods_per_node);
    const bool is_udp = traffic.kind == model::TrafficKind::Udp || traffic.over_udp;
    (is_udp ? needs.udp : needs.tcp) = true;
  }
  return needs;
}

/// Number of addresses in the range.
std::uint64_t size_of(const IpPrefix& range) {
  const int bits = (range.is_ipv4() ? 32 : 128) - range.length();
  return std::uint64_t{1} << std::min(bits, 62);
}

}  // namespace

Result<void> add_services(const Prepared& prepared, const effective::EffectiveDataplane& shoot,
                          Family family, compile::Compiled& states) {
  const Needs needs = needs_of(prepared.scenario);
  const auto range = std::ranges::find_if(shoot.services, [=](const IpPrefix& services) {
    return services.network().family() == family;
  });
  if (needs.pods_per_node == 0 || range == shoot.services.end()) return {};
  const graph::Topology& topology = prepared.subject.topology;
  std::vector<node::Service> services;
  std::uint64_t number = kFirst;
  for (std::uint32_t node = 0; node < topology.nodes().size(); ++node) {
    const graph::Topology::PodRange pods = topology.pods_of(node);
    for (std::uint32_t p = 0; p < std::min(pods.count, needs.pods_per_node); ++p) {
      const IpAddress* pod = topology.pods()[pods.first + p].address.in(family);
      if (pod == nullptr) continue;
      if (number + 1 >= size_of(*range)) {
        return fail(Finding{.rule = "impossible-topology",
                            .message = fmt::format("the service range {} does not hold a Service "
                                                   "for each pod that traffic goes to",
                                                   range->to_string()),
                            .object = {},
                            .hint = "give a larger range, or traffic less podsPerNode"});
      }
      const IpAddress front = range->network() + number++;
      const std::vector<node::Endpoint> endpoints{{*pod, run::kServerPort}};
      if (needs.tcp) services.push_back({{front, kServicePort, forward::kTcp}, endpoints});
      if (needs.udp) services.push_back({{front, kServicePort, forward::kUdp}, endpoints});
    }
  }
  return compile::add_services(std::move(services), shoot, prepared.seed, states);
}

namespace {

constexpr std::uint32_t kProbeBytes = 64;

/// A packet of the group from a client to its server, or in the reverse direction (`back`).
forward::Packet packet_of(const run::TrafficGroup& group, const run::PodPair& pair,
                          std::uint32_t bytes, bool back) {
  const IpAddress source = (back ? pair.destination : pair.source).address;
  const IpAddress destination = (back ? pair.source : pair.destination).address;
  return forward::PacketBuilder(group.uses_tcp() ? forward::kTcp : forward::kUdp, source,
                                destination)
      .ports(back ? run::kServerPort : run::kFirstPort, back ? run::kFirstPort : run::kServerPort)
      .length(bytes)
      .dont_fragment(group.uses_tcp() || group.dont_fragment)
      .build();
}

/// Returns the pair. If the client is in the network of its node, its address becomes the source
/// address that the node selects.
run::PodPair addressed(const compile::Compiled& states, const run::TrafficGroup& group,
                       run::PodPair pair) {
  if (group.from_node) {
    const node::NodeState& state = states.nodes[pair.source.node];
    pair.source.address = node::socket_route(state, pair.destination.address).source;
  }
  return pair;
}

/// The MTU of the pair's path: the MTU of the route for traffic between nodes, otherwise the MTU of
/// the pods.
std::uint32_t mtu_of(const compile::Compiled& states, const run::TrafficGroup& group,
                     const run::PodPair& pair, std::uint32_t pod_mtu) {
  if (!group.from_node || !group.to_node) return pod_mtu;
  return node::socket_route(states.nodes[pair.source.node], pair.destination.address).mtu;
}

/// The largest packet of the group in this direction that is not fragmented by the pod, in bytes of
/// IP.
std::uint32_t largest_packet(const run::TrafficGroup& group, bool is_ipv4, bool back,
                             std::uint32_t pod_mtu) {
  const std::uint32_t ip = is_ipv4 ? transport::kIpv4Header : transport::kIpv6Header;
  const std::uint32_t headers =
      ip + (group.uses_tcp() ? transport::kTcpOverhead : transport::kUdpHeader);
  std::uint32_t payload = back ? 0 : pod_mtu;  // Streams: full packets, empty answers.
  if (group.kind == model::TrafficKind::Udp) payload = group.payload_bytes;
  if (group.kind == model::TrafficKind::RequestResponse)
    payload = back ? group.response_bytes : group.request_bytes;
  return std::min(payload + headers, pod_mtu);
}

bool answers(const run::TrafficGroup& group) {
  return group.kind != model::TrafficKind::Udp;
}

std::string way_text(const compile::Compiled& states, std::uint32_t from, std::uint32_t to) {
  const auto& instances = states.fabric.instances;
  return fmt::format("{} to {}", instances[from].name, instances[to].name);
}

/// The hint of a finding about a black hole. The first of the entries of `hole` limits the MTU; a
/// second one denies the ICMP error.
std::string hint(const path::BlackHole& hole, const forward::Packet& packet, bool probes) {
  std::string text = hole.entries.size() > 1 ? "let ICMP 3/4 (IPv6: ICMPv6 2) through, or " : "";
  text += "lower the pods' MTU";
  if (packet.inner.protocol != forward::kTcp) return text + ", or send smaller datagrams";
  return text + (probes ? "; TCP, which probes for the MTU, finds out by itself"
                        : "; with mtuProbing TCP finds out by itself");
}

Finding warning(const run::TrafficGroup& group, bool probes, const std::string& way,
                const forward::Packet& packet, const path::BlackHole& hole) {
  return {.rule = "path-mtu-black-hole",
          .severity = probes ? Severity::Note : Severity::Warning,
          .message = fmt::format(
              "traffic {}: small packets get from {}, but those of {} bytes are dropped ({}) and "
              "the pod gets no ICMP error: {}",
              group.name, way, packet.inner.total_length, to_string(hole.drop),
              fmt::join(hole.entries, ", ")),
          .hint = hint(hole, packet, probes)};
}

}  // namespace

Delivery probe(const compile::Compiled& states, const std::vector<run::TrafficGroup>& traffic) {
  std::map<std::tuple<run::PodEnd, run::PodEnd, std::uint8_t>, forward::Packet> paths;
  for (const run::TrafficGroup& group : traffic) {
    const std::uint8_t protocol = group.uses_tcp() ? forward::kTcp : forward::kUdp;
    for (const run::PodPair asked : group.pairs) {
      const run::PodPair pair = addressed(states, group, asked);
      const auto& [source, destination] = pair;
      paths.try_emplace({source, destination, protocol},
                        packet_of(group, pair, kProbeBytes, false));
      if (answers(group))
        paths.try_emplace({destination, source, protocol},
                          packet_of(group, pair, kProbeBytes, true));
    }
  }
  Delivery delivery{.paths = paths.size()};
  for (const auto& [ends, packet] : paths) {
    const auto& [source, destination, protocol] = ends;
    const path::Walk walk = path::walk(states, source.node, packet);
    if (walk.delivered() || delivery.blocked++ > 0) continue;
    const bool denied = walk.drop == Drop::FabricPacketFilter;
    delivery.first_block = fmt::format(
        "{}: {} ({}{})", way_text(states, source.node, destination.node), to_string(*walk.drop),
        facts(*walk.drop).meaning, denied ? ": " + walk.steps.back().state_entry : "");
  }
  return delivery;
}

std::optional<Finding> find_black_hole(const compile::Compiled& states,
                                       const std::vector<run::TrafficGroup>& traffic,
                                       std::uint32_t pod_mtu,
                                       std::optional<std::uint8_t> mtu_probing) {
  if (states.fabric.path_mtu == node::FabricPathMtu{}) return std::nullopt;
  for (const run::TrafficGroup& group : traffic) {
    const bool probes = group.uses_tcp() && mtu_probing.value_or(group.mtu_probing) != 0;
    for (const run::PodPair asked : group.pairs) {
      const run::PodPair pair = addressed(states, group, asked);
      for (const bool back : {false, true}) {
        if (back && !answers(group)) continue;
        const auto [from, to] = back ? std::pair(pair.destination.node, pair.source.node)
                                     : std::pair(pair.source.node, pair.destination.node);
        const std::uint32_t bytes = largest_packet(group, pair.source.address.is_ipv4(), back,
                                                   mtu_of(states, group, pair, pod_mtu));
        const forward::Packet packet = packet_of(group, pair, bytes, back);
        if (const auto hole = path::find_black_hole(states, from, packet))
          return warning(group, probes, way_text(states, from, to), packet, *hole);
      }
    }
  }
  return std::nullopt;
}

namespace {

using effective::EffectiveDataplane;
using model::VariantStatus;

/// The minimum MTU of every link for an IP family. Linux disables the family on devices with a
/// smaller MTU.
struct LeastMtu {
  std::uint32_t bytes;
  std::string_view need;
};
constexpr LeastMtu least_mtu(Family family) {
  return family == Family::Ipv4 ? LeastMtu{68, "IPv4 needs 68 (RFC 791)"}
                                : LeastMtu{1280, "IPv6 needs 1280 (RFC 8200)"};
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

/// The mode is unknown for an extension described by a NetworkProvider; it is treated as iptables.
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

/// Sets the mode in the same way as the shoot's spec.kubernetes.kubeProxy.
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

/// Derives the dataplane of a variant of `spec`, in the zones of the shoot as written.
Result<EffectiveDataplane> derive_variant(manifest::PodNetworkSpec spec,
                                          derive::DeriveOptions asked,
                                          const EffectiveDataplane& as_written,
                                          const spec::VariantSpec& variant) {
  if (variant.calico) asked.landscape.calico_version = variant.calico;
  if (variant.kube_proxy) set_kube_proxy(*variant.kube_proxy, variant.place, spec.shoot);
  document::Tree patch = variant.network_config;
  if (variant.wireguard)
    patch = with_wireguard(patch, cni::profile_of(as_written.agent), *variant.wireguard);
  auto derived = derive::derive(spec, asked, patch.root());
  if (derived) {
    derived->zones = as_written.zones;
    derived->node_subnets = as_written.node_subnets;
  }
  return derived;
}

}  // namespace

Result<EffectiveDataplane> variant_dataplane(const Subject& subject,
                                             const spec::VariantSpec& variant) {
  if (!variant.changes_dataplane()) return subject.as_written;
  return derive_variant(subject.spec, subject.derive, subject.as_written, variant);
}

Result<EffectiveDataplane> variant_dataplane(const DerivedSubject& subject,
                                             const spec::VariantSpec& variant) {
  if (!variant.changes_dataplane()) return subject.as_written;
  const ChosenShoot& shoot = subject.given.shoot;
  return derive_variant(shoot.spec, shoot.derive, subject.as_written, variant);
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

LaidOut lay_out(const Prepared& prepared, const spec::VariantSpec& asked) {
  LaidOut result;
  result.family = asked.family.value_or(prepared.subject.as_written.primary_family());
  result.mtu_probing = asked.mtu_probing;
  model::VariantResult& variant = result.variant;
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
  variant.dataplane = model::decode_variant_dataplane(encode(*dataplane));
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
  // A patch may remove the reason why the shoot's own pods are unreachable.
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
  if (prepared.costs)
    if (const auto& rss = prepared.subject.assumed_rss.of(dataplane->encapsulation))
      result.assumptions.push_back(*rss);
  if (auto many = too_many_flows(prepared, *dataplane, traffic)) {
    many->message = fmt::format("variant {}: {}", asked.name, many->message);
    result.findings.push_back(*std::move(many));
  }
  result.network = network(prepared, *dataplane, *std::move(states));
  result.network->paths.loss = asked.loss;
  const auto configured = [&](std::uint32_t link_mtu) {
    manifest::PodNetworkSpec spec = prepared.subject.spec;
    spec.shoot.link_mtu =
        manifest::Located<std::int64_t>{.value = link_mtu, .place = asked.place, .path = {}};
    const auto derived = derive_variant(std::move(spec), prepared.subject.derive,
                                        prepared.subject.as_written, asked);
    if (!derived) return std::vector<node::NodeState>{};
    auto compiled = compile::compile(prepared.subject.topology, *derived);
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
