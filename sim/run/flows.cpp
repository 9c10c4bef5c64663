#include "sim/run/flows.h"

#include <algorithm>
#include <utility>

#include "sim/transport/pacing.h"

namespace overlane::run {
namespace {

using model::TrafficKind;
using transport::Segment;

/// net.core.rmem_default and wmem_default, and what Linux charges a datagram besides its payload
/// (SKB_TRUESIZE).
constexpr std::int64_t kSocketBuffer = 212'992;
constexpr std::int64_t kSocketBufferOverhead = 576;

/// How late a sender's timer may fire. Without it, senders of equal rates would keep their order at
/// a full queue for good: one would get everything and the other nothing.
constexpr Picos kMostTimerJitter = microseconds(10);

/// When the flow's next datagram leaves, after the first: at the exact rate, each within its gap.
Picos paced_turn(Flow& flow, const TrafficGroup& group) {
  const Bytes payload{group.payload_bytes};
  const Picos gap = transport::paced_offset(1, payload, group.rate);
  const auto late = static_cast<std::uint64_t>(std::min(gap, kMostTimerJitter).count);
  const Picos jitter{late == 0 ? 0 : static_cast<std::int64_t>(flow.jitter.below(late))};
  return transport::paced_offset(flow.turns, payload, group.rate) + jitter;
}

}  // namespace

Flows::Flows(const std::vector<TrafficGroup>& traffic, std::vector<Flow> flows,
             core::Scheduler& scheduler, Accounts& accounts, Carrier& carrier)
    : traffic_(traffic),
      flows_(std::move(flows)),
      scheduler_(scheduler),
      accounts_(accounts),
      carrier_(carrier),
      first_station_(first_end_station(carrier.stations())) {}

void Flows::start() {
  for (EndId id = 0; id < flows_.size() * 2; id += 2) {
    end(id).turn = flow(id).start;
    arm(id);
  }
}

void Flows::states_changed() {
  for (Flow& flow : flows_)
    for (End& end : flow.ends)
      end.sample_next = true;
}

void Flows::timer(EndId id) {
  End& end = this->end(id);
  const Picos now = scheduler_.now();
  if (end.armed != now) return;  // Set again since, to an earlier time.
  end.armed.reset();
  if (end.turn && *end.turn <= now) {
    end.turn.reset();
    take_turn(id);
  }
  if (end.tcp) {
    end.tcp->expire(now);
    pump(id);
  }
  arm(id);
}

/// The client's application acts: a datagram, the start of a transfer, a request.
void Flows::take_turn(EndId id) {
  const TrafficGroup& group = this->group(id);
  Flow& flow = this->flow(id);
  End& end = this->end(id);
  const Picos now = scheduler_.now();
  if (group.kind == TrafficKind::Udp) {
    end.blocked = end.unsent_memory >= kSocketBuffer;
    if (end.blocked) return;  // sock_alloc_send_pskb waits; left_host() goes on.
    send_datagram(id);
    ++flow.turns;
    end.turn = std::max(flow.start + paced_turn(flow, group), sending_done(end));
    return;
  }
  if (flow.turns++ == 0) end.tcp->open(now);
  if (group.kind == TrafficKind::Tcp) {
    end.tcp->write(group.transfer.count == 0 ? transport::kEndless : group.transfer.count);
  } else {
    flow.request_at = now;
    end.tcp->write(group.request_bytes);
  }
}

/// The application sends by itself: it goes on when its core has done with what it sent.
Picos Flows::sending_done(const End& end) const {
  if (!carrier_.costs()) return {};
  const auto& cores = carrier_.stations()[end.node].cores;
  return cores[end.application_core(cores.size())].free_at();
}

void Flows::send_datagram(EndId id) {
  const TrafficGroup& group = this->group(id);
  const Segment datagram{.timestamp = scheduler_.now(), .length = group.payload_bytes};
  send(id, datagram, end(id).ip_header() + transport::kUdpHeader + group.payload_bytes,
       forward::kUdp, group.dont_fragment);
}

void Flows::send(EndId id, const Segment& segment, std::uint32_t ip_bytes, std::uint8_t protocol,
                 bool dont_fragment) {
  End& from = end(id);
  const std::size_t cores = carrier_.stations()[from.node].cores.size();
  const bool ipv4 = from.address.is_ipv4();
  Flight flight{
      .segment = segment, .sender = id, .node = from.node, .core = from.application_core(cores)};
  flight.packet.inner = {.source = from.address,
                         .destination = from.peer,
                         .identification = ipv4 ? from.identification++ : 0u,
                         .total_length = static_cast<std::uint32_t>(ip_bytes),
                         .dont_fragment = dont_fragment && ipv4,
                         .protocol = protocol};
  flight.packet.source_port = from.port;
  flight.packet.destination_port = from.peer_port;
  if (protocol == forward::kTcp) {
    flight.packet.tcp_flags = static_cast<std::uint8_t>((segment.syn ? node::kTrackedSyn : 0) |
                                                        (segment.ack ? node::kTrackedAck : 0));
  }
  flight.host_bytes = ip_bytes;
  if (!from.tcp) from.unsent_memory += ip_bytes + kSocketBufferOverhead;
  flight.skb_share = skb_share(id, segment);
  flight.sampled =
      std::exchange(from.sample_next, false) || carrier_.byte_check().samples(id, from.packets);
  ++from.packets;
  carrier_.send(flight);
}

/// How many packets share one socket buffer: see cost::CostProfile.
std::uint16_t Flows::skb_share(EndId id, const Segment& segment) const {
  if (!carrier_.costs() || group(id).kind != TrafficKind::Tcp) return 1;
  const std::int64_t most = carrier_.costs()->segments_per_skb();
  const transport::TcpConnection& tcp = *flows_[id / 2].ends[id % 2].tcp;
  if (segment.length == tcp.mss()) return static_cast<std::uint16_t>(most);
  if (segment.is_pure_ack()) return static_cast<std::uint16_t>(std::max<std::int64_t>(1, most / 2));
  return 1;
}

void Flows::deliver(FlightId id) {
  const Flight& flight = carrier_.flight(id);
  const EndId receiver = flight.is_icmp ? flight.sender : flight.sender ^ 1;
  End& socket = end(receiver);
  socket.receive_core = flight.core;
  if (socket.node != flight.node || socket.address != flight.packet.inner.destination)
    return carrier_.finish(id, Drop::NoSocket);
  if (flight.packet.inner.is_fragment() && !reassemble(id, receiver)) return;
  if (!flight.is_icmp && flow(receiver).unread_memory > kSocketBuffer)
    return carrier_.finish(id, Drop::SocketBufferFull);

  const Flight arrived = flight;
  carrier_.finish(id, std::nullopt);
  if (!arrived.is_icmp && arrived.packet.inner.fragment_offset == 0) {
    socket.peer = arrived.packet.inner.source;
    socket.peer_port = arrived.packet.source_port;
  }
  if (arrived.is_icmp) return receive_icmp(arrived, receiver);
  if (group(receiver).kind == TrafficKind::Udp) return receive_datagram(arrived, receiver);
  receive_segment(arrived, receiver);
}

bool Flows::reassemble(FlightId id, EndId receiver) {
  const forward::IpFields& header = carrier_.flight(id).packet.inner;
  const node::ReassemblyKey key = reassembly_key(header);
  const std::uint32_t begin = header.fragment_offset;
  const node::Piece piece{
      .begin = begin, .end = begin + header.payload_bytes(), .last = !header.more_fragments};
  const node::Reassembled result = reassembly_[receiver].add(key, piece, scheduler_.now());
  if (result.drop) {
    carrier_.finish(id, result.drop);
    return false;
  }
  if (!result.whole) {
    carrier_.hold_in_pod(id, receiver);
    return false;
  }
  carrier_.complete_in_pod(key, receiver);
  return true;
}

void Flows::expiry(EndId id) {
  carrier_.expire_in_pod(reassembly_[id].expire(scheduler_.now()), id);
}

void Flows::receive_icmp(const Flight& flight, EndId id) {
  End& end = this->end(id);
  const auto& icmp = flight.packet.icmp;
  // Fragmentation needed (RFC 1191), packet too big (RFC 8201). Other errors are soft (RFC 5461).
  if (!end.tcp || !icmp) return;
  const bool ipv4 = end.address.is_ipv4();
  if (icmp->type != (ipv4 ? 3 : 2) || icmp->code != (ipv4 ? 4 : 0)) return;
  end.tcp->packet_too_big(icmp->next_hop_mtu);
  pump(id);
}

void Flows::receive_datagram(const Flight& flight, EndId id) {
  const std::int64_t payload = flight.segment.length;
  accounts_.ip_bytes(flight.sender, scheduler_.now(),
                     end(id).ip_header() + transport::kUdpHeader + payload);
  flow(id).unread_memory += payload + kSocketBufferOverhead;
  to_application(id, {payload, flight.segment.timestamp}, flight);
}

void Flows::receive_segment(const Flight& flight, EndId id) {
  End& end = this->end(id);
  const Picos now = scheduler_.now();
  accounts_.ip_bytes(flight.sender, now, flight.packet.inner.total_length);
  const auto round_trip = end.tcp->receive(flight.segment, now);
  if (round_trip && group(id).kind == TrafficKind::Tcp) accounts_.latency(id, now, *round_trip);
  const std::int64_t fresh = end.tcp->received() - end.taken;
  end.taken += fresh;
  if (fresh > 0) to_application(id, {fresh, {}}, flight);
  pump(id);
}

/// Wakes the application, which reads on its own core when that gets to it.
void Flows::to_application(EndId id, const PendingRead& read, const Flight& flight) {
  if (!carrier_.costs()) return consume(id, read);
  End& end = this->end(id);
  auto& cores = carrier_.stations()[end.node].cores;
  const Picos time = cost::time_of(carrier_.costs()->socket(), read.bytes, flight.skb_share);
  end.last_read = std::max(
      end.last_read, cores[end.application_core(cores.size())].occupy(scheduler_.now(), time));
  end.reads.push_back(read);
  scheduler_.schedule(end.last_read, first_station_ + id,
                      static_cast<std::uint32_t>(EventKind::Read), id);
}

void Flows::read(EndId id) {
  End& end = this->end(id);
  const PendingRead read = end.reads.front();
  end.reads.pop_front();
  consume(id, read);
  if (end.tcp) pump(id);
}

void Flows::consume(EndId id, const PendingRead& read) {
  End& end = this->end(id);
  const Picos now = scheduler_.now();
  accounts_.payload(id ^ 1, now, read.bytes);
  end.consumed += read.bytes;
  if (!end.tcp) {
    flow(id).unread_memory -= read.bytes + kSocketBufferOverhead;
    return accounts_.latency(id, now, now - read.sent_at);
  }
  end.tcp->read(read.bytes);
  if (group(id).kind == TrafficKind::RequestResponse) serve_requests(id);
}

void Flows::serve_requests(EndId id) {
  const TrafficGroup& group = this->group(id);
  Flow& flow = this->flow(id);
  End& end = this->end(id);
  const Picos now = scheduler_.now();
  if (id % 2 == 1) {
    for (; end.consumed >= (flow.answered + 1) * group.request_bytes; ++flow.answered)
      end.tcp->write(group.response_bytes);
    return;
  }
  if (end.consumed < flow.turns * group.response_bytes) return;
  accounts_.latency(id, now, now - flow.request_at);
  end.turn = now + group.think_time;
}

void Flows::left_host(EndId id, std::uint32_t bytes) {
  End& end = this->end(id);
  if (end.tcp) {
    end.tcp->left_host(bytes);
    return pump(id);
  }
  end.unsent_memory -= bytes + kSocketBufferOverhead;
  // sock_writeable: a writer is woken when half of the buffer is free.
  if (!end.blocked || end.unsent_memory >= kSocketBuffer / 2) return;
  end.blocked = false;
  end.turn = scheduler_.now();
  arm(id);
}

/// Sends whatever the connection has to send.
void Flows::pump(EndId id) {
  transport::TcpConnection& tcp = *end(id).tcp;
  while (const auto segment = tcp.next(scheduler_.now()))
    send(id, *segment, segment->ip_bytes(), forward::kTcp, true);
  arm(id);
}

/// Makes sure that timer() is called in time for what the end waits for next.
void Flows::arm(EndId id) {
  End& end = this->end(id);
  std::optional<Picos> next = end.turn;
  if (end.tcp)
    if (const auto deadline = end.tcp->deadline())
      next = next ? std::min(*next, *deadline) : deadline;
  if (!next || (end.armed && *end.armed <= *next)) return;
  end.armed = std::max(*next, scheduler_.now());
  scheduler_.schedule(*end.armed, first_station_ + id, static_cast<std::uint32_t>(EventKind::Timer),
                      id);
}

}  // namespace overlane::run
