#include "sim/run/app/exchanges.h"

#include <utility>

namespace overlane::run {

using model::TrafficKind;
namespace {

/// Time after which a client treats its datagram, or the response, as lost and asks again.
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
  if (!table_.exchange(id).asking) return;  // A response after its timeout.
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

/// The response was read by the client, or the transfer by its receiver.
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
  if (transfer) timers_.arm(client);  // A client of requests is armed by its caller.
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

/// Time until the client asks again; nothing if it does not.
std::optional<Picos> Exchanges::pause(EndpointId client) {
  const TrafficGroup& group = table_.group_of(client);
  if (group.kind == TrafficKind::RequestResponse) return group.think_time;
  if (!group.gap) return std::nullopt;
  return Picos{group.gap->draw(table_.flow_of(client).random)};
}

}  // namespace overlane::run
