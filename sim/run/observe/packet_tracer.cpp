#include "sim/run/observe/packet_tracer.h"

#include "sim/run/app/flow.h"
#include "sim/run/path/stations.h"

namespace overlane::run {

PacketTracer::PacketTracer(const TraceOptions& options, const core::Scheduler& scheduler,
                           const FlowTable& flows, PacketPath& path)
    : options_(options), scheduler_(scheduler), flows_(flows), path_(path) {}

bool PacketTracer::follows(EndpointId end) const {
  const Flow& flow = flows_.flow_of(end);
  return options_.follows(flow.group, flow.number);
}

void PacketTracer::before(const core::Event& scheduled) {
  const StationEvent event = StationEvent::of(scheduled);
  visit_station(event.kind, [&](auto station) {
    if (const QueuedPackets polled = station.queued(path_, event); polled.packets > 0)
      return see_queued(*polled.queue, polled.packets);
    const PacketId id = station.first(path_, event);
    if (id == kNone) return;
    if (path_.packets().is_read(id)) return see_read(id);
    if (const auto stop = station.stop(path_, event))
      show(id, stop->point, {}, stop->switch_number);
  });
}

/// The first packets of a queue are taken out of it.
void PacketTracer::see_queued(const Pipe& queue, std::uint32_t packets) {
  PacketId id = queue.first();
  for (; packets > 0; --packets) {
    see(id, TracePoint::Polled);
    id = path_.packets()[id].next;
  }
}

void PacketTracer::show(PacketId id, TracePoint stop, std::optional<Drop> drop,
                        std::uint32_t switch_number) {
  const Packet& packet = path_.packets()[id];
  if (!follows(packet.sender)) return;
  const Flow& flow = flows_.flow_of(packet.sender);
  Followed& followed = followed_[id];
  const Picos now = scheduler_.now();
  const bool is_new = followed.packet == 0;
  if (is_new) followed.packet = ++packets_;
  const Picos waited = is_new ? Picos{} : now - followed.seen_at;
  followed.seen_at = now;
  // What was not sent because it was dropped before may have none.
  std::optional<forward::Packet> header;
  if (packet.header != kNone || packet.cache_entry != kNone)
    header = path_.decisions().header(packet);
  options_.see({.stop = stop,
                .at = now,
                .waited = waited,
                .group = flow.group,
                .flow = flow.number,
                .end = packet.sender,
                .backward = packet.sender % 2 == 1,
                .packet = followed.packet,
                .node = packet.node,
                .core = packet.core,
                .switch_number = switch_number,
                .on_node = stop == TracePoint::Sent ? flows_.is_on_node(packet.sender)
                                                    : packet.egress == forward::Egress::Host,
                .bytes = packet.length,
                .header = header ? &*header : nullptr,
                .segment = packet.is_tcp ? &path_.packets().segment(id) : nullptr,
                .sender = stop == TracePoint::Sent ? state_of(packet.sender) : std::nullopt,
                .drop = drop});
}

void PacketTracer::see_last(PacketId id, TracePoint stop, std::optional<Drop> drop) {
  show(id, stop, drop, 0);
  followed_.erase(id);
}

void PacketTracer::see_read(PacketId id) {
  const Read read = path_.packets().read(id);
  if (!follows(read.reader)) return;
  const Flow& flow = flows_.flow_of(read.reader);
  options_.see({.stop = TracePoint::Read,
                .at = scheduler_.now(),
                .group = flow.group,
                .flow = flow.number,
                .end = read.reader,
                .backward = read.reader % 2 == 1,
                .node = path_.packets()[id].node,
                .on_node = flows_.is_on_node(read.reader),
                .bytes = read.bytes});
}

std::optional<SenderState> PacketTracer::state_of(EndpointId end) const {
  const transport::TcpConnection* tcp = flows_.tcp_of(end);
  if (tcp == nullptr) return std::nullopt;
  return SenderState{.congestion_window = tcp->congestion_window(),
                     .in_flight = tcp->in_flight(),
                     .smoothed_rtt = tcp->smoothed_rtt(),
                     .retransmissions = tcp->retransmissions()};
}

}  // namespace overlane::run
