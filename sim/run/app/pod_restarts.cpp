#include "sim/run/app/pod_restarts.h"

#include <memory>

#include "sim/run/app/flow.h"

namespace overlane::run {

void PodRestarts::stop_absent() {
  AffectedEndpoints ignored;
  for (EndpointId id = 0; id < table_.initial * 2; ++id) {
    const std::uint32_t node = table_.end(id).node;
    if (!border_.is_beyond(node) && !path_.ports().runs(node)) stop(id, true, ignored);
  }
}

void PodRestarts::stop(const node::WorldChange& change, AffectedEndpoints& affected) {
  headers_.begin_state_epoch();
  for (const std::uint32_t node : change.stopped)
    for (const EndpointId end : ends_on(node))
      stop(end, true, affected);
  for (const node::PodPlace& place : change.ended)
    for (const EndpointId end : pods_at(place))
      stop(end, false, affected);
  const auto come_back = [&](const std::vector<EndpointId>& ends) {
    affected.back.insert(affected.back.end(), ends.begin(), ends.end());
  };
  for (const auto& [before, now] : change.restarted) {
    const std::vector<EndpointId> ends = pods_at(before);
    for (const EndpointId end : ends) {
      stop(end, false, affected);
      renew_at(end, now);
    }
    come_back(ends);
  }
  for (const std::uint32_t node : change.started)
    come_back(ends_on(node));
}

/// Starts the endpoints in `affected.back` whose pod runs now: a pod may start and stop in one
/// change.
void PodRestarts::start(AffectedEndpoints& affected) {
  for (const EndpointId end : affected.back)
    if (!border_.is_beyond(table_.end(end).node) && is_there(end)) start(end, affected);
}

/// Whether the endpoint's node runs and has its pod.
bool PodRestarts::is_there(EndpointId first) const {
  if (!path_.ports().runs(table_.end(first).node)) return false;
  return table_.is_on_node(first) || state_of(first).find_pod(headers_[first].address) != nullptr;
}

void PodRestarts::index_places() {
  if (!places_.empty()) return;
  for (EndpointId id = 0; id < table_.initial * 2; ++id)
    if (!border_.is_beyond(table_.end(id).node)) places_.insert(place_of(id), id);
}

/// Endpoints of a node and its pods.
std::vector<EndpointId> PodRestarts::ends_on(std::uint32_t node) {
  index_places();
  return places_.on(node);
}

/// Endpoints in pods at a place: endpoints on the node's own network do not stop with a pod.
std::vector<EndpointId> PodRestarts::pods_at(const node::PodPlace& place) {
  index_places();
  std::vector<EndpointId> ends = places_.at(place);
  std::erase_if(ends, [&](EndpointId id) { return table_.is_on_node(id); });
  return ends;
}

/// Closes the sockets of an endpoint, in all connections of its flow.
void PodRestarts::stop(EndpointId first, bool with_node, AffectedEndpoints& affected) {
  if (table_.end(first).away) return;
  table_.end(first).away = true;
  bool has_sent = false;
  bool has_heard = false;
  for_each_connection(first, [&](EndpointId id) {
    Endpoint& end = table_.end(id);
    has_sent |= end.packets > 0;
    has_heard |= table_.end(id ^ 1).packets > 0;
    end.blocked = false;
    churn_.lose_socket(id);
    if (with_node) {  // The core's pending reads are lost with the node.
      end.reads = 0;
      end.unread = 0;
    }
    reassembly_.stop(id);
  });
  if (has_sent) affected.silenced.push_back(first ^ 1);
  if (has_heard) affected.silenced.push_back(first);
}

/// Starts the application of an endpoint whose pod runs again. The connections of a client were
/// lost with its pod; those of a server are refused when the client next uses them.
void PodRestarts::start(EndpointId first, AffectedEndpoints& affected) {
  if (!table_.end(first).away) return;
  table_.end(first).away = false;
  give_mtu(first);
  affected.heard.push_back(first);
  affected.heard.push_back(first ^ 1);
  if (first % 2 == 0) return start_application(first / 2);
  for_each_connection(first, [&](EndpointId server) {
    const TcpSocket* const client = table_.tcp_of(server ^ 1);
    if (client == nullptr || !client->established()) table_.end(server).gone = false;
  });
}

void PodRestarts::start_application(std::uint32_t origin) {
  if (!table_.flows[origin].client.is_tcp) {
    const EndpointId client = origin * 2;
    table_.end(client).gone = false;
    table_.timers(client).turn = scheduler_.now();
    return applications_.start(client);
  }
  const EndpointId client = churn_.replace(table_.newest_of(origin) * 2);
  table_.timers(client).turn = scheduler_.now();
  applications_.resume(client);
}

/// The endpoint's pod was replaced by a pod at `now` that has not received a packet yet.
void PodRestarts::renew_at(EndpointId first, const node::PodPlace& now) {
  const node::PodPlace before = place_of(first);
  const bool moves = now != before;
  if (moves) places_.move(first, before, now);
  for_each_connection(first, [&](EndpointId id) {
    table_.end(id).receive_core = Endpoint::kNoCore;
    if (table_.end(id).is_tcp) table_.socket(id).path_mtu = 0;
    if (moves) move(id, now);
  });
}

/// Moves an endpoint to another place. A datagram client sends to the new address from now on.
void PodRestarts::move(EndpointId id, const node::PodPlace& now) {
  if (border_.is_open()) throw NeedsOnePartition{"pods move"};
  Endpoint& end = table_.end(id);
  end.node = now.node;
  SocketAddresses socket = headers_[id];
  socket.address = now.address;
  headers_.set(id, socket);
  if (id % 2 == 1 && !end.is_tcp) churn_.redirect(id ^ 1, socket);
}

/// Sets the MTU of an endpoint's pod for its next connections.
void PodRestarts::give_mtu(EndpointId first) {
  const std::uint32_t mtu = mtu_of(state_of(first), headers_[first], table_.is_on_node(first));
  for_each_connection(first, [&](EndpointId id) {
    if (!table_.end(id).is_tcp || table_.socket(id).config()->mtu == mtu) return;
    auto config = std::make_shared<transport::TcpConfig>(*table_.socket(id).config());
    config->mtu = mtu;
    table_.socket(id).renew(config);
  });
}

}  // namespace overlane::run
