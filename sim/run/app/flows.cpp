#include "sim/run/app/flows.h"

#include <algorithm>
#include <utility>

#include "sim/run/app/flow.h"
#include "sim/run/path/receive_batch.h"

namespace overlane::run {
namespace {

using model::TrafficKind;
using transport::kNever;
using transport::Segment;

/// What a packet takes of its socket's memory until it leaves the host.
std::int32_t charge(std::uint32_t ip_bytes, bool is_stream) {
  return static_cast<std::int32_t>(ip_bytes) + (is_stream ? 0 : kSocketBufferOverhead);
}

}  // namespace

Flows::Flows(const std::vector<TrafficGroup>& traffic, FlowTable& table, SocketTable sockets,
             Picos datagrams_end, core::Scheduler& scheduler, Accounts& accounts, PacketPath& path,
             const Border& border)
    : traffic_(traffic),
      table_(table),
      flows_(table.flows),
      exchanges_(table.exchanges),
      sockets_(std::move(sockets)),
      flow_count_(flows_.size()),
      datagrams_end_(datagrams_end),
      scheduler_(scheduler),
      accounts_(accounts),
      path_(path),
      border_(border),
      packets_(path.packets()),
      decisions_(path.decisions()),
      cpu_(path.cpu()),
      ports_(table.ports),
      fronts_(path.network()),
      turns_(path.network().machines.empty() ? 1 : path.network().machines.front().cores) {
  for (const TrafficGroup& group : traffic)
    times_.emplace_back(group);
}

void Flows::start() {
  for (EndpointId id = 0; id < flows_.size() * 2; id += 2) {
    if (border_.is_beyond(end(id).node)) continue;
    flow(id).times = times_[flow(id).group].begin(timers(id).turn, flow(id).random);
    arm(id);
  }
  AffectedEndpoints ignored;
  for (EndpointId id = 0; id < flow_count_ * 2; ++id)
    if (!border_.is_beyond(end(id).node) && !path_.ports().runs(end(id).node))
      stop(id, true, ignored);
}

std::int64_t Flows::sent_by_nodes() const {
  std::int64_t packets = 0;
  for (EndpointId id = 0; id < flows_.size() * 2; ++id)
    if (is_on_node(id)) packets += end(id).packets;
  return packets;
}

std::vector<std::int64_t> Flows::datagrams_by_group() const {
  std::vector<std::int64_t> datagrams(traffic_.size());
  for (const Flow& flow : flows_) {
    if (traffic_[flow.group].kind == TrafficKind::Udp) datagrams[flow.group] += flow.client.packets;
  }
  return datagrams;
}

void Flows::timer(EndpointId id) {
  const Picos now = scheduler_.now();
  Timers& timers = this->timers(id);
  if (timers.armed != now) {  // Set again since, to an earlier time.
    if (timers.spare == now) timers.spare = kNever;
    return;
  }
  timers.armed = kNever;
  if (timers.turn <= now) {
    timers.turn = kNever;
    take_turn(id);
  }
  if (!end(id).is_tcp) return arm(id);
  TcpSocket& tcp = this->tcp(id);
  const bool had_failed = tcp.failed();
  tcp.expire(now);
  if (!had_failed && tcp.failed()) give_up(id);
  pump(id);  // It arms, too.
}

/// The client's application acts: a datagram, the start of a transfer, a request.
void Flows::take_turn(EndpointId id) {
  Flow& flow = this->flow(id);
  const TrafficGroup& group = traffic_[flow.group];
  if (group.kind != TrafficKind::Udp) return ask(id);
  if (scheduler_.now() >= datagrams_end_) return;
  Endpoint& end = this->end(id);
  end.blocked = held(id, end) >= kSocketBuffer;
  if (end.blocked) return;  // sock_alloc_send_pskb waits; left_host() goes on.
  send_datagram(id, group.payload_bytes);
  const Picos next = times_[flow.group].next(flow.times, flow.random);
  timers(id).turn = std::max(next, sending_done(end));
}

std::int32_t Flows::held(EndpointId id, const Endpoint& end) const {
  // With a packet of 65,535 bytes that is still less than anybody asks for.
  if (end.unsent_memory < kSocketBuffer / 8) return end.unsent_memory;
  const std::uint32_t on_wire = path_.host_send().on_wire(end.node, id);
  return end.unsent_memory + (on_wire > 0 ? charge(on_wire, false) : 0);
}

/// The application sends by itself: it goes on when its core has done with what it sent.
Picos Flows::sending_done(const Endpoint& end) const {
  if (!cpu_.has_costs()) return {};
  return cpu_[end.node].cores[application_core(end)].server.free_at();
}

/// Applications send on their own core, the kernel acknowledges on the one that receives.
std::uint16_t Flows::sending_core(const Endpoint& end, const Segment* segment) const {
  const bool receives = end.receive_core != Endpoint::kNoCore;
  if (segment != nullptr && (segment->is_pure_ack() || segment->rst) && receives)
    return end.receive_core;
  return static_cast<std::uint16_t>(application_core(end));
}

/// What a packet of a client costs because it goes to a Service: one in the middle of them all.
Picos Flows::service_time(EndpointId id, bool is_new) const {
  if (id % 2 == 1 || !group(id).to_service) return {};
  const cost::PathCosts& costs = costs_at(id);
  const cost::Services& services = path_.network().services;
  const Picos translation = costs.translation(services.routing);
  if (!is_new) return translation;
  return translation + costs.new_connection(services.routing, services.count / 2);
}

/// CPU time before a packet is sent: one system call per datagram or message (none per segment of a
/// stream), and the translation of a Service's address.
void Flows::pay_for_message(EndpointId id, const Endpoint& from, const Segment* segment,
                            std::uint16_t core) {
  const NodeCores& node = cpu_[from.node];
  Picos time = service_time(id, segment == nullptr ? from.packets == 0 : segment->syn);
  const bool is_message =
      segment == nullptr || (segment->length > 0 && group(id).kind != TrafficKind::Tcp);
  if (is_message) time += node.costs->system_call();
  if (time.count > 0) node.occupy(core, scheduler_.now(), time);
}

/// `segment` is null for a datagram. In place of each call: most of it is decided by that alone.
[[gnu::always_inline]] inline void Flows::send(EndpointId id, const Segment* segment,
                                               std::uint32_t ip_bytes, bool dont_fragment,
                                               cost::Arrival arrival) {
  Flow& flow = this->flow(id);
  Endpoint& from = end(id);
  if (path_.is_large()) {
    path_.prefetch_sender(from.node);
    prefetch_receiver(id);
  }
  const bool ipv4 = from.is_ipv4;
  const std::uint16_t core = sending_core(from, segment);
  const std::uint16_t identification = ipv4 ? from.next_identification() : std::uint16_t{0};
  from.unsent_memory += charge(ip_bytes, segment != nullptr);
  if (cpu_.has_costs()) pay_for_message(id, from, segment, core);
  const ByteCheck& check = decisions_.byte_check();
  const bool opens_flow = from.packets == 0 && origin_of(id / 2) == id / 2;
  const bool sampled = check.samples(id, from.packets) || (opens_flow && check.samples_first(id));
  const bool is_checked = from.state_epoch != state_epoch_ && check.samples_first(id);
  if (from.state_epoch != state_epoch_) from.state_epoch = state_epoch_ & 0x7f;
  ++from.packets;
  const PacketId packet_id = packets_.add_made(flow.group, [&] {
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
    const SocketAddresses socket = sockets_[id];
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

void Flows::send_datagram(EndpointId id, std::uint32_t payload) {
  Endpoint& end = this->end(id);
  const std::uint32_t ip_bytes = end.ip_header() + transport::kUdpHeader + payload;
  send(id, nullptr, ip_bytes, group(id).dont_fragment);
  // As mostly, it has left its host at once.
  if (packets_.takes_back_departure({id, ip_bytes})) end.unsent_memory -= charge(ip_bytes, false);
}

/// The NIC gives back a buffer of many segments when all of them are sent: small queues have room
/// for a whole one then. What is the last in its host is given back in any case.
void Flows::give_back(EndpointId id) {
  const Endpoint& end = this->end(id);
  TcpSocket& tcp = this->tcp(id);
  const std::int64_t left = tcp.in_host() - end.unsent_memory;
  const bool whole = left + tcp.mss() > kMaxBufferPayload || end.unsent_memory == 0;
  if (whole || !path_.network().machines[end.node].offloads.gso) tcp.left_host(left);
}

void Flows::left_host(EndpointId id, std::uint32_t bytes) {
  Endpoint& end = this->end(id);
  end.unsent_memory -= charge(bytes, end.is_tcp);
  if (end.gone) return;
  if (end.is_tcp) {
    give_back(id);
    return pump(id);
  }
  // sock_writeable: a writer is woken when half of the buffer is free.
  if (!end.blocked || held(id, end) >= kSocketBuffer / 2) return;
  end.blocked = false;
  timers(id).turn = scheduler_.now();
  arm(id);
}

/// Sends what the connection has to send and the core has time for: one buffer after the other,
/// each with what has become ready to go while the core was busy with the one before.
void Flows::pump(EndpointId id) {
  Endpoint& end = this->end(id);
  TcpSocket& tcp = this->tcp(id);
  const Picos now = scheduler_.now();
  const bool waits = cpu_.has_costs();
  bool core_ready = !waits || tcp.sending_until <= now;
  const bool has_turns = waits && cpu_.is_shared() && group(id).kind == TrafficKind::Tcp;
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
      tcp.sending_until = sending_done(end);
      core_ready = train.has_room(tcp.mss());
    }
  }
  tcp.waits_for_core = !core_ready && tcp.has_data();
  arm(id);
  // Nothing of it is left on the host, so the peer has to answer first.
  if (has_turns && core_ready && tcp.in_host() == 0) hand_over(id);
}

/// The application sleeps: the next one that shares its core may send.
void Flows::hand_over(EndpointId id) {
  const EndpointId next = turns_.give_up(end(id).core, id, scheduler_.now());
  if (next == kNone || !end(next).is_tcp) return;
  tcp(next).sending_until = scheduler_.now();
  arm(next);
}

/// Makes sure that timer() is called in time for what the end waits for next.
void Flows::arm(EndpointId id) {
  Timers& timers = this->timers(id);
  Picos next = timers.turn;
  if (end(id).is_tcp) {
    const TcpSocket& tcp = this->tcp(id);
    next = std::min(next, tcp.deadline());
    if (tcp.waits_for_core) next = std::min(next, tcp.sending_until);
  }
  if (timers.armed <= next) return;
  const Picos put_off = std::exchange(timers.armed, std::max(next, scheduler_.now()));
  // An event that was put off before will do: too early, it sets another.
  if (timers.spare <= timers.armed) {
    timers.armed = std::exchange(timers.spare, kNever);
  } else {
    scheduler_.schedule(timers.armed, StationEvent{EventKind::Timer, id}.packed());
  }
  // Keep the later of two superfluous Timer events: the earlier expires first.
  if (put_off != kNever && (timers.spare == kNever || timers.spare < put_off))
    timers.spare = put_off;
}

}  // namespace overlane::run
