#include "sim/run/app/socket_sender.h"

#include "sim/run/path/receive_queues.h"

namespace overlane::run {
namespace {

using model::TrafficKind;
using transport::Segment;

/// Bytes of the send buffer that a packet occupies until it leaves the host.
std::int32_t charge(std::uint32_t ip_bytes, bool is_stream) {
  return static_cast<std::int32_t>(ip_bytes) + (is_stream ? 0 : kSocketBufferOverhead);
}

}  // namespace

SocketSender::SocketSender(FlowTable& table, SocketHeaders& headers, EndpointTimers& timers,
                           ApplicationCpu& cpu, PacketPath& path, const core::Scheduler& scheduler)
    : table_(table),
      headers_(headers),
      timers_(timers),
      cpu_(cpu),
      path_(path),
      scheduler_(scheduler),
      turns_(path.network().machines.empty() ? 1 : path.network().machines.front().cores) {}

/// `segment` is null for a datagram. Inlined into each caller, where that is known: most branches
/// depend on it.
[[gnu::always_inline]] inline void SocketSender::send(EndpointId id, const Segment* segment,
                                                      std::uint32_t ip_bytes, bool dont_fragment,
                                                      cost::Arrival arrival) {
  Flow& flow = table_.flow_of(id);
  Endpoint& from = table_.end(id);
  if (path_.is_large()) {
    path_.prefetch_sender(from.node);
    core::prefetch(&table_.end(id ^ 1));
  }
  const bool ipv4 = from.is_ipv4;
  const std::uint16_t core = cpu_.sending_core(from, segment);
  const std::uint16_t identification = ipv4 ? from.next_identification() : std::uint16_t{0};
  from.unsent_memory += charge(ip_bytes, segment != nullptr);
  if (cpu_.has_costs()) cpu_.pay_for_message(id, from, segment, core);
  const ByteCheck& check = path_.decisions().byte_check();
  const bool opens_flow = from.packets == 0 && table_.origin_of(id / 2) == id / 2;
  const bool sampled = check.samples(id, from.packets) || (opens_flow && check.samples_first(id));
  const std::uint8_t epoch = headers_.state_epoch();
  const bool is_checked = from.state_epoch != epoch && check.samples_first(id);
  if (from.state_epoch != epoch) from.state_epoch = epoch & 0x7f;
  ++from.packets;
  const PacketId packet_id = path_.packets().add_made(flow.group, [&] {
    return Packet{.sent_at = scheduler_.now(),
                  .sender = id,
                  .node = from.node,
                  .length = ip_bytes,
                  .host_bytes = ip_bytes,
                  .group = flow.group,
                  .core = core,
                  .identification = identification,
                  .kind = Packet::Kind::Packet,
                  .sampled = sampled,
                  .is_tcp = segment != nullptr,
                  .shares_buffer = arrival == cost::Arrival::SharesBuffer,
                  .in_burst = arrival == cost::Arrival::InBurst,
                  .checked_if_asked = is_checked};
  });
  const std::uint8_t flags = segment == nullptr ? std::uint8_t{0} : tracked_flags(*segment);
  path_.send(packet_id, segment, segment == nullptr || flags == node::kTrackedAck, [&] {
    const SocketAddresses socket = headers_[id];
    forward::Packet header;
    header.inner = {.source = socket.address,
                    .destination = socket.peer,
                    .identification = identification,
                    .total_length = ip_bytes,
                    .dont_fragment = dont_fragment && ipv4,
                    .protocol = segment == nullptr ? forward::kUdp : forward::kTcp};
    header.source_port = socket.port;
    header.destination_port = socket.peer_port;
    header.tcp_flags = flags;
    return header;
  });
}

/// Bytes still charged to the send buffer of a UDP socket.
std::int32_t SocketSender::held(EndpointId id, const Endpoint& end) const {
  // Even with one more packet of 65,535 bytes, the buffer would be less than half full.
  if (end.unsent_memory < kSocketBuffer / 8) return end.unsent_memory;
  const std::uint32_t on_wire = path_.nics().on_wire(end.node, id);
  return end.unsent_memory + (on_wire > 0 ? charge(on_wire, false) : 0);
}

bool SocketSender::blocks(EndpointId id) {
  Endpoint& end = table_.end(id);
  end.blocked = held(id, end) >= kSocketBuffer;
  return end.blocked;
}

void SocketSender::send_datagram(EndpointId id, std::uint32_t payload) {
  Endpoint& end = table_.end(id);
  const std::uint32_t ip_bytes = end.ip_header() + transport::kUdpHeader + payload;
  send(id, nullptr, ip_bytes, table_.group_of(id).dont_fragment);
  // Most datagrams leave their host at once.
  if (path_.packets().takes_back_departure({id, ip_bytes}))
    end.unsent_memory -= charge(ip_bytes, false);
}

void SocketSender::refuse(EndpointId id, const Segment& segment) {
  if (segment.rst) return;
  const Segment reset{
      .sequence = segment.acknowledges, .ip_header = table_.end(id).ip_header(), .rst = true};
  send(id, &reset, reset.ip_bytes(), true);
}

/// Returns room to TCP small queues. The NIC frees a buffer of many segments when it has sent all
/// of them, so room returns in whole buffers. The last buffer in the host is freed in any case.
void SocketSender::give_back(EndpointId id) {
  const Endpoint& end = table_.end(id);
  TcpSocket& tcp = table_.socket(id);
  const std::int64_t left = tcp.in_host() - end.unsent_memory;
  const bool whole = left + tcp.mss() > kMaxBufferPayload || end.unsent_memory == 0;
  if (whole || !path_.network().machines[end.node].offloads.gso) tcp.left_host(left);
}

void SocketSender::left_host(EndpointId id, std::uint32_t bytes) {
  Endpoint& end = table_.end(id);
  end.unsent_memory -= charge(bytes, end.is_tcp);
  if (end.gone) return;
  if (end.is_tcp) {
    give_back(id);
    return pump(id);
  }
  // sock_writeable: a writer is woken when half of the buffer is free.
  if (!end.blocked || held(id, end) >= kSocketBuffer / 2) return;
  end.blocked = false;
  table_.timers(id).turn = scheduler_.now();
  timers_.arm(id);
}

void SocketSender::pump(EndpointId id) {
  Endpoint& end = table_.end(id);
  TcpSocket& tcp = table_.socket(id);
  const Picos now = scheduler_.now();
  const bool waits = cpu_.has_costs();
  bool core_ready = !waits || tcp.sending_until <= now;
  const bool has_turns = waits && cpu_.is_shared() && table_.group_of(id).kind == TrafficKind::Tcp;
  if (has_turns && core_ready && tcp.has_data() && !turns_.take(end.core, id, now)) {
    core_ready = false;
    tcp.sending_until = turns_.ends(end.core, now);
  }
  SegmentTrain train(waits || path_.network().machines[end.node].offloads.gso);
  while (const auto segment = tcp.next(now, core_ready)) {
    cost::Arrival arrival = cost::Arrival::Alone;
    if (train.takes(*segment, tcp.mss()))
      arrival = cost::Arrival::SharesBuffer;
    else if (segment->length == 0 && tcp.heard_burst)
      arrival = cost::Arrival::InBurst;
    send(id, &*segment, segment->ip_bytes(), true, arrival);
    if (waits && segment->length > 0) {
      tcp.sending_until = cpu_.sending_done(end);
      core_ready = train.has_room(tcp.mss());
    }
  }
  tcp.waits_for_core = !core_ready && tcp.has_data();
  timers_.arm(id);
  // No segment of the connection is left on the host: it waits for the peer's acknowledgement.
  if (has_turns && core_ready && tcp.in_host() == 0) hand_over(id);
}

/// The application sleeps: the next application on its core may send.
void SocketSender::hand_over(EndpointId id) {
  const EndpointId next = turns_.give_up(table_.end(id).core, id, scheduler_.now());
  if (next == kNone || !table_.end(next).is_tcp) return;
  table_.socket(next).sending_until = scheduler_.now();
  timers_.arm(next);
}

}  // namespace overlane::run
