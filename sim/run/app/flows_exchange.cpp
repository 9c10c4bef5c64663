#include <utility>

#include "dataplane/node/state/socket_route.h"
#include "sim/run/app/flows.h"

namespace overlane::run {

// What applications ask of each other over TCP, and the connections they open for it.

using model::TrafficKind;
using transport::TcpConnection;

namespace {

/// After so long a client treats its datagram, or the answer, as lost, and asks again.
constexpr Picos kAnswerTimeout = seconds(1);

/// Whether an end has nothing under way in its own host.
bool is_idle(const End& end) {
  return end.unsent_memory == 0 && end.reads == 0 && !end.waits_for_core;
}

/// Whether nothing comes from a connection any more, but an answer to what strays.
bool is_over(const Flow& flow) {
  const auto& [client, server] = flow.ends;
  const TcpConnection& tcp = *client.tcp;
  const bool closed = client.gone || tcp.time_waiting() || tcp.closed() || tcp.failed();
  return closed && server.tcp->deadline() == transport::kNever && is_idle(client) &&
         is_idle(server);
}

}  // namespace

/// The client's application begins a request or a transfer.
void Flows::ask(EndId id) {
  const TrafficGroup& group = this->group(id);
  const bool timed_out = flow(id).asking && !group.over_udp;
  if (timed_out) lose_socket(id);
  const bool again =
      timed_out || (flow(id).turns > 0 && group.connections == Connections::PerRequest);
  if (again) {
    const std::optional<EndId> next = reconnect(id);
    if (!next) return;
    id = *next;
  }
  Flow& flow = this->flow(id);
  flow.request_at = scheduler_.now();
  flow.asking = true;
  if (group.over_udp) {
    end(id).turn = scheduler_.now() + group.timeout.value_or(kAnswerTimeout);
    return send_datagram(id, group.request_bytes);
  }
  if (group.timeout) end(id).turn = scheduler_.now() + *group.timeout;
  TcpConnection& tcp = *end(id).tcp;
  if (flow.turns++ == 0) {
    if (group.connections == Connections::PerRequest && cpu_.has_costs())
      cpu_.occupy(end(id).node, application_core(end(id)), costs_at(id).connection());
    tcp.open(scheduler_.now());
  }
  std::int64_t bytes = group.request_bytes;
  if (group.kind == TrafficKind::Tcp) {
    bytes = group.transfer ? group.transfer->draw(flow.random) : transport::kEndless;
    flow.due += bytes;
  }
  if (group.connections == Connections::KeepAlive)
    tcp.write(bytes);
  else
    flow.unwritten = bytes;
  if (again) pump(id);
}

/// connect() has returned to the client's application: the handshake's last acknowledgement is on
/// its way when it writes.
void Flows::write_first(EndId client) {
  Flow& flow = this->flow(client);
  TcpConnection& tcp = *end(client).tcp;
  if (flow.unwritten == 0 || !tcp.established()) return;
  pump(client);
  tcp.write(std::exchange(flow.unwritten, 0));
  if (group(client).kind == TrafficKind::Tcp) tcp.close();
}

/// The receiver's application has read something.
void Flows::finish_transfer(EndId server) {
  const Flow& flow = this->flow(server);
  if (server % 2 == 1 && flow.asking && end(server).consumed >= flow.due)
    finish_exchange(server ^ 1);
}

void Flows::finish_exchange(EndId client) {
  Flow& flow = this->flow(client);
  const Picos now = scheduler_.now();
  flow.asking = false;
  ++flow.finished;
  const bool transfer = group(client).kind == TrafficKind::Tcp;
  if (!transfer) {
    accounts_.latency(flow.group, now, now - flow.request_at);
  } else {
    accounts_.completion(flow.group, now, now - flow.request_at);
  }
  if (group(client).connections == Connections::PerRequest) {
    end(client).tcp->close();
    ports_[flow.origin].hold_until(now + transport::kTimeWait);
  }
  const auto wait = pause(flow);
  if (!wait) return;
  end(client).turn = now + *wait;
  if (transfer) arm(client);  // Else the client is about to be looked after.
}

/// The connection has failed: the next one may do better. A client that keeps its connection opens
/// another at once.
void Flows::give_up(EndId client) {
  if (client % 2 == 1 || end(client).gone) return;
  if (group(client).connections == Connections::KeepAlive) {
    const bool waits = !flow(client).asking && end(client).turn != transport::kNever;
    const Picos turn = waits ? end(client).turn : scheduler_.now();
    end(client).turn = transport::kNever;
    const EndId next = begin_next_connection(client / 2, next_port(client / 2));
    end(next).turn = turn;
    return arm(next);
  }
  Flow& flow = this->flow(client);
  if (!flow.asking) return;
  flow.asking = false;
  if (const auto wait = pause(flow)) end(client).turn = scheduler_.now() + *wait;
}

/// How long the client waits until it asks again; nothing when it does not.
std::optional<Picos> Flows::pause(Flow& flow) {
  const TrafficGroup& group = traffic_[flow.group];
  if (group.kind == TrafficKind::RequestResponse) return group.think_time;
  if (!group.gap) return std::nullopt;
  return Picos{group.gap->draw(flow.random)};
}

/// Who reads end of file closes its own side.
void Flows::close_after_peer(End& end) {
  if (end.tcp->peer_closed() && end.consumed == end.tcp->received()) end.tcp->close();
}

/// The end's socket is gone: its application has closed it, or its pod has ended.
void Flows::lose_socket(EndId id) {
  End& end = this->end(id);
  end.gone = true;
  end.turn = transport::kNever;
  end.waits_for_core = false;
  if (end.tcp) end.tcp = std::make_unique<TcpConnection>(end.tcp->config());
  if (++end.peer_version == 0) end.peer_version = 1;
  decisions_.forget_cached(id);
  if (id % 2 == 0) flow(id).asking = false;
}

/// The client's end of the flow's next connection. Nothing when all source ports are in TIME-WAIT:
/// the application tries again when one is free.
std::optional<EndId> Flows::reconnect(EndId client) {
  const std::uint32_t from = client / 2;
  if (group(client).connections == Connections::KeepAlive)
    return begin_next_connection(from, next_port(from));
  Flow& origin = flows_[flows_[from].origin];
  EphemeralPorts& ports = ports_[flows_[from].origin];
  if (ports.next_free_at() > scheduler_.now()) {
    origin.lacked_ports = true;
    end(client).turn = ports.next_free_at();
    return std::nullopt;
  }
  return begin_next_connection(from, ports.take());
}

/// The client's end of the connection that follows the one at `from`.
EndId Flows::begin_next_connection(std::uint32_t from, std::uint16_t port) {
  const std::uint32_t to = next_in_circle(from);
  begin_connection(from, to, port);
  flows_[flows_[to].origin].newest = to;
  return to * 2;
}

/// Of a flow that keeps its connection: it has the whole range for another.
std::uint16_t Flows::next_port(std::uint32_t flow) {
  if (!ports_.empty() && traffic_[flows_[flow].group].connections == Connections::PerRequest)
    return ports_[flows_[flow].origin].take();
  const std::uint32_t used = flows_[flow].ends[0].port - kFirstPort + 1u;
  return static_cast<std::uint16_t>(kFirstPort + used % kPorts);
}

/// Where the connection behind `current` has its place: that of the oldest when it is over, else a
/// new one.
std::uint32_t Flows::next_in_circle(std::uint32_t current) {
  const std::uint32_t oldest = flows_[current].next;
  if (is_over(flows_[oldest])) return oldest;
  const auto fresh = static_cast<std::uint32_t>(flows_.size());
  const Flow& flow = flows_[current];
  Flow next{.group = flow.group,
            .number = flow.number,
            .random = flow.random,
            .start = flow.start,
            .origin = flow.origin,
            .next = oldest};
  for (End& end : next.ends)
    end.state_epoch = state_epoch_ & 0x7f;
  flows_.push_back(std::move(next));
  flows_[current].next = fresh;
  return fresh;
}

/// Gives the application, which is at `from`, a new connection at `to`, which may be the same.
void Flows::begin_connection(std::uint32_t from, std::uint32_t to, std::uint16_t port) {
  for (const std::uint32_t side : {0u, 1u}) {
    const End& old = flows_[from].ends[side];
    auto tcp = std::make_unique<TcpConnection>(old.tcp->config());
    if (old.path_mtu != 0) tcp->packet_too_big(old.path_mtu);
    End& end = flows_[to].ends[side];
    end.tcp = std::move(tcp);
    end.node = old.node;
    end.core = old.core;
    end.stays = old.stays;
    end.receive_core = old.receive_core;
    end.address = old.address;
    end.is_ipv4 = old.is_ipv4;
    end.path_mtu = old.path_mtu;
    end.sending_until = old.sending_until;
    end.consumed = 0;
    end.unread = 0;
    end.gone = false;
    if (++end.peer_version == 0) end.peer_version = 1;
    decisions_.forget_cached(to * 2 + side);
  }
  auto& [client, server] = flows_[to].ends;
  const std::uint16_t listening = flows_[from].ends[1].port;
  server.port = listening;
  const node::Endpoint asked = asked_by(traffic_[flows_[to].group], fronts_, flows_[to]);
  client.port = port;
  client.peer = asked.address;
  client.peer_port = asked.port;
  if (traffic_[flows_[to].group].from_node)
    client.address = node::socket_route(state_of(client), client.peer).source;
  server.peer = client.address;
  server.peer_port = port;
  Flow& flow = flows_[to];
  flow.random = flows_[from].random;
  flow.asking = false;
  flow.turns = 0;
  flow.answered = 0;
  flow.due = 0;
  flow.unwritten = 0;
}

/// Whether a packet belongs to an earlier connection, which answers it no more. A SYN may come from
/// another port than it was sent from: a node on the way translates where two would collide.
bool Flows::is_stray(PacketId id, EndId receiver) const {
  const End& end = flows_[receiver / 2].ends[receiver % 2];
  const forward::Packet& header = decisions_.header_shape(packets_[id]);
  if (!end.tcp || packets_[id].is_icmp || header.inner.is_fragment()) return false;
  if (header.destination_port != end.port) return true;
  const bool opens = (header.tcp_flags & node::kTrackedSyn) != 0;
  return receiver % 2 == 1 && !opens && header.source_port != end.peer_port;
}

}  // namespace overlane::run
