#include "sim/run/app/flow.h"

#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <utility>

#include "dataplane/node/state/node_state.h"
#include "sim/random/stream.h"
#include "sim/run/app/addresses.h"
#include "sim/run/packet/packet.h"
#include "sim/run/path/cpu.h"

namespace overlane::run {

std::int64_t FlowTable::sent_by_nodes() const {
  std::int64_t packets = 0;
  for (EndpointId id = 0; id < flows.size() * 2; ++id)
    if (is_on_node(id)) packets += end(id).packets;
  return packets;
}

std::vector<std::int64_t> FlowTable::datagrams_by_group() const {
  std::vector<std::int64_t> datagrams(traffic.size());
  for (const Flow& flow : flows) {
    if (traffic[flow.group].kind == model::TrafficKind::Udp)
      datagrams[flow.group] += flow.client.packets;
  }
  return datagrams;
}

using transport::kNever;

void EndpointTimers::arm(EndpointId id) {
  Timers& timers = table_.timers(id);
  Picos next = timers.turn;
  if (table_.end(id).is_tcp) {
    const TcpSocket& tcp = table_.socket(id);
    next = std::min(next, tcp.deadline());
    if (tcp.waits_for_core) next = std::min(next, tcp.sending_until);
  }
  if (timers.armed <= next) return;
  const Picos put_off = std::exchange(timers.armed, std::max(next, scheduler_.now()));
  // Use the spare event instead of a new one if it is early enough: take() then runs too early and
  // arms the next.
  if (timers.spare <= timers.armed) {
    timers.armed = std::exchange(timers.spare, kNever);
  } else {
    scheduler_.schedule(timers.armed, StationEvent{EventKind::Timer, id}.packed());
  }
  // Keep the later of two superfluous Timer events: the earlier expires first.
  if (put_off != kNever && (timers.spare == kNever || timers.spare < put_off))
    timers.spare = put_off;
}

namespace {

Endpoint make_end(const PodEnd& pod) {
  return {.node = pod.node, .is_ipv4 = pod.address.is_ipv4()};
}

/// Time at which the nodes of both endpoints have joined.
Picos joined(const std::vector<NodeJoin>& joins, const PodPair& pair) {
  Picos latest;
  for (const auto& [node, at] : joins)
    if (node == pair.source.node || node == pair.destination.node) latest = std::max(latest, at);
  return latest;
}

/// The timers of a node's kernel. Nodes of a cluster boot at different times; those that are
/// namespaces of one machine have one kernel.
transport::TimerWheel timers_of(const Network& network, std::uint64_t seed, std::uint32_t node) {
  RandomStream phases(seed, StreamUse::TimerPhase, network.wire == cost::Wire::Veth ? 0 : node);
  const auto period =
      static_cast<std::uint64_t>(transport::kTick.count * transport::TimerWheel::kPhaseTicks);
  return {transport::kTick, Picos{static_cast<std::int64_t>(phases.below(period))}};
}

std::unique_ptr<TcpSocket> new_connection(const Network& network, const TrafficGroup& group,
                                          const RunOptions& options, const SocketAddresses& socket,
                                          bool on_node, const Endpoint& end) {
  return std::make_unique<TcpSocket>(
      transport::TcpConfig{.mtu = mtu_of(network.nodes[end.node], socket, on_node),
                           .ip_header = end.ip_header(),
                           .receive_buffer = group.window_bytes,
                           .interactive = group.kind == model::TrafficKind::RequestResponse,
                           .measured_from = options.warm_up,
                           .timers = timers_of(network, options.seed, end.node),
                           .congestion_control = group.congestion_control,
                           .mtu_probing = group.mtu_probing});
}

/// Core of the application with the socket `from`.
std::uint16_t core_of(const host::Machine& machine, const SocketAddresses& from,
                      const SocketAddresses& to) {
  return application_core({from.address, to.address, from.port, to.port, 0}, machine);
}

/// Random stream of a flow's application. Different kinds of application use different streams.
StreamUse use_of(const TrafficGroup& group) {
  if (group.kind != model::TrafficKind::Udp) return StreamUse::Transfers;
  const bool jitter_alone = group.arrivals == Arrivals::Constant && !group.on;
  return jitter_alone ? StreamUse::SendJitter : StreamUse::Arrivals;
}

/// Flows that open one connection after the other from one pod to one other pod: they share the
/// range of source ports (EphemeralPorts).
struct PortShare {
  std::uint32_t flows = 0;
  std::uint32_t numbered = 0;
  std::uint64_t first = 0;  ///< Number of the first of these flows, through all groups.
};
using PortShares = std::map<PodPair, PortShare>;

PortShares port_shares(const std::vector<TrafficGroup>& traffic) {
  PortShares shares;
  std::uint64_t entity = 0;
  for (const TrafficGroup& group : traffic) {
    for (const PodPair pair : group.pairs) {
      if (group.connections == Connections::PerRequest) {
        PortShare& share = shares.try_emplace(pair, PortShare{.first = entity}).first->second;
        share.flows += group.flows_per_pair;
      }
      entity += group.flows_per_pair;
    }
  }
  return shares;
}

/// Endpoints that send datagrams from one pod to one other pod. Reassembly distinguishes packets by
/// addresses and identification, so no two of these endpoints may use the same one: in Linux they
/// share a counter (__ip_select_ident, net/ipv4/route.c).
struct IdentificationShare {
  std::uint32_t ends = 0;
  std::uint32_t numbered = 0;
};
using IdentificationShares = std::map<PodPair, IdentificationShare>;

bool sends_fragments(const TrafficGroup& group) {
  return !group.dont_fragment && !group.uses_tcp();
}

PodPair way_back(const PodPair& pair) {
  return {pair.destination, pair.source};
}

IdentificationShares identification_shares(const std::vector<TrafficGroup>& traffic) {
  IdentificationShares shares;
  for (const TrafficGroup& group : traffic) {
    if (!sends_fragments(group)) continue;
    for (const PodPair pair : group.pairs) {
      shares[pair].ends += group.flows_per_pair;
      if (group.over_udp) shares[way_back(pair)].ends += group.flows_per_pair;
    }
  }
  return shares;
}

/// Gives an endpoint every n-th identification from its own start number on. n is a power of two,
/// so that numbers stay in the share when they wrap around.
void take_share(Endpoint& end, IdentificationShare& share) {
  const auto bits = static_cast<std::uint8_t>(std::bit_width(share.ends - 1));
  end.identification_bits = std::min<std::uint8_t>(bits, 15) & 0xf;
  end.identification = static_cast<std::uint16_t>(share.numbered++);
}

/// The client's first source port: from `share` if there is one, otherwise any port of the range.
std::uint16_t first_port(PortShare* share, std::uint64_t seed, std::uint64_t entity) {
  RandomStream ports(seed, StreamUse::Ports, share ? share->first : entity);
  const std::uint64_t offset = ports.below(kPorts) + (share ? share->numbered++ : 0);
  return static_cast<std::uint16_t>(kFirstPort + offset % kPorts);
}

}  // namespace

std::uint32_t mtu_of(const node::NodeState& state, const SocketAddresses& socket, bool on_node) {
  std::uint32_t mtu = 0;
  if (on_node) {
    mtu = node::socket_route(state, socket.peer).mtu;
  } else if (const node::LocalPod* pod = state.find_pod(socket.address)) {
    mtu = pod->sending_mtu();
  }
  return mtu != 0 ? mtu : 1500;
}

node::Endpoint asked_by(const TrafficGroup& group, const ServiceFronts& fronts, const Flow& flow,
                        const SocketAddresses& server) {
  const node::Endpoint direct{server.address, server.port};
  if (!group.to_service) return direct;
  const IpAddress listed = group.pairs[flow.number / group.flows_per_pair].destination.address;
  const node::Endpoint front = fronts.of(
      flow.client.node, {listed, server.port, group.uses_tcp() ? forward::kTcp : forward::kUdp});
  return front.address == listed ? direct : front;
}

FlowTable make_flows(const Network& network, const std::vector<TrafficGroup>& traffic,
                     const RunOptions& options) {
  std::size_t count = 0;
  for (const TrafficGroup& group : traffic)
    count += group.pairs.size() * group.flows_per_pair;
  FlowTable table;
  table.traffic = traffic;
  table.initial = count;
  table.flows.reserve(count);
  table.servers.reserve(count);
  table.sockets.reserve(count * 2);
  const bool asks = std::ranges::any_of(
      traffic, [](const TrafficGroup& group) { return group.kind != model::TrafficKind::Udp; });
  const bool reconnects = std::ranges::any_of(traffic, [](const TrafficGroup& group) {
    return group.connections == Connections::PerRequest;
  });
  if (asks) table.exchanges.reserve(count);
  PortShares shares = port_shares(traffic);
  const ServiceFronts fronts(network);
  IdentificationShares identifications = identification_shares(traffic);
  for (std::uint32_t g = 0; g < traffic.size(); ++g) {
    const TrafficGroup& group = traffic[g];
    for (std::uint32_t n = 0; n < group.pairs.size() * group.flows_per_pair; ++n) {
      const PodPair pair = group.pairs[n / group.flows_per_pair];
      const auto entity = static_cast<std::uint32_t>(table.flows.size());
      const bool shares_ports = group.connections == Connections::PerRequest;
      PortShare* const share = shares_ports ? &shares.at(pair) : nullptr;
      RandomStream starts(options.seed, StreamUse::FlowStart, entity);
      const auto spread =
          static_cast<std::uint64_t>(std::max<std::int64_t>(options.start_spread.count, 1));
      Flow& flow =
          table.flows.emplace_back(Flow{.group = g,
                                        .number = n,
                                        .random = RandomStream(options.seed, use_of(group), entity),
                                        .client = make_end(pair.source)});
      Endpoint& client_end = flow.client;
      Endpoint& server_end = table.servers.emplace_back(make_end(pair.destination));
      const Picos start =
          joined(options.joins, pair) + Picos{static_cast<std::int64_t>(starts.below(spread))};

      SocketAddresses client{.address = pair.source.address,
                             .port = first_port(share, options.seed, entity)};
      SocketAddresses server{.address = pair.destination.address, .port = kServerPort};
      const node::Endpoint asked = asked_by(group, fronts, flow, server);
      client.peer = asked.address;
      client.peer_port = asked.port;
      if (group.from_node)
        client.address = node::socket_route(network.nodes[client_end.node], client.peer).source;
      server.peer = client.address;
      server.peer_port = client.port;
      table.sockets.add(client);
      table.sockets.add(server);

      if (group.uses_tcp()) {
        table.tcp.resize(2 * table.flows.size());
        auto& from = table.tcp[2 * entity] =
            new_connection(network, group, options, client, group.from_node, client_end);
        from->timers.turn = start;
        table.tcp[2 * entity + 1] =
            new_connection(network, group, options, server, group.to_node, server_end);
        client_end.is_tcp = server_end.is_tcp = true;
      } else {
        flow.timers.turn = start;
      }
      client_end.core = core_of(network.machines[client_end.node], client, server);
      server_end.core = core_of(network.machines[server_end.node], server, client);
      if (sends_fragments(group)) take_share(client_end, identifications.at(pair));
      if (sends_fragments(group) && group.over_udp)
        take_share(server_end, identifications.at(way_back(pair)));
      if (network.wire == cost::Wire::Veth) {
        const std::uint32_t cores = network.machines[0].cores;
        client_end.core = static_cast<std::uint16_t>(core_on_shared_machine(entity, false, cores));
        server_end.core = static_cast<std::uint16_t>(core_on_shared_machine(entity, true, cores));
      }
      if (asks) table.exchanges.push_back({.origin = entity, .next = entity, .newest = entity});
      if (reconnects) table.ports.emplace_back(client.port, share ? share->flows : 1);
    }
  }
  if (!table.tcp.empty()) table.tcp.resize(2 * table.flows.size());
  return table;
}

}  // namespace overlane::run
