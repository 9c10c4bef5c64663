#include "sim/run/app/applications.h"

#include <algorithm>

namespace overlane::run {

using model::TrafficKind;

Applications::Applications(FlowTable& table, Exchanges& exchanges, SocketSender& sender,
                           EndpointTimers& timers, ApplicationCpu& cpu, PacketPath& path,
                           const core::Scheduler& scheduler, Accounts& accounts,
                           Picos datagrams_end)
    : table_(table),
      exchanges_(exchanges),
      sender_(sender),
      timers_(timers),
      cpu_(cpu),
      path_(path),
      scheduler_(scheduler),
      accounts_(accounts),
      datagrams_end_(datagrams_end) {
  for (const TrafficGroup& group : table.traffic)
    times_.emplace_back(group);
}

void Applications::start(EndpointId client) {
  Flow& flow = table_.flow_of(client);
  flow.times = times_[flow.group].begin(table_.timers(client).turn, flow.random);
  timers_.arm(client);
}

void Applications::take_turn(EndpointId id) {
  Flow& flow = table_.flow_of(id);
  const TrafficGroup& group = table_.traffic[flow.group];
  if (group.kind != TrafficKind::Udp) return exchanges_.ask(id);
  if (scheduler_.now() >= datagrams_end_) return;
  if (sender_.blocks(id)) return;
  sender_.send_datagram(id, group.payload_bytes);
  const Picos next = times_[flow.group].next(flow.times, flow.random);
  table_.timers(id).turn = std::max(next, cpu_.sending_done(table_.end(id)));
}

void Applications::finish_read(const Read& read) {
  const EndpointId id = read.reader;
  Endpoint& reader = table_.end(id);
  if (reader.gone) {
    --reader.reads;
    return;
  }
  const std::uint32_t node = reader.node;
  const std::uint32_t core = cpu_.core_of(reader);
  consume(id, reader, table_.flow_of(id).group, read.bytes, read.sent_at);
  if (table_.has_turn(id) && table_.timers(id).turn <= scheduler_.now()) {
    table_.timers(id).turn = transport::kNever;
    take_turn(id);
  }
  Endpoint& end = table_.end(id);  // A new connection may have moved the endpoints in memory.
  if (end.is_tcp) sender_.pump(id);
  if (--end.reads == 0) path_.idle(node, core, cpu_.sleep(end));
}

void Applications::consume(EndpointId id, Endpoint& end, std::uint32_t group, std::int64_t bytes,
                           Picos sent_at) {
  const Picos now = scheduler_.now();
  accounts_.payload(group, id, bytes);
  end.has_read = true;
  if (!end.is_tcp) {
    end.unread -= static_cast<std::int32_t>(bytes + kSocketBufferOverhead);
    if (table_.traffic[group].over_udp) return exchanges_.see_datagram_read(id);
    return accounts_.latency(group, now, now - sent_at);
  }
  end.unread -= static_cast<std::int32_t>(bytes);
  TcpSocket& tcp = table_.socket(id);
  tcp.read(bytes);
  tcp.consumed += bytes;
  exchanges_.see_stream_read(id);
  if (tcp.is_at_end()) tcp.close();
}

}  // namespace overlane::run
