#include <algorithm>

#include "dataplane/net/flow_hash.h"
#include "sim/random/stream.h"
#include "sim/run/ephemeral_ports.h"
#include "sim/run/flows.h"

namespace overlane::run {
namespace {

/// Where every server listens (iperf3's port).
constexpr std::uint16_t kServerPort = 5201;

std::uint32_t pod_mtu(const Network& network, const PodEnd& end) {
  const node::LocalPod* pod = network.nodes[end.node].find_pod(end.address);
  return pod == nullptr ? 1500 : pod->sending_mtu();
}

End make_end(const Network& network, const TrafficGroup& group, const PodEnd& pod, Picos warm_up) {
  End end{.node = pod.node, .address = pod.address};
  if (group.kind == model::TrafficKind::Udp) return end;
  end.tcp = std::make_unique<transport::TcpConnection>(transport::TcpConnection::Config{
      .mtu = pod_mtu(network, pod),
      .ip_header = end.ip_header(),
      .receive_buffer = group.window_bytes,
      .interactive = group.kind == model::TrafficKind::RequestResponse,
      .measured_from = warm_up,
      .mtu_probing = group.mtu_probing});
  return end;
}

/// The core of the application behind `from`.
std::uint16_t core_of(const Network& network, const End& from, const End& to) {
  const FlowKey key{from.address, to.address, from.port, to.port, 0};
  return static_cast<std::uint16_t>(flow_hash(key) %
                                    std::max(1u, network.machines[from.node].cores));
}

/// What a flow's application draws, so that no two kinds of application share numbers.
StreamUse use_of(const TrafficGroup& group) {
  if (group.kind != model::TrafficKind::Udp) return StreamUse::Transfers;
  const bool jitter_alone = group.arrivals == Arrivals::Constant && !group.on;
  return jitter_alone ? StreamUse::SendJitter : StreamUse::Arrivals;
}

/// The client's port of flow `which` of a pair. Those that open connection after connection share
/// the range (EphemeralPorts); the others take any.
std::uint16_t first_port(const TrafficGroup& group, std::uint64_t seed, std::uint64_t entity,
                         std::uint64_t which) {
  const bool shared = group.connections == Connections::PerRequest;
  RandomStream ports(seed, StreamUse::Ports, shared ? entity - which : entity);
  const std::uint64_t offset = ports.below(kPorts) + (shared ? which : 0);
  return static_cast<std::uint16_t>(kFirstPort + offset % kPorts);
}

}  // namespace

std::vector<Flow> make_flows(const Network& network, const std::vector<TrafficGroup>& traffic,
                             const RunOptions& options) {
  std::vector<Flow> flows;
  for (std::size_t g = 0; g < traffic.size(); ++g) {
    const TrafficGroup& group = traffic[g];
    for (std::size_t n = 0; n < group.pairs.size() * group.flows_per_pair; ++n) {
      const PodPair& pair = group.pairs[n / group.flows_per_pair];
      const std::uint64_t entity = flows.size();
      RandomStream starts(options.seed, StreamUse::FlowStart, entity);
      const auto spread =
          static_cast<std::uint64_t>(std::max<std::int64_t>(options.start_spread.count, 1));
      Flow flow{.group = static_cast<std::uint32_t>(g),
                .number = static_cast<std::uint32_t>(n),
                .ends = {make_end(network, group, pair.source, options.warm_up),
                         make_end(network, group, pair.destination, options.warm_up)},
                .start = {static_cast<std::int64_t>(starts.below(spread))},
                .random = RandomStream(options.seed, use_of(group), entity),
                .origin = static_cast<std::uint32_t>(entity),
                .next = static_cast<std::uint32_t>(entity)};
      auto& [client, server] = flow.ends;
      client.port = first_port(group, options.seed, entity, n % group.flows_per_pair);
      server.port = kServerPort;
      client.peer = server.address;
      client.peer_port = server.port;
      server.peer = client.address;
      server.peer_port = client.port;
      client.core = core_of(network, client, server);
      server.core = core_of(network, server, client);
      flows.push_back(std::move(flow));
    }
  }
  return flows;
}

}  // namespace overlane::run
