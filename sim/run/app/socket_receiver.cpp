#include "sim/run/app/socket_receiver.h"

namespace overlane::run {

bool PodReassembly::add(PacketId id, EndpointId receiver) {
  Packets& packets = path_.packets();
  const forward::IpFields header = path_.decisions().header(packets[id]).inner;
  const node::ReassemblyKey key = reassembly_key(header);
  const std::uint32_t begin = header.fragment_offset;
  const node::Fragment fragment{
      .begin = begin, .end = begin + header.payload_bytes(), .last = !header.more_fragments};
  const node::Reassembled result = tables_[receiver].add(key, fragment, path_.packets().now());
  if (result.drop) {
    packets.drop(id, *result.drop);
    return false;
  }
  if (!result.whole) {
    packets.hold(HeldFragments::in_pod(receiver), key, id,
                 node::reassembly_timeout(key.destination.family()),
                 {EventKind::EndpointExpiry, receiver});
    return false;
  }
  packets.held().complete(HeldFragments::in_pod(receiver), key);
  return true;
}

void PodReassembly::expire(EndpointId receiver) {
  path_.packets().held().expire(HeldFragments::in_pod(receiver),
                                tables_[receiver].expire(path_.packets().now()));
}

void PodReassembly::stop(EndpointId receiver) {
  if (tables_.erase(receiver) > 0)
    path_.packets().held().give_up(HeldFragments::in_pod(receiver), Drop::NodeGone);
}

using model::TrafficKind;
using transport::Segment;

namespace {

/// Whether an ICMP error that a node has received is about a packet of the node's tunnels, and not
/// about a packet of the socket on the node's network.
bool is_for_node(const forward::Packet& packet, const SocketAddresses& socket) {
  return packet.icmp && (packet.icmp->quoted_destination != socket.peer ||
                         packet.icmp->quoted_source_port != socket.port);
}

}  // namespace

void SocketReceiver::receive(PacketId id) {
  Packets& packets = path_.packets();
  const Packet& packet = packets[id];
  const Received received{packet.sent_at, packet.group, packet.length};
  const EndpointId receiver = packet.is_icmp ? packet.sender : packet.sender ^ 1;
  Endpoint& socket = table_.end(receiver);
  // While the application is in a system call, packets wait in the socket's backlog
  // (sk_add_backlog), and the application's core acknowledges them.
  socket.receive_core = path_.cpu().is_shared() && socket.reads > 0 ? socket.core : packet.core;
  if (!path_.decisions().is_settled(packet, socket.peer_version) && !accept(id, receiver)) return;
  if (packet.is_icmp) {
    const forward::Packet header = path_.decisions().header_shape(packet);
    packets.deliver(id);
    return receive_icmp(header, receiver);
  }
  if (socket.is_tcp) {
    TcpSocket& tcp = table_.socket(receiver);
    const Segment segment = packets.segment(id);
    if (segment.length > 0) tcp.heard_burst = packet.in_burst;
    if (segment.ack && tcp.listening()) return refuse(id, receiver);
    packets.deliver(id);
    return receive_segment(received, segment, receiver);
  }
  if (socket.unread > kSocketBuffer) return packets.drop(id, Drop::SocketBufferFull);
  packets.deliver(id);
  receive_datagram(received, receiver, socket);
}

/// Returns whether the packet matches its socket and is complete; otherwise the packet is
/// delivered, dropped or held.
bool SocketReceiver::accept(PacketId id, EndpointId receiver) {
  Packets& packets = path_.packets();
  const Packet& packet = packets[id];
  const forward::Packet& header = path_.decisions().header_shape(packet);
  Endpoint& socket = table_.end(receiver);
  const SocketAddresses addresses = headers_[receiver];
  if (packet.egress == forward::Egress::Host && is_for_node(header, addresses)) {
    packets.deliver(id);
    return false;
  }
  if (socket.node != packet.node || addresses.address != header.inner.destination) {
    packets.drop(id, Drop::NoSocket);
    return false;
  }
  if (socket.gone) {
    refuse(id, receiver);
    return false;
  }
  if (is_stray(id, receiver)) {
    packets.deliver(id);
    return false;
  }
  if (header.inner.is_fragment() && !reassembly_.add(id, receiver)) return false;
  if (!packet.is_icmp && header.inner.fragment_offset == 0) {
    // The socket answers to the source address that the last packet shows.
    if (addresses.peer != header.inner.source || addresses.peer_port != header.source_port)
      headers_.set_peer(receiver, header.inner.source, header.source_port);
  }
  path_.decisions().settle(packet, socket.peer_version);
  return true;
}

/// Whether a packet belongs to an earlier connection, whose socket is closed. The source port of a
/// SYN may differ from the client's port: SNAT on the path changes it when two connections would
/// collide.
bool SocketReceiver::is_stray(PacketId id, EndpointId receiver) const {
  const Packet& packet = path_.packets()[id];
  const SocketAddresses socket = headers_[receiver];
  const forward::Packet& header = path_.decisions().header_shape(packet);
  if (!packet.is_tcp || packet.is_icmp || header.inner.is_fragment()) return false;
  if (header.destination_port != socket.port) return true;
  const bool opens = (header.tcp_flags & node::kTrackedSyn) != 0;
  return receiver % 2 == 1 && !opens && header.source_port != socket.peer_port;
}

/// Resets the connection of a segment for which the socket has no state because its pod has
/// restarted. Ignores other packets.
void SocketReceiver::refuse(PacketId id, EndpointId receiver) {
  Packets& packets = path_.packets();
  const bool is_segment = packets[id].is_tcp && !packets[id].is_icmp;
  const Segment segment = packets.segment(id);
  packets.deliver(id);
  if (is_segment) sender_.refuse(receiver, segment);
}

void SocketReceiver::receive_icmp(const forward::Packet& packet, EndpointId id) {
  const auto& icmp = packet.icmp;
  // Other errors are soft (RFC 5461).
  if (!table_.end(id).is_tcp || !icmp) return;
  if (!node::is_packet_too_big(*icmp, headers_[id].address.family())) return;
  TcpSocket& tcp = table_.socket(id);
  tcp.packet_too_big(icmp->next_hop_mtu);
  tcp.path_mtu = static_cast<std::uint16_t>(icmp->next_hop_mtu);
  sender_.pump(id);
}

void SocketReceiver::receive_datagram(Received packet, EndpointId id, Endpoint& end) {
  const TrafficGroup& group = table_.traffic[packet.group];
  std::int64_t payload = group.payload_bytes;
  if (group.over_udp) payload = id % 2 == 1 ? group.request_bytes : group.response_bytes;
  accounts_.arrived(packet.group, id, end.ip_header() + transport::kUdpHeader + payload, payload);
  end.unread += static_cast<std::int32_t>(payload + kSocketBufferOverhead);
  applications_.wake(id, end, packet.group, payload, packet.sent_at);
}

void SocketReceiver::receive_segment(Received packet, const Segment& segment, EndpointId id) {
  Endpoint& end = table_.end(id);
  TcpSocket& tcp = table_.socket(id);
  const Picos now = path_.packets().now();
  accounts_.arrived(packet.group, id, packet.length, segment.length);
  const bool had_failed = tcp.failed();
  const Picos round_trip = tcp.receive(segment, now);
  if (tcp.failed()) {
    if (had_failed) return;
    exchanges_.give_up(id);  // The peer has reset the connection.
    return applications_.resume(id);
  }
  if (round_trip != transport::kNever && table_.traffic[packet.group].kind == TrafficKind::Tcp)
    accounts_.latency(packet.group, now, round_trip);
  const std::int64_t fresh = tcp.received() - tcp.consumed - end.unread;
  end.unread += static_cast<std::int32_t>(fresh);
  if (fresh > 0) applications_.wake(id, end, packet.group, fresh, packet.sent_at);
  if (id % 2 == 0) exchanges_.write_first(id);
  if (tcp.is_at_end()) tcp.close();
  sender_.pump(id);
}

}  // namespace overlane::run
