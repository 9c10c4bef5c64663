#include "bench/engine/workload.h"

#include <algorithm>
#include <chrono>
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
  kubernetes:
    version: 1.33.3
    kubeControllerManager: {{nodeCIDRMaskSize: {mask}}}
)";
/// The pod range has room for so many nodes with the usual mask of /24; with /25 for twice as many.
constexpr std::uint32_t kMaxNodesWithSlash24 = 8192;
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
  const std::string text =
      fmt::format(kShoot, fmt::arg("nodes", request.nodes),
                  fmt::arg("mask", request.nodes > kMaxNodesWithSlash24 ? 25 : 24),
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

namespace {

using model::TrafficKind;

/// Time without new datagrams before the end of the run: 21 µs of latency, up to 10 µs of the
/// sender's timer, and time in queues.
constexpr Picos kDrain = microseconds(200);
/// A segment at MTU 1500; every second one is acknowledged.
constexpr std::int64_t kSegment = 1448;
constexpr std::int64_t kLinksPerSegment = 6;

/// Between pods or between nodes.
std::vector<run::PodPair> pairs(const Workload& workload, const Cluster& cluster) {
  std::vector<run::PodPair> list;
  list.reserve(workload.flows);
  for (const auto [from, to, pod] : flow_nodes(workload)) {
    if (workload.between_nodes)
      list.push_back({cluster.on_nodes[from], cluster.on_nodes[to]});
    else
      list.push_back({cluster.pods[from * workload.pods_per_node + pod],
                      cluster.pods[to * workload.pods_per_node + pod]});
  }
  return list;
}

/// Packet-hops of one datagram of every flow.
std::int64_t hops_of_round(const Workload& workload, const run::Network& network,
                           const run::PodPairs& pairs) {
  auto hops = workload.links() * static_cast<std::int64_t>(pairs.size());
  if (!network.paths.racks) return hops;
  const fabric::RackPlan racks(*network.paths.racks, network.fabric, 0);
  for (const run::PodPair pair : pairs)
    if (!racks.share_rack(pair.source.node, pair.destination.node))
      hops += Workload::kLinksBetweenRacks;
  return hops;
}

struct Traffic {
  run::TrafficGroup group;
  run::RunOptions options;
};

Traffic datagrams(const Workload& workload) {
  const WideInteger bit_picos = WideInteger{workload.payload_bytes} * 8 * seconds(1).count;
  const BitsPerSecond rate{static_cast<std::int64_t>(bit_picos / workload.gap.count)};
  const Bytes all{workload.payload_bytes * workload.packets_per_flow};
  return {.group = {.name = workload.name,
                    .kind = TrafficKind::Udp,
                    .rate = rate,
                    .payload_bytes = workload.payload_bytes},
          .options = {.duration = serialization_time(all, rate),
                      .start_spread = workload.gap - kDrain}};
}

/// The duration is ten times what the NICs need, in whole seconds: time after the last transfer
/// costs nothing to simulate.
Traffic streams(const Workload& workload) {
  const std::int64_t per_node = (workload.flows + workload.nodes - 1) / workload.nodes;
  const Picos least =
      serialization_time({workload.transfer.count * per_node}, host::Machine{}.nic_rate);
  return {.group = {.name = workload.name,
                    .kind = TrafficKind::Tcp,
                    .transfer = Distribution::fixed(workload.transfer.count)},
          .options = {.duration = seconds(1 + 10 * least.count / seconds(1).count)}};
}

/// Describes an incomplete result; empty if complete. `round` is hops_of_round().
std::string missing(const Workload& workload, std::int64_t round, const run::RunOptions& options,
                    const run::Measurement& measured) {
  const model::TrafficResult& traffic = measured.traffic.front();
  const model::PacketCounts& packets = traffic.packets;
  if (measured.byte_path.mismatched > 0) return measured.first_mismatch;
  if (measured.byte_path.checked == 0) return "no packet went through the byte path";
  if (packets.delivered + packets.dropped != packets.sent) {
    return fmt::format("{} packets are still on their way", packets.in_flight);
  }
  if (workload.kind == TrafficKind::Udp) {
    const std::int64_t due = workload.packets_per_flow * workload.flows;
    if (packets.sent != due || packets.delivered != due)
      return fmt::format("{} packets were due, {} sent and {} delivered", due, packets.sent,
                         packets.delivered);
    if (measured.engine.packet_hops != round * workload.packets_per_flow)
      return fmt::format("{} packets made {} hops", due, measured.engine.packet_hops);
    return "";
  }
  const Bytes due{workload.transfer.count * workload.flows};
  if (traffic.goodput_bps == mean_rate(due, options.duration).count) return "";
  return fmt::format("{} B were due, and arrived at {} bit/s on average", due.count,
                     traffic.goodput_bps);
}

/// As in bench/engine/peers/ns3: no link is oversubscribed.
constexpr fabric::Racks kRacks{.nodes_per_rack = 32, .spines = 8, .uplink = {40'000'000'000}};

/// Ten UDP flows from each node.
Workload easy_datagrams(Workload workload, std::int64_t least_hops) {
  workload.flows = workload.nodes * 10;
  workload.packets_per_flow =
      std::max<std::int64_t>(100, least_hops / workload.most_links() / workload.flows);
  workload.gap = easy_gap(workload.flows, workload.nodes);
  return workload;
}

/// Replaces routes to the nodes' pod CIDRs with routes that do the same but are not equal, and
/// back: what flows have cached about them is invalid each time.
std::vector<run::TimedChange> route_changes(const Workload& workload, const run::Network& network,
                                            Picos duration) {
  std::vector<run::TimedChange> changes;
  for (std::uint32_t i = 0; i < workload.changes; ++i) {
    const Picos at{
        static_cast<std::int64_t>(WideInteger{duration.count} * (i + 1) / (workload.changes + 1))};
    const std::uint32_t node = i * 7 % workload.nodes;
    const std::uint32_t peer = (node + 1) % workload.nodes;
    const IpPrefix pod_cidr = network.nodes[peer].member().ipv4->pod_cidr;
    const bool is_odd = i / workload.nodes % 2 == 1;
    if (i % 2 == 0) {
      changes.push_back(
          {at, [=](node::WorldEditor& world) {
             const node::NodeState& state = world.world().nodes[node];
             node::Route route =
                 find_route(state, IpPrefix::containing(pod_cidr.network(), 0))->route;
             if (const auto own = find_route(state, pod_cidr)) route = own->route;
             route.mtu = is_odd ? 0 : state.uplink()->mtu;
             world.node(node).set_route(pod_cidr, route);
           }});
    } else {
      changes.push_back({at, [=](node::WorldEditor& world) {
                           node::FabricRoute route =
                               *world.world().fabric.route_tables[0].routes.find(pod_cidr);
                           route.owner = is_odd ? node::FabricRouteOwner::RouteController
                                                : node::FabricRouteOwner::User;
                           world.fabric().set_route(0, pod_cidr, route);
                         }});
    }
  }
  return changes;
}

/// The same traffic without and with 10,000 changes of states.
std::vector<Workload> while_states_change() {
  Workload steady{.name = "steady-5000",
                  .nodes = 5000,
                  .flows = 100'000,
                  .packets_per_flow = 100,
                  .gap = easy_gap(100'000, 5000)};
  Workload changing = steady;
  changing.name = "changes-5000";
  changing.changes = 10'000;
  return {std::move(steady), std::move(changing)};
}

std::vector<Workload> without_costs(std::int64_t least_hops) {
  std::vector<Workload> list;
  list.push_back(easy_datagrams({.name = "star-10", .between_nodes = true}, least_hops));
  for (const PodNetwork network : {PodNetwork::Routed, PodNetwork::Ipip, PodNetwork::Vxlan}) {
    for (const std::uint32_t nodes : {10u, 100u, 1000u, 5000u}) {
      list.push_back(easy_datagrams({.name = fmt::format("{}-{}", to_string(network), nodes),
                                     .network = network,
                                     .nodes = nodes},
                                    least_hops));
    }
  }
  for (const std::uint32_t nodes : {1000u, 5000u}) {
    list.push_back(easy_datagrams(
        {.name = fmt::format("leafspine-{}", nodes), .nodes = nodes, .racks = kRacks}, least_hops));
  }
  for (const std::uint32_t flows : {10u, 100u}) {
    list.push_back({.name = fmt::format("tcp-{}", flows),
                    .flows = flows,
                    .kind = TrafficKind::Tcp,
                    .transfer = {(1 + least_hops / kLinksPerSegment / flows) * kSegment}});
  }
  for (std::uint32_t flows = 10; flows <= 1'000'000; flows *= 10) {
    list.push_back({.name = fmt::format("flows-{}", flows),
                    .nodes = 100,
                    .flows = flows,
                    .packets_per_flow = 4,
                    .gap = easy_gap(flows, 100)});
  }
  for (Workload& workload : while_states_change())
    list.push_back(std::move(workload));
  return list;
}

}  // namespace

double Figures::events_per_packet() const {
  return static_cast<double>(events) / static_cast<double>(packets);
}
double Figures::packet_hops_per_second() const {
  return static_cast<double>(packet_hops) / loop_seconds;
}
double Figures::packets_per_second() const {
  return static_cast<double>(packets) / loop_seconds;
}
double Figures::ns_per_packet() const {
  return loop_seconds * 1e9 / static_cast<double>(packets);
}

std::vector<FlowNodes> flow_nodes(const Workload& workload) {
  const std::uint32_t others = workload.nodes - 1;
  const std::uint32_t per_node = std::max(1u, workload.flows / workload.nodes);
  const std::uint32_t stride = std::max(1u, others / per_node);
  std::vector<FlowNodes> list;
  list.reserve(workload.flows);
  for (std::uint32_t flow = 0; flow < workload.flows; ++flow) {
    const std::uint32_t from = flow % workload.nodes;
    const std::uint64_t round = flow / workload.nodes;
    const auto distance = static_cast<std::uint32_t>(1 + round * stride % others);
    list.push_back({.from = from,
                    .to = (from + distance) % workload.nodes,
                    .pod = static_cast<std::uint32_t>(round % workload.pods_per_node)});
  }
  return list;
}

Picos easy_gap(std::uint32_t flows, std::uint32_t nodes) {
  const std::int64_t per_node = (flows + nodes - 1) / nodes;
  return std::max(milliseconds(1), microseconds(10) * per_node);
}

std::vector<Workload> standard_workloads(std::int64_t least_hops) {
  std::vector<Workload> all;
  for (const Workload& workload : without_costs(least_hops)) {
    all.push_back(workload);
    all.push_back(workload);
    all.back().cpu_costs = true;
  }
  return all;
}

Parsed<Figures> measure(const Workload& workload) {
  const auto start = std::chrono::steady_clock::now();
  auto cluster =
      make_cluster({workload.network, workload.nodes, workload.pods_per_node, workload.cpu_costs});
  if (!cluster) return fail(cluster.error());
  const double prepare_seconds = seconds_since(start);

  Traffic traffic = workload.kind == TrafficKind::Udp ? datagrams(workload) : streams(workload);
  traffic.group.pairs = pairs(workload, *cluster);
  traffic.group.from_node = traffic.group.to_node = workload.between_nodes;
  cluster->network.paths.racks = workload.racks;
  const std::int64_t round = hops_of_round(workload, cluster->network, traffic.group.pairs);
  traffic.options.changes = route_changes(workload, cluster->network, traffic.options.duration);
  traffic.options.threads = workload.threads;
  traffic.options.partitions = workload.partitions;
  traffic.options.fast = workload.fast;
  std::vector<run::TrafficGroup> groups;
  groups.push_back(std::move(traffic.group));
  const auto run_start = std::chrono::steady_clock::now();
  const double cpu_start = cpu_seconds();
  const auto measured = run::run(cluster->network, groups, traffic.options);
  const double core_share = (cpu_seconds() - cpu_start) / seconds_since(run_start);
  if (!measured) return fail(measured.error());
  const std::string lack = missing(workload, round, traffic.options, *measured);
  if (!lack.empty()) return fail(lack);

  const model::PacketCounts& packets = measured->traffic.front().packets;
  return Figures{.packet_hops = measured->engine.packet_hops,
                 .packets = packets.delivered,
                 .dropped = packets.dropped,
                 .events = measured->engine.events,
                 .byte_path_checked = measured->byte_path.checked,
                 .prepare_seconds = prepare_seconds,
                 .setup_seconds = measured->engine.setup_seconds,
                 .loop_seconds = measured->engine.loop_seconds,
                 .core_share = core_share,
                 .peak_rss_mb = peak_rss_mb()};
}

}  // namespace overlane::bench
