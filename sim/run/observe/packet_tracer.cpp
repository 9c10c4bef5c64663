#include "sim/run/observe/packet_tracer.h"

#include <algorithm>

#include "sim/run/app/flows.h"
#include "sim/run/path/carrier.h"

namespace overlane::run {

PacketTracer::PacketTracer(const TraceOptions& options, const core::Scheduler& scheduler,
                           const Flows& flows, Carrier& carrier)
    : options_(options), scheduler_(scheduler), flows_(flows), carrier_(carrier) {}

bool PacketTracer::follows(EndId end) const {
  const Flow& flow = flows_.flow_of(end);
  return options_.follows(flow.group, flow.number);
}

void PacketTracer::before(const core::Event& event) {
  const What what = What::of(event);
  const auto& stations = carrier_.stations();
  switch (what.kind) {
    case EventKind::CoreDone: {
      const PacketId id = carrier_.due(stations[what.subject].cores[what.part].pipe);
      if (id == kNone) return;
      return carrier_.flight(id).kind == PacketInFlight::Kind::Read ? see_read(id)
                                                                    : see(id, TracePoint::Worked);
    }
    case EventKind::Crypted:
      return see_due(stations[what.subject].sealed[what.part].pipe, TracePoint::Crypted);
    case EventKind::LocalDone:
      return see_due(stations[what.subject].memory.pipe, TracePoint::Copied);
    case EventKind::NicDone:
      return see_due(stations[what.subject].nic.pipe, TracePoint::OnWire);
    case EventKind::FlowCap:
    case EventKind::Allowance:
      return see(carrier_.first_shaped(what), TracePoint::Admitted);
    case EventKind::PortArrive: {
      const PacketId id = stations[what.subject].delay_lines[what.part].pipe.first();
      const RackLinks* racks = carrier_.racks();
      if (racks == nullptr || racks->plan().share_rack(what.subject, carrier_.flight(id).node))
        return see(id, TracePoint::Crossed);
      return show(id, TracePoint::AtLeaf, {}, racks->plan().rack_of(what.subject));
    }
    case EventKind::LeafDone: {
      const RackLinks& racks = *carrier_.racks();
      return show(racks.up(what.subject).pipe.first(), TracePoint::AtSpine, {},
                  racks.spine_of(what.subject));
    }
    case EventKind::SpineDone:
      return see(carrier_.racks()->down(what.subject).pipe.first(), TracePoint::Crossed);
    case EventKind::PortDone:
      return see(stations[what.subject].port.pipe.first(), TracePoint::Received);
    case EventKind::Poll:
    case EventKind::Backlog: {
      const ReceiveQueue& queue = stations[what.subject].queues[what.part];
      const std::uint32_t most = what.kind == EventKind::Poll ? kPollBudget : queue.waiting;
      PacketId id = queue.ring.first();
      for (std::uint32_t left = std::min(queue.waiting, most); left > 0; --left) {
        see(id, TracePoint::Polled);
        id = carrier_.flight(id).next;
      }
      return;
    }
    case EventKind::Change:
    case EventKind::NodeExpiry:
    case EventKind::EndExpiry:
    case EventKind::Timer:
      return;
  }
}

void PacketTracer::see_due(const Pipe& pipe, TracePoint stop) {
  if (const PacketId id = carrier_.due(pipe); id != kNone) see(id, stop);
}

void PacketTracer::show(PacketId id, TracePoint stop, std::optional<Drop> drop,
                        std::uint32_t switch_number) {
  const PacketInFlight& flight = carrier_.flight(id);
  if (!follows(flight.sender)) return;
  const Flow& flow = flows_.flow_of(flight.sender);
  Followed& followed = followed_[id];
  const Picos now = scheduler_.now();
  const bool is_new = followed.packet == 0;
  if (is_new) followed.packet = ++packets_;
  const Picos waited = is_new ? Picos{} : now - followed.seen_at;
  followed.seen_at = now;
  // What was not sent because it was dropped before may have none.
  std::optional<forward::Packet> header;
  if (flight.header != kNone || flight.cache_entry != kNone) header = carrier_.header(id);
  options_.see({.stop = stop,
                .at = now,
                .waited = waited,
                .group = flow.group,
                .flow = flow.number,
                .end = flight.sender,
                .backward = flight.sender % 2 == 1,
                .packet = followed.packet,
                .node = flight.node,
                .core = flight.core,
                .switch_number = switch_number,
                .on_node = stop == TracePoint::Sent ? flows_.is_on_node(flight.sender)
                                                    : flight.egress == forward::Egress::Host,
                .bytes = flight.length,
                .header = header ? &*header : nullptr,
                .segment = flight.is_tcp ? &carrier_.segment(id) : nullptr,
                .sender = stop == TracePoint::Sent ? state_of(flight.sender) : std::nullopt,
                .drop = drop});
}

void PacketTracer::see_last(PacketId id, TracePoint stop, std::optional<Drop> drop) {
  show(id, stop, drop, 0);
  followed_.erase(id);
}

void PacketTracer::see_read(PacketId id) {
  const PacketInFlight& flight = carrier_.flight(id);
  if (!follows(flight.sender)) return;
  const Flow& flow = flows_.flow_of(flight.sender);
  options_.see({.stop = TracePoint::Read,
                .at = scheduler_.now(),
                .group = flow.group,
                .flow = flow.number,
                .end = flight.sender,
                .backward = flight.sender % 2 == 1,
                .node = flight.node,
                .on_node = flows_.is_on_node(flight.sender),
                .bytes = flight.length});
}

std::optional<SenderState> PacketTracer::state_of(EndId end) const {
  const transport::TcpConnection* tcp = flows_.flow_of(end).ends[end % 2].tcp.get();
  if (tcp == nullptr) return std::nullopt;
  return SenderState{.congestion_window = tcp->congestion_window(),
                     .in_flight = tcp->in_flight(),
                     .smoothed_rtt = tcp->smoothed_rtt(),
                     .retransmissions = tcp->retransmissions()};
}

}  // namespace overlane::run
