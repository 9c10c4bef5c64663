#include <utility>

#include "sim/run/app/flows.h"
#include "sim/run/path/border.h"

namespace overlane::run {

// Pods that end, with their node or alone, and pods that are made again.

void Flows::stop(const node::WorldChange& change, AffectedEndpoints& affected) {
  state_epoch_ = (state_epoch_ + 1) % 128;
  for (const std::uint32_t node : change.stopped)
    for (const EndpointId end : ends_on(node))
      stop(end, true, affected);
  for (const node::PodPlace& place : change.ended)
    for (const EndpointId end : ends_at(place))
      stop(end, false, affected);
  const auto come_back = [&](const std::vector<EndpointId>& ends) {
    affected.back.insert(affected.back.end(), ends.begin(), ends.end());
  };
  for (const auto& [before, now] : change.restarted) {
    const std::vector<EndpointId> ends = ends_at(before);
    for (const EndpointId end : ends) {
      stop(end, false, affected);
      renew_at(end, now);
    }
    come_back(ends);
  }
  for (const std::uint32_t node : change.started)
    come_back(ends_on(node));
}

/// What counts is where everything is by now: at one time a pod may come and go.
void Flows::start(AffectedEndpoints& affected) {
  for (const EndpointId end : affected.back)
    if (!border_.is_beyond(this->end(end).node) && is_there(end)) start(end, affected);
}

/// Whether the end's node runs and has its pod.
bool Flows::is_there(EndpointId first) const {
  const Endpoint& end = this->end(first);
  if (!path_.ports().runs(end.node)) return false;
  return is_on_node(first) || state_of(end).find_pod(sockets_[first].address) != nullptr;
}

void Flows::index_ends() {
  if (!places_.empty()) return;
  for (EndpointId id = 0; id < flow_count_ * 2; ++id)
    if (!border_.is_beyond(end(id).node)) places_.emplace(place_of(id), id);
}

std::vector<EndpointId> Flows::ends_at(const node::PodPlace& place) {
  index_ends();
  std::vector<EndpointId> ends;
  const auto [begin, end] = places_.equal_range(place);
  for (auto at = begin; at != end; ++at)
    if (!is_on_node(at->second)) ends.push_back(at->second);
  return ends;
}

std::vector<EndpointId> Flows::ends_on(std::uint32_t node) {
  index_ends();
  std::vector<EndpointId> ends;
  for (auto at = places_.lower_bound({node, {}}); at != places_.end() && at->first.node == node;
       ++at)
    ends.push_back(at->second);
  return ends;
}

/// The end's sockets are gone, of all its connections; `first` is that of the first.
void Flows::stop(EndpointId first, bool with_node, AffectedEndpoints& affected) {
  const std::uint32_t side = first % 2;
  if (end(first).away) return;
  end(first).away = true;
  std::uint32_t flow = first / 2;
  bool has_sent = false;
  bool has_heard = false;
  do {
    const EndpointId id = flow * 2 + side;
    Endpoint& end = this->end(id);
    has_sent |= end.packets > 0;
    has_heard |= this->end(id ^ 1).packets > 0;
    end.blocked = false;
    lose_socket(id);
    if (with_node) {  // What the core was to read is gone.
      end.reads = 0;
      end.unread = 0;
    }
    if (reassembly_.erase(id) > 0)
      packets_.held().give_up(HeldFragments::in_pod(id), Drop::NodeGone);
    flow = next_in_circle(flow);
  } while (flow != first / 2);
  if (has_sent) affected.silenced.push_back(first ^ 1);
  if (has_heard) affected.silenced.push_back(first);
}

/// The end's pod is made again: its application starts from the beginning. A client's connections
/// were lost with it; a server's are refused when the client next uses them.
void Flows::start(EndpointId first, AffectedEndpoints& affected) {
  const std::uint32_t origin = first / 2;
  if (!end(first).away) return;
  end(first).away = false;
  give_mtu(first);
  affected.heard.push_back(first);
  affected.heard.push_back(first ^ 1);
  if (first % 2 == 0) return start_application(origin);
  std::uint32_t flow = origin;
  do {
    const TcpSocket* const tcp = tcp_of(flow * 2);
    if (tcp == nullptr || !tcp->established()) end(flow * 2 + 1).gone = false;
    flow = next_in_circle(flow);
  } while (flow != origin);
}

void Flows::start_application(std::uint32_t origin) {
  if (!flows_[origin].client.is_tcp) {
    Flow& flow = flows_[origin];
    flow.client.gone = false;
    flow.times = times_[flow.group].begin(scheduler_.now(), flow.random);
    flow.timers.turn = scheduler_.now();
    return arm(origin * 2);
  }
  const std::uint32_t newest = exchanges_[origin].newest;
  const EndpointId client = begin_next_connection(newest, next_port(newest));
  timers(client).turn = scheduler_.now();
  arm(client);
}

/// The pod is another, which knows no packets yet; `first` is the end of the first connection.
void Flows::renew_at(EndpointId first, const node::PodPlace& now) {
  const bool moves = now != place_of(first);
  if (moves) move_place(first, now);
  std::uint32_t flow = first / 2;
  do {
    const EndpointId id = flow * 2 + first % 2;
    end(id).receive_core = Endpoint::kNoCore;
    if (end(id).is_tcp) tcp(id).path_mtu = 0;
    if (moves) move(id, now);
    flow = next_in_circle(flow);
  } while (flow != first / 2);
}

/// In places_.
void Flows::move_place(EndpointId first, const node::PodPlace& now) {
  const auto [begin, end_of_range] = places_.equal_range(place_of(first));
  for (auto at = begin; at != end_of_range; ++at)
    if (at->second == first) {
      places_.erase(at);
      break;
    }
  places_.emplace(now, first);
}

/// The end is at another place from now on, and the other end's application knows it.
void Flows::move(EndpointId id, const node::PodPlace& now) {
  if (border_.is_open()) throw NeedsOnePartition{"pods move"};
  Endpoint& end = this->end(id);
  end.node = now.node;
  SocketAddresses socket = sockets_[id];
  socket.address = now.address;
  sockets_.set(id, socket);
  if (id % 2 == 1 && !end.is_tcp) send_to(socket, id ^ 1);
}

/// The client's next datagrams go to `server`.
void Flows::send_to(const SocketAddresses& server, EndpointId client) {
  const node::Endpoint asked = asked_by(group(client), fronts_, flow(client), server);
  SocketAddresses socket = sockets_[client];
  socket.peer = asked.address;
  socket.peer_port = asked.port;
  sockets_.set(client, socket);
  change_headers(client);
}

/// The connections that the end will have know its pod's MTU; `first` is that of the first.
void Flows::give_mtu(EndpointId first) {
  const std::uint32_t mtu = mtu_of(state_of(end(first)), sockets_[first], is_on_node(first));
  std::uint32_t flow = first / 2;
  do {
    const EndpointId id = flow * 2 + first % 2;
    if (end(id).is_tcp && tcp(id).config()->mtu != mtu) {
      auto config = std::make_shared<transport::TcpConfig>(*tcp(id).config());
      config->mtu = mtu;
      tcp(id).renew(config);
    }
    flow = next_in_circle(flow);
  } while (flow != first / 2);
}

/// A segment of a connection that the pod, made again, knows nothing of: it is reset.
void Flows::refuse(PacketId id, EndpointId receiver) {
  const bool is_segment = packets_[id].is_tcp && !packets_[id].is_icmp;
  const transport::Segment segment = packets_.segment(id);
  packets_.deliver(id);
  if (!is_segment || segment.rst) return;
  const transport::Segment reset{
      .sequence = segment.acknowledges, .ip_header = end(receiver).ip_header(), .rst = true};
  send(receiver, &reset, reset.ip_bytes(), true);
}

}  // namespace overlane::run
