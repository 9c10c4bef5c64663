#include <utility>

#include "dataplane/node/state/node_state.h"
#include "sim/run/app/flows.h"
#include "sim/run/path/border.h"

namespace overlane::run {

// What applications ask of each other over TCP, and the connections they open for it.

using model::TrafficKind;
namespace {

/// After so long a client treats its datagram, or the answer, as lost, and asks again.
constexpr Picos kAnswerTimeout = seconds(1);

}  // namespace

/// Whether an end of a connection has nothing under way in its own host.
bool Flows::is_idle(EndpointId id) {
  return end(id).unsent_memory == 0 && end(id).reads == 0 && !tcp(id).waits_for_core;
}

/// Whether nothing comes from a connection any more, but an answer to what strays.
bool Flows::is_over(std::uint32_t connection) {
  const EndpointId client = connection * 2;
  const TcpSocket& tcp = this->tcp(client);
  const bool closed = end(client).gone || tcp.time_waiting() || tcp.closed() || tcp.failed();
  return closed && this->tcp(client + 1).deadline() == transport::kNever && is_idle(client) &&
         is_idle(client + 1);
}

/// The client's application begins a request or a transfer.
void Flows::ask(EndpointId id) {
  const TrafficGroup& group = this->group(id);
  const bool timed_out = exchange(id).asking && !group.over_udp;
  if (timed_out) lose_socket(id);
  const bool again =
      timed_out || (exchange(id).turns > 0 && group.connections == Connections::PerRequest);
  if (again) {
    const std::optional<EndpointId> next = reconnect(id);
    if (!next) return;
    id = *next;
  }
  Exchange& exchange = this->exchange(id);
  exchange.request_at = scheduler_.now();
  exchange.asking = true;
  if (group.over_udp) {
    timers(id).turn = scheduler_.now() + group.timeout.value_or(kAnswerTimeout);
    return send_datagram(id, group.request_bytes);
  }
  if (group.timeout) timers(id).turn = scheduler_.now() + *group.timeout;
  TcpSocket& tcp = this->tcp(id);
  if (exchange.turns++ == 0) {
    if (group.connections == Connections::PerRequest && cpu_.has_costs())
      cpu_.occupy(end(id).node, application_core(end(id)), costs_at(id).connection());
    tcp.open(scheduler_.now());
  }
  std::int64_t bytes = group.request_bytes;
  if (group.kind == TrafficKind::Tcp) {
    bytes = group.transfer ? group.transfer->draw(flow(id).random) : transport::kEndless;
    exchange.due += bytes;
  }
  if (group.connections == Connections::KeepAlive)
    tcp.write(bytes);
  else
    exchange.unwritten = bytes;
  if (again) pump(id);
}

/// connect() has returned to the client's application: the handshake's last acknowledgement is on
/// its way when it writes.
void Flows::write_first(EndpointId client) {
  Exchange& exchange = this->exchange(client);
  TcpSocket& tcp = this->tcp(client);
  if (exchange.unwritten == 0 || !tcp.established()) return;
  pump(client);
  tcp.write(std::exchange(exchange.unwritten, 0));
  if (group(client).kind == TrafficKind::Tcp) tcp.close();
}

/// The receiver's application has read something.
void Flows::finish_transfer(EndpointId server) {
  const Exchange& exchange = this->exchange(server);
  if (server % 2 == 1 && exchange.asking && tcp(server).consumed >= exchange.due)
    finish_exchange(server ^ 1);
}

void Flows::finish_exchange(EndpointId client) {
  Exchange& exchange = this->exchange(client);
  const std::uint32_t group = flow(client).group;
  const Picos now = scheduler_.now();
  exchange.asking = false;
  ++exchange.finished;
  const bool transfer = traffic_[group].kind == TrafficKind::Tcp;
  if (!transfer) {
    accounts_.latency(group, now, now - exchange.request_at);
  } else {
    accounts_.completion(group, now, now - exchange.request_at);
  }
  if (traffic_[group].connections == Connections::PerRequest) {
    tcp(client).close();
    ports_[exchange.origin].hold_until(now + transport::kTimeWait);
  }
  const auto wait = pause(client);
  if (!wait) return;
  timers(client).turn = now + *wait;
  if (transfer) arm(client);  // Else the client is about to be looked after.
}

/// The connection has failed: the next one may do better. A client that keeps its connection opens
/// another at once.
void Flows::give_up(EndpointId client) {
  if (client % 2 == 1 || end(client).gone) return;
  if (group(client).connections == Connections::KeepAlive) {
    const bool waits = !exchange(client).asking && timers(client).turn != transport::kNever;
    const Picos turn = waits ? timers(client).turn : scheduler_.now();
    timers(client).turn = transport::kNever;
    const EndpointId next = begin_next_connection(client / 2, next_port(client / 2));
    timers(next).turn = turn;
    return arm(next);
  }
  if (!std::exchange(exchange(client).asking, false)) return;
  if (const auto wait = pause(client)) timers(client).turn = scheduler_.now() + *wait;
}

/// How long the client waits until it asks again; nothing when it does not.
std::optional<Picos> Flows::pause(EndpointId client) {
  const TrafficGroup& group = this->group(client);
  if (group.kind == TrafficKind::RequestResponse) return group.think_time;
  if (!group.gap) return std::nullopt;
  return Picos{group.gap->draw(flow(client).random)};
}

/// The end's socket is gone: its application has closed it, or its pod has ended.
void Flows::lose_socket(EndpointId id) {
  Endpoint& end = this->end(id);
  end.gone = true;
  if (has_turn(id)) timers(id).turn = transport::kNever;
  if (end.is_tcp) {
    tcp(id).renew(tcp(id).config());
    tcp(id).waits_for_core = false;
  }
  change_headers(id);
  if (id % 2 == 0 && !exchanges_.empty()) exchange(id).asking = false;
}

/// The client's end of the flow's next connection. Nothing when all source ports are in TIME-WAIT:
/// the application tries again when one is free.
std::optional<EndpointId> Flows::reconnect(EndpointId client) {
  const std::uint32_t from = client / 2;
  if (group(client).connections == Connections::KeepAlive)
    return begin_next_connection(from, next_port(from));
  const std::uint32_t origin = origin_of(from);
  EphemeralPorts& ports = ports_[origin];
  if (ports.next_free_at() > scheduler_.now()) {
    exchanges_[origin].lacked_ports = true;
    timers(client).turn = ports.next_free_at();
    return std::nullopt;
  }
  return begin_next_connection(from, ports.take());
}

/// The client's end of the connection that follows the one at `from`.
EndpointId Flows::begin_next_connection(std::uint32_t from, std::uint16_t port) {
  const std::uint32_t to = make_room_behind(from);
  begin_connection(from, to, port);
  exchanges_[origin_of(to)].newest = to;
  return to * 2;
}

/// Of a flow that keeps its connection: it has the whole range for another.
std::uint16_t Flows::next_port(std::uint32_t flow) {
  if (!ports_.empty() && traffic_[flows_[flow].group].connections == Connections::PerRequest)
    return ports_[origin_of(flow)].take();
  const std::uint32_t used = sockets_[flow * 2].port - kFirstPort + 1u;
  return static_cast<std::uint16_t>(kFirstPort + used % kPorts);
}

/// Where the connection behind `current` has its place: that of the oldest when it is over, else a
/// new one.
std::uint32_t Flows::make_room_behind(std::uint32_t current) {
  const std::uint32_t oldest = exchanges_[current].next;
  if (border_.is_open()) throw NeedsOnePartition{"clients open new connections"};
  if (is_over(oldest)) return oldest;
  const auto fresh = static_cast<std::uint32_t>(flows_.size());
  const Flow& flow = flows_[current];
  Endpoint end;
  end.is_tcp = true;
  end.state_epoch = state_epoch_ & 0x7f;
  flows_.push_back(
      {.group = flow.group, .number = flow.number, .random = flow.random, .client = end});
  table_.servers.push_back(end);
  for (const std::uint32_t side : {0u, 1u}) {
    sockets_.add({});
    table_.tcp.push_back(std::make_unique<TcpSocket>(tcp(current * 2 + side).config()));
  }
  exchanges_.push_back({.origin = origin_of(current), .next = oldest});
  exchanges_[current].next = fresh;
  return fresh;
}

/// Gives the application, which is at `from`, a new connection at `to`, which may be the same.
void Flows::begin_connection(std::uint32_t from, std::uint32_t to, std::uint16_t port) {
  for (const std::uint32_t side : {0u, 1u}) {
    const Endpoint& old = end(from * 2 + side);
    Endpoint& end = this->end(to * 2 + side);
    const TcpSocket& before = tcp(from * 2 + side);
    auto tcp = std::make_unique<TcpSocket>(before.config());
    tcp->timers = this->tcp(to * 2 + side).timers;
    tcp->sending_until = before.sending_until;
    tcp->path_mtu = before.path_mtu;
    if (tcp->path_mtu != 0) tcp->packet_too_big(tcp->path_mtu);
    table_.tcp[to * 2 + side] = std::move(tcp);
    end.node = old.node;
    end.core = old.core;
    end.receive_core = old.receive_core;
    end.is_ipv4 = old.is_ipv4;
    end.unread = 0;
    end.has_read = false;
    end.gone = false;
    change_headers(to * 2 + side);
  }
  const TrafficGroup& group = this->group(to * 2);
  SocketAddresses client = sockets_[from * 2];
  SocketAddresses server = sockets_[from * 2 + 1];
  const node::Endpoint asked = asked_by(group, fronts_, flows_[to], server);
  client.port = port;
  client.peer = asked.address;
  client.peer_port = asked.port;
  if (group.from_node)
    client.address = node::socket_route(state_of(end(to * 2)), client.peer).source;
  server.peer = client.address;
  server.peer_port = port;
  sockets_.set(to * 2, client);
  sockets_.set(to * 2 + 1, server);
  flows_[to].random = flows_[from].random;
  Exchange& exchange = exchanges_[to];
  exchange.asking = false;
  exchange.turns = 0;
  exchange.answered = 0;
  exchange.due = 0;
  exchange.unwritten = 0;
}

/// The end's next packets have other headers: nothing that was decided or settled for them holds.
void Flows::change_headers(EndpointId id) {
  Endpoint& end = this->end(id);
  if (++end.peer_version == 0) end.peer_version = 1;  // 0 is for what was never settled.
  decisions_.forget_cached(id);
}

/// Whether a packet belongs to an earlier connection, which answers it no more. A SYN may come from
/// another port than it was sent from: a node on the way translates where two would collide.
bool Flows::is_stray(PacketId id, EndpointId receiver) const {
  const SocketAddresses socket = sockets_[receiver];
  const forward::Packet& header = decisions_.header_shape(packets_[id]);
  if (!packets_[id].is_tcp || packets_[id].is_icmp || header.inner.is_fragment()) return false;
  if (header.destination_port != socket.port) return true;
  const bool opens = (header.tcp_flags & node::kTrackedSyn) != 0;
  return receiver % 2 == 1 && !opens && header.source_port != socket.peer_port;
}

}  // namespace overlane::run
