#include <tuple>

#include "sim/run/app/flows.h"

namespace overlane::run {

// What sockets and applications do with what arrives.

using model::TrafficKind;
using transport::Segment;

namespace {

/// Whether an ICMP error that a node has taken is about its tunnels' packets, and not about those
/// of a socket on its network.
bool is_for_node(const forward::Packet& packet, const SocketAddresses& socket) {
  return packet.icmp && (packet.icmp->quoted_destination != socket.peer ||
                         packet.icmp->quoted_source_port != socket.port);
}

}  // namespace

void Flows::arrive(PacketId id) {
  const Packet& packet = packets_[id];
  if (packet.kind == Packet::Kind::Packet) return deliver(id);
  const auto [sent_at, end, bytes] = std::tuple(packet.sent_at, packet.sender, packet.length);
  packets_.remove_read(id);
  finish_read(end, bytes, sent_at);
}

/// The application has read something, does what follows from that, and sleeps when that was all.
void Flows::finish_read(EndpointId id, std::int64_t bytes, Picos sent_at) {
  Endpoint& reader = end(id);
  if (reader.gone) {
    --reader.reads;
    return;
  }
  const std::uint32_t node = reader.node;
  const std::uint32_t core = application_core(reader);
  consume(id, reader, flow(id).group, bytes, sent_at);
  if (has_turn(id) && timers(id).turn <= scheduler_.now()) {
    timers(id).turn = transport::kNever;
    take_turn(id);
  }
  Endpoint& end = this->end(id);  // It may stand elsewhere now.
  if (end.is_tcp) pump(id);
  if (--end.reads == 0) path_.idle(node, core, cpu_.costs(end.node).sleep());
}

void Flows::deliver(PacketId id) {
  const Packet& packet = packets_[id];
  const Received received{packet.sent_at, packet.group, packet.length};
  const EndpointId receiver = packet.is_icmp ? packet.sender : packet.sender ^ 1;
  Endpoint& socket = end(receiver);
  // While the application is in a system call, what arrives waits for it in the socket's backlog
  // (sk_add_backlog), and it answers itself.
  socket.receive_core = cpu_.is_shared() && socket.reads > 0 ? socket.core : packet.core;
  if (!decisions_.is_settled(packet, socket.peer_version) && !accept(id, receiver)) return;
  if (packet.is_icmp) {
    const forward::Packet header = decisions_.header_shape(packet);
    packets_.deliver(id);
    return receive_icmp(header, receiver);
  }
  if (socket.is_tcp) {
    TcpSocket& tcp = this->tcp(receiver);
    const Segment segment = packets_.segment(id);
    if (segment.length > 0) tcp.heard_burst = packet.in_burst;
    if (segment.ack && tcp.listening()) return refuse(id, receiver);
    packets_.deliver(id);
    return receive_segment(received, segment, receiver);
  }
  if (socket.unread > kSocketBuffer) return packets_.drop(id, Drop::SocketBufferFull);
  packets_.deliver(id);
  receive_datagram(received, receiver, socket);
}

/// Whether a packet has come to its socket, and is whole; else it is finished or held.
bool Flows::accept(PacketId id, EndpointId receiver) {
  const Packet& packet = packets_[id];
  const forward::Packet& header = decisions_.header_shape(packets_[id]);
  Endpoint& socket = end(receiver);
  const SocketAddresses addresses = sockets_[receiver];
  if (packet.egress == forward::Egress::Host && is_for_node(header, addresses)) {
    packets_.deliver(id);
    return false;
  }
  if (socket.node != packet.node || addresses.address != header.inner.destination) {
    packets_.drop(id, Drop::NoSocket);
    return false;
  }
  if (socket.gone) {
    refuse(id, receiver);
    return false;
  }
  if (is_stray(id, receiver)) {
    packets_.deliver(id);
    return false;
  }
  if (header.inner.is_fragment() && !reassemble(id, receiver)) return false;
  if (!packet.is_icmp && header.inner.fragment_offset == 0) answer_to(receiver, header);
  decisions_.settle(packets_[id], socket.peer_version);
  return true;
}

/// What a socket sends goes where the last packet seemed to come from.
void Flows::answer_to(EndpointId id, const forward::Packet& packet) {
  SocketAddresses socket = sockets_[id];
  if (socket.peer == packet.inner.source && socket.peer_port == packet.source_port) return;
  socket.peer = packet.inner.source;
  socket.peer_port = packet.source_port;
  sockets_.set(id, socket);
  change_headers(id);
}

bool Flows::reassemble(PacketId id, EndpointId receiver) {
  const forward::IpFields header = decisions_.header(packets_[id]).inner;
  const node::ReassemblyKey key = reassembly_key(header);
  const std::uint32_t begin = header.fragment_offset;
  const node::Fragment fragment{
      .begin = begin, .end = begin + header.payload_bytes(), .last = !header.more_fragments};
  const node::Reassembled result = reassembly_[receiver].add(key, fragment, scheduler_.now());
  if (result.drop) {
    packets_.drop(id, *result.drop);
    return false;
  }
  if (!result.whole) {
    packets_.hold(HeldFragments::in_pod(receiver), key, id,
                  node::reassembly_timeout(key.destination.family()),
                  {EventKind::EndpointExpiry, receiver});
    return false;
  }
  packets_.held().complete(HeldFragments::in_pod(receiver), key);
  return true;
}

void Flows::expiry(EndpointId id) {
  packets_.held().expire(HeldFragments::in_pod(id), reassembly_[id].expire(scheduler_.now()));
}

void Flows::receive_icmp(const forward::Packet& packet, EndpointId id) {
  const auto& icmp = packet.icmp;
  // Other errors are soft (RFC 5461).
  if (!end(id).is_tcp || !icmp) return;
  if (!node::is_packet_too_big(*icmp, sockets_[id].address.family())) return;
  tcp(id).packet_too_big(icmp->next_hop_mtu);
  tcp(id).path_mtu = static_cast<std::uint16_t>(icmp->next_hop_mtu);
  pump(id);
}

void Flows::receive_datagram(Received packet, EndpointId id, Endpoint& end) {
  const TrafficGroup& group = traffic_[packet.group];
  std::int64_t payload = group.payload_bytes;
  if (group.over_udp) payload = id % 2 == 1 ? group.request_bytes : group.response_bytes;
  accounts_.arrived(packet.group, id, end.ip_header() + transport::kUdpHeader + payload, payload);
  end.unread += static_cast<std::int32_t>(payload + kSocketBufferOverhead);
  to_application(id, end, payload, packet);
}

void Flows::receive_segment(Received packet, const Segment& segment, EndpointId id) {
  Endpoint& end = this->end(id);
  TcpSocket& tcp = this->tcp(id);
  const Picos now = scheduler_.now();
  accounts_.arrived(packet.group, id, packet.length, segment.length);
  const bool had_failed = tcp.failed();
  const Picos round_trip = tcp.receive(segment, now);
  if (tcp.failed()) {
    if (had_failed) return;
    give_up(id);  // It was reset.
    return arm(id);
  }
  if (round_trip != transport::kNever && traffic_[packet.group].kind == TrafficKind::Tcp)
    accounts_.latency(packet.group, now, round_trip);
  const std::int64_t fresh = tcp.received() - tcp.consumed - end.unread;
  end.unread += static_cast<std::int32_t>(fresh);
  if (fresh > 0) to_application(id, end, fresh, packet);
  if (id % 2 == 0) write_first(id);
  if (tcp.is_at_end()) tcp.close();
  pump(id);
}

/// Wakes the application, which reads on its own core when that gets to it.
void Flows::to_application(EndpointId id, Endpoint& end, std::int64_t bytes, Received packet) {
  if (!cpu_.has_costs()) return consume(id, end, packet.group, bytes, packet.sent_at);
  const NodeCores& node = cpu_[end.node];
  const cost::PathCosts& costs = *node.costs;
  Picos time = costs.copy_receive() * bytes + service_time(id, false);
  // One call reads all of a stream that is there.
  if (!end.is_tcp || end.reads == 0) time += costs.system_call();
  // accept() comes before the first read of a connection that was opened for it.
  const bool accepts = id % 2 == 1 && end.is_tcp && tcp(id).received() == bytes;
  if (accepts && group(id).connections == Connections::PerRequest) time += costs.connection();
  const std::uint32_t core = end.application_core(node);
  if (end.reads++ == 0) {
    const Picos now = scheduler_.now();
    const bool is_idle = core != end.receive_core && node.cores[core].server.idle(now);
    time += costs.wake_up(is_idle);
    if (is_idle) node.occupy(end.receive_core, now, costs.wake_ipi());
  }
  cpu_.read(end.node, core, id, static_cast<std::uint32_t>(bytes), packet.sent_at, time);
}

void Flows::consume(EndpointId id, Endpoint& end, std::uint32_t group, std::int64_t bytes,
                    Picos sent_at) {
  const Picos now = scheduler_.now();
  accounts_.payload(group, id, bytes);
  end.has_read = true;
  if (!end.is_tcp) {
    end.unread -= static_cast<std::int32_t>(bytes + kSocketBufferOverhead);
    if (traffic_[group].over_udp) return serve_datagram(id);
    return accounts_.latency(group, now, now - sent_at);
  }
  end.unread -= static_cast<std::int32_t>(bytes);
  TcpSocket& tcp = this->tcp(id);
  tcp.read(bytes);
  tcp.consumed += bytes;
  switch (traffic_[group].kind) {
    case TrafficKind::Udp:
      break;
    case TrafficKind::Tcp:
      finish_transfer(id);
      break;
    case TrafficKind::RequestResponse:
      serve_requests(id);
      break;
  }
  if (tcp.is_at_end()) tcp.close();
}

void Flows::serve_requests(EndpointId id) {
  const TrafficGroup& group = this->group(id);
  Exchange& exchange = this->exchange(id);
  TcpSocket& tcp = this->tcp(id);
  if (id % 2 == 1) {
    for (; tcp.consumed >= (exchange.answered + 1) * group.request_bytes; ++exchange.answered)
      tcp.write(group.response_bytes);
    return;
  }
  if (tcp.consumed < exchange.turns * group.response_bytes) return;
  if (exchange.asking) finish_exchange(id);
}

/// A request, or its answer, has been read.
void Flows::serve_datagram(EndpointId id) {
  if (id % 2 == 1) return send_datagram(id, group(id).response_bytes);
  if (!exchange(id).asking) return;  // An answer that the client no longer waited for.
  finish_exchange(id);
  arm(id);
}

}  // namespace overlane::run
