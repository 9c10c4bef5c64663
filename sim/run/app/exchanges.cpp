#include "sim/run/app/exchanges.h"

#include <memory>
#include <utility>

#include "dataplane/node/state/node_state.h"
#include "sim/run/app/flow.h"

namespace overlane::run {

/// Whether an endpoint of a connection has no packet and no read pending in its own host.
bool ConnectionChurn::is_idle(EndpointId id) {
  const Endpoint& end = table_.end(id);
  return end.unsent_memory == 0 && end.reads == 0 && !table_.socket(id).waits_for_core;
}

/// Whether a connection sends nothing any more, except answers to stray segments.
bool ConnectionChurn::is_over(std::uint32_t connection) {
  const EndpointId client = connection * 2;
  const TcpSocket& tcp = table_.socket(client);
  const bool closed = table_.end(client).gone || tcp.time_waiting() || tcp.closed() || tcp.failed();
  return closed && table_.socket(client + 1).deadline() == transport::kNever && is_idle(client) &&
         is_idle(client + 1);
}

void ConnectionChurn::lose_socket(EndpointId id) {
  Endpoint& end = table_.end(id);
  end.gone = true;
  if (table_.has_turn(id)) table_.timers(id).turn = transport::kNever;
  if (end.is_tcp) {
    TcpSocket& tcp = table_.socket(id);
    tcp.renew(tcp.config());
    tcp.waits_for_core = false;
  }
  headers_.invalidate(id);
  if (id % 2 == 0 && !table_.exchanges.empty()) table_.exchange(id).asking = false;
}

std::optional<EndpointId> ConnectionChurn::reconnect(EndpointId client) {
  const std::uint32_t from = client / 2;
  if (table_.group_of(client).connections == Connections::KeepAlive)
    return begin_next(from, next_port(from));
  const std::uint32_t origin = table_.origin_of(from);
  EphemeralPorts& ports = table_.ports[origin];
  if (ports.next_free_at() > scheduler_.now()) {
    table_.exchanges[origin].lacked_ports = true;
    table_.timers(client).turn = ports.next_free_at();
    return std::nullopt;
  }
  return begin_next(from, ports.take());
}

EndpointId ConnectionChurn::replace(EndpointId client) {
  const std::uint32_t from = client / 2;
  return begin_next(from, next_port(from));
}

void ConnectionChurn::hold_port(EndpointId client) {
  table_.ports[table_.origin_of(client / 2)].hold_until(scheduler_.now() + transport::kTimeWait);
}

void ConnectionChurn::redirect(EndpointId client, const SocketAddresses& server) {
  const node::Endpoint asked =
      asked_by(table_.group_of(client), fronts_, table_.flow_of(client), server);
  headers_.set_peer(client, asked.address, asked.port);
}

/// The client's endpoint of the connection that follows the connection `from`.
EndpointId ConnectionChurn::begin_next(std::uint32_t from, std::uint16_t port) {
  const std::uint32_t to = make_room_behind(from);
  begin(from, to, port);
  table_.exchanges[table_.origin_of(to)].newest = to;
  return to * 2;
}

/// Source port of the flow's next connection. A flow that keeps its connection may use the whole
/// ephemeral range.
std::uint16_t ConnectionChurn::next_port(std::uint32_t flow) {
  const EndpointId client = flow * 2;
  if (!table_.ports.empty() && table_.group_of(client).connections == Connections::PerRequest)
    return table_.ports[table_.origin_of(flow)].take();
  const std::uint32_t used = headers_[client].port - kFirstPort + 1u;
  return static_cast<std::uint16_t>(kFirstPort + used % kPorts);
}

/// Number of the connection that follows `current` in the ring: the oldest connection's number if
/// that connection is over, otherwise a new one.
std::uint32_t ConnectionChurn::make_room_behind(std::uint32_t current) {
  const std::uint32_t oldest = table_.exchanges[current].next;
  if (border_.is_open()) throw NeedsOnePartition{"clients open new connections"};
  if (is_over(oldest)) return oldest;
  const auto fresh = static_cast<std::uint32_t>(table_.flows.size());
  const Flow& flow = table_.flows[current];
  Endpoint end;
  end.is_tcp = true;
  end.state_epoch = headers_.state_epoch() & 0x7f;
  table_.flows.push_back(
      {.group = flow.group, .number = flow.number, .random = flow.random, .client = end});
  table_.servers.push_back(end);
  for (const std::uint32_t side : {0u, 1u}) {
    headers_.add();
    table_.tcp.push_back(std::make_unique<TcpSocket>(table_.socket(current * 2 + side).config()));
  }
  table_.exchanges.push_back({.origin = table_.origin_of(current), .next = oldest});
  table_.exchanges[current].next = fresh;
  return fresh;
}

/// Moves the application from the connection `from` to a new one at `to`, which may be the same.
void ConnectionChurn::begin(std::uint32_t from, std::uint32_t to, std::uint16_t port) {
  for (const std::uint32_t side : {0u, 1u}) {
    const Endpoint& old = table_.end(from * 2 + side);
    Endpoint& end = table_.end(to * 2 + side);
    const TcpSocket& before = table_.socket(from * 2 + side);
    auto tcp = std::make_unique<TcpSocket>(before.config());
    tcp->timers = table_.socket(to * 2 + side).timers;
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
    headers_.invalidate(to * 2 + side);
  }
  const TrafficGroup& group = table_.group_of(to * 2);
  SocketAddresses client = headers_[from * 2];
  SocketAddresses server = headers_[from * 2 + 1];
  const node::Endpoint asked = asked_by(group, fronts_, table_.flows[to], server);
  client.port = port;
  client.peer = asked.address;
  client.peer_port = asked.port;
  if (group.from_node) {
    const node::NodeState& state = states_.nodes()[table_.end(to * 2).node];
    client.address = node::socket_route(state, client.peer).source;
  }
  server.peer = client.address;
  server.peer_port = port;
  headers_.set(to * 2, client);
  headers_.set(to * 2 + 1, server);
  table_.flows[to].random = table_.flows[from].random;
  Exchange& exchange = table_.exchanges[to];
  exchange.asking = false;
  exchange.turns = 0;
  exchange.answered = 0;
  exchange.due = 0;
  exchange.unwritten = 0;
}

using model::TrafficKind;
namespace {

/// Time after which a client treats its datagram, or the response, as lost and sends the next
/// request.
constexpr Picos kDefaultAnswerTimeout = seconds(1);

}  // namespace

void Exchanges::ask(EndpointId id) {
  const TrafficGroup& group = table_.group_of(id);
  const bool timed_out = table_.exchange(id).asking && !group.over_udp;
  if (timed_out) churn_.lose_socket(id);
  const bool again =
      timed_out || (table_.exchange(id).turns > 0 && group.connections == Connections::PerRequest);
  if (again) {
    const std::optional<EndpointId> next = churn_.reconnect(id);
    if (!next) return;
    id = *next;
  }
  Exchange& exchange = table_.exchange(id);
  exchange.request_at = scheduler_.now();
  exchange.asking = true;
  if (group.over_udp) {
    table_.timers(id).turn = scheduler_.now() + group.timeout.value_or(kDefaultAnswerTimeout);
    return sender_.send_datagram(id, group.request_bytes);
  }
  if (group.timeout) table_.timers(id).turn = scheduler_.now() + *group.timeout;
  TcpSocket& tcp = table_.socket(id);
  if (exchange.turns++ == 0) {
    if (group.connections == Connections::PerRequest && cpu_.has_costs())
      cpu_.pay_for_connect(table_.end(id));
    tcp.open(scheduler_.now());
  }
  std::int64_t bytes = group.request_bytes;
  if (group.kind == TrafficKind::Tcp) {
    bytes = group.transfer ? group.transfer->draw(table_.flow_of(id).random) : transport::kEndless;
    exchange.due += bytes;
  }
  if (group.connections == Connections::KeepAlive)
    tcp.write(bytes);
  else
    exchange.unwritten = bytes;
  if (again) sender_.pump(id);
}

void Exchanges::write_first(EndpointId client) {
  Exchange& exchange = table_.exchange(client);
  TcpSocket& tcp = table_.socket(client);
  if (exchange.unwritten == 0 || !tcp.established()) return;
  sender_.pump(client);  // The handshake's last acknowledgement precedes the payload.
  tcp.write(std::exchange(exchange.unwritten, 0));
  if (table_.group_of(client).kind == TrafficKind::Tcp) tcp.close();
}

void Exchanges::see_stream_read(EndpointId id) {
  switch (table_.group_of(id).kind) {
    case TrafficKind::Udp:
      break;
    case TrafficKind::Tcp:
      finish_transfer(id);
      break;
    case TrafficKind::RequestResponse:
      serve_requests(id);
      break;
  }
}

void Exchanges::see_datagram_read(EndpointId id) {
  if (id % 2 == 1) return sender_.send_datagram(id, table_.group_of(id).response_bytes);
  if (!table_.exchange(id).asking) return;  // A response that arrives after its timeout is ignored.
  finish(id);
  timers_.arm(id);
}

void Exchanges::finish_transfer(EndpointId server) {
  const Exchange& exchange = table_.exchange(server);
  if (server % 2 == 1 && exchange.asking && table_.socket(server).consumed >= exchange.due)
    finish(server ^ 1);
}

void Exchanges::serve_requests(EndpointId id) {
  const TrafficGroup& group = table_.group_of(id);
  Exchange& exchange = table_.exchange(id);
  TcpSocket& tcp = table_.socket(id);
  if (id % 2 == 1) {
    for (; tcp.consumed >= (exchange.answered + 1) * group.request_bytes; ++exchange.answered)
      tcp.write(group.response_bytes);
    return;
  }
  if (tcp.consumed < exchange.turns * group.response_bytes) return;
  if (exchange.asking) finish(id);
}

/// The client has read the response, or the receiver has read the transfer.
void Exchanges::finish(EndpointId client) {
  Exchange& exchange = table_.exchange(client);
  const std::uint32_t group = table_.flow_of(client).group;
  const Picos now = scheduler_.now();
  exchange.asking = false;
  ++exchange.finished;
  const bool transfer = table_.traffic[group].kind == TrafficKind::Tcp;
  if (!transfer) {
    accounts_.latency(group, now, now - exchange.request_at);
  } else {
    accounts_.completion(group, now, now - exchange.request_at);
  }
  if (table_.traffic[group].connections == Connections::PerRequest) {
    table_.socket(client).close();
    churn_.hold_port(client);
  }
  const auto wait = pause(client);
  if (!wait) return;
  table_.timers(client).turn = now + *wait;
  if (transfer) timers_.arm(client);  // For requests, the caller arms the client's timer.
}

void Exchanges::give_up(EndpointId client) {
  if (client % 2 == 1 || table_.end(client).gone) return;
  if (table_.group_of(client).connections == Connections::KeepAlive) {
    const bool waits =
        !table_.exchange(client).asking && table_.timers(client).turn != transport::kNever;
    const Picos turn = waits ? table_.timers(client).turn : scheduler_.now();
    table_.timers(client).turn = transport::kNever;
    const EndpointId next = churn_.replace(client);
    table_.timers(next).turn = turn;
    return timers_.arm(next);
  }
  if (!std::exchange(table_.exchange(client).asking, false)) return;
  if (const auto wait = pause(client)) table_.timers(client).turn = scheduler_.now() + *wait;
}

/// Time until the client sends its next request; nullopt if it sends no more.
std::optional<Picos> Exchanges::pause(EndpointId client) {
  const TrafficGroup& group = table_.group_of(client);
  if (group.kind == TrafficKind::RequestResponse) return group.think_time;
  if (!group.gap) return std::nullopt;
  return Picos{group.gap->draw(table_.flow_of(client).random)};
}

}  // namespace overlane::run
