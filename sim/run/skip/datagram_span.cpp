#include "sim/run/skip/datagram_span.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace overlane::run {
namespace {

/// A turn of send_all(): the time since the beginning of the slice in 40 bits, the flow's position
/// among those of its node in 23 bits, and whether the datagram is in the sample.
constexpr int kFlowBits = 23;
constexpr int kTurnShift = kFlowBits + 1;
constexpr Picos kMaxSlice{(std::int64_t{1} << 39)};

/// Arrivals in a slice: for each port, and at least for all ports together.
constexpr std::size_t kArrivalsOfPort = 8;
constexpr std::size_t kMinArrivals = 4096;

/// Lists up to this length are sorted by insertion: they are nearly sorted.
constexpr std::size_t kFew = 48;

/// Sorts by `before`. Equal elements keep their order if there are few.
template <typename T, typename Before>
void sort_turns(T* begin, std::size_t count, Before before) {
  if (count > kFew) return std::stable_sort(begin, begin + count, before);
  for (std::size_t i = 1; i < count; ++i) {
    const T moved = begin[i];
    std::size_t place = i;
    for (; place > 0 && before(moved, begin[place - 1]); --place)
      begin[place] = begin[place - 1];
    begin[place] = moved;
  }
}

}  // namespace

DatagramSpan::DatagramSpan(Flows& flows, const std::vector<DatagramTimes>& times, PacketPath& path,
                           Accounts& accounts)
    : table_(flows.table()),
      times_(times),
      path_(path),
      flows_(flows),
      accounts_(accounts),
      jitter_(static_cast<std::uint64_t>(path.network().paths.jitter.count)) {}

void DatagramSpan::begin(Picos now, std::vector<SettledFlow> flows) {
  assert(!is_running() && !flows.empty());
  position_ = now;
  settled_ = std::move(flows);
  std::ranges::stable_sort(settled_, {}, &SettledFlow::from);
  add_flows();
  add_senders();
  take_ports();
}

std::uint16_t DatagramSpan::kind_of(const SettledFlow& flow) {
  const std::uint32_t group = table_.flow_of(flow.client).group;
  const Kind kind{.group = group,
                  .ip_bytes = flow.ip_bytes,
                  .payload = table_.traffic[group].payload_bytes,
                  .to_pod = flow.way.decisions.nodes[1].egress == forward::Egress::Pod};
  auto known = std::ranges::find_if(kinds_, [&](const Kind& other) { return other.is_alike(kind); });
  if (known == kinds_.end()) known = kinds_.insert(kinds_.end(), kind);
  return static_cast<std::uint16_t>(known - kinds_.begin());
}

/// Takes the flows' turns out of the event loop.
void DatagramSpan::add_flows() {
  flow_of_.resize(table_.flows.size(), kNone);
  double rate = 0;
  std::vector<std::uint32_t> port_of(path_.network().nodes.size(), kNone);
  for (const SettledFlow& settled : settled_) {
    const Flow& flow = table_.flow_of(settled.client);
    const std::uint32_t to = settled.way.decisions.fabric.to;
    if (port_of[to] == kNone) {
      port_of[to] = static_cast<std::uint32_t>(ports_.size());
      ports_.push_back({.node = to});
    }
    const std::uint16_t way = path_.fabric().way_between(settled.from, to);
    const Picos latency = path_.fabric().crossing(settled.from, way).latency;
    const std::uint16_t kind = kind_of(settled);
    flow_of_[settled.client / 2] = static_cast<std::uint32_t>(sending_.size());
    sending_.push_back({.next = flow.timers.armed,
                        .last = flow.times.last,
                        .random = flow.random,
                        .last_sent = {},
                        .packets = flow.client.packets,
                        .port = port_of[to],
                        .nic_time = static_cast<std::uint32_t>(settled.nic_time.count),
                        .latency = static_cast<std::uint32_t>(latency.count),
                        .way = way,
                        .kind = kind});
    receiving_.push_back({.last = {},
                          .port_time = static_cast<std::uint32_t>(settled.port_time.count),
                          .kind = kind});
    flows_.suspend(settled.client);
    path_.decisions().hold_entry(settled.way.entry);
    rate += 1 / static_cast<double>(times_[flow.group].pace().gap().count);
  }
  const auto arrivals =
      static_cast<double>(std::max(kMinArrivals, kArrivalsOfPort * ports_.size()));
  const double slice = std::min(arrivals / rate, static_cast<double>(kMaxSlice.count));
  slice_ = {std::max<std::int64_t>(1, static_cast<std::int64_t>(slice))};
}

/// Lets all packets in the NICs enter the fabric, so that they are all on their paths to ports.
void DatagramSpan::add_senders() {
  for (std::uint32_t first = 0; first < settled_.size();) {
    std::uint32_t end = first;
    const std::uint32_t node = settled_[first].from;
    while (end < settled_.size() && settled_[end].from == node)
      ++end;
    path_.nics().send_all_ahead(node);
    const auto within = path_.fabric().crossing(node, kWithinZone);
    const auto across = path_.fabric().crossing(node, kAcrossZones);
    senders_.push_back({.node = node,
                        .first = first,
                        .end = end,
                        .free_at = path_.nics().server(node).free_at(),
                        .work = {},
                        .jitter = within.jitter,
                        .last_arrival = {within.last, across.last}});
    first = end;
  }
  Packets& packets = path_.packets();
  while (packets.has_departures()) {
    const Packets::Departure departure = packets.take_departure();
    flows_.left_host(departure.sender, departure.bytes);
  }
}

/// Takes the packets on their paths to the flows' ports out of the event loop.
void DatagramSpan::take_ports() {
  std::vector<Arrival> arrivals;
  for (PortList& port : ports_) {
    arrivals.clear();
    path_.ports().take_out(port.node, arrivals);
    port.free_at = path_.ports()[port.node].station.server.free_at();
    port.begin = static_cast<std::uint32_t>(entries_.size());
    port.room = static_cast<std::uint32_t>(arrivals.size() + 2 * kArrivalsOfPort);
    entries_.resize(entries_.size() + port.room);
    for (const Arrival& arrival : arrivals)
      push(port, {.at = arrival.at, .flow = kPacket | arrival.id});
  }
}

void DatagramSpan::run_until(Picos end) {
  while (position_ < end) {
    const Picos next = std::min(end, position_ + slice_);
    send_all(next);
    receive_all(next);
    count_slice();
    position_ = next;
  }
}

/// Sends all datagrams whose time is before `end`, node by node.
void DatagramSpan::send_all(Picos end) {
  const ByteCheck& check = path_.decisions().byte_check();
  for (Sender& sender : senders_) {
    turns_.clear();
    for (std::uint32_t i = sender.first; i < sender.end; ++i) {
      Sending& flow = sending_[i];
      if (flow.next >= end) continue;
      const DatagramTimes& times = times_[kinds_[flow.kind].group];
      const Pace& pace = times.pace();
      const auto lateness = static_cast<std::uint64_t>(times.max_lateness().count);
      const EndpointId client = settled_[i].client;
      RandomStream random = flow.random;
      PacedTime last = flow.last;
      Picos at = flow.next;
      do {
        const bool is_sampled = check.samples(client, flow.packets++);
        turns_.push_back(static_cast<std::uint64_t>((at - position_).count) << kTurnShift |
                         std::uint64_t{i - sender.first} << 1 | std::uint64_t{is_sampled});
        flow.last_sent = at;
        last.advance(pace);
        at = last.offset();
        if (lateness > 0) at.count += static_cast<std::int64_t>(random.below(lateness));
      } while (at < end);
      flow.next = at;
      flow.last = last;
      flow.random = random;
    }
    sort_turns(turns_.data(), turns_.size(), std::less<>());
    for (const std::uint64_t turn : turns_) {
      const auto flow = static_cast<std::uint32_t>(turn >> 1 & ((1u << kFlowBits) - 1));
      const Picos at = position_ + Picos{static_cast<std::int64_t>(turn >> kTurnShift)};
      send(sender, sender.first + flow, at, (turn & 1) != 0);
    }
  }
}

/// A flow sends a datagram at `at`: through its NIC and the fabric into the list of a port.
[[gnu::always_inline]] inline void DatagramSpan::send(Sender& sender, std::uint32_t flow, Picos at,
                                                      bool is_sampled) {
  const Sending& sending = sending_[flow];
  const Picos time{sending.nic_time};
  sender.free_at = std::max(sender.free_at, at) + time;
  sender.work += time;
  sender.last_flow = flow;
  ++kinds_[sending.kind].sent;
  if (const FabricPath::CapUse& cap = settled_[flow].cap; cap.bucket != nullptr) {
    [[maybe_unused]] const Picos passed = cap.bucket->take(sender.free_at, cap.time);
    assert(passed == sender.free_at);
  }
  Picos arrival = sender.free_at + Picos{sending.latency};
  if (jitter_ > 0) arrival.count += static_cast<std::int64_t>(sender.jitter.below(jitter_));
  Picos& last = sender.last_arrival[sending.way];
  last = arrival = std::max(last, arrival);
  Entry entry{.at = arrival,
              .since_sent = static_cast<std::uint32_t>((arrival - at).count),
              .flow = flow};
  if (is_sampled) [[unlikely]]
    entry.flow = kPacket | decide(flow, at, sender.free_at);
  push(ports_[sending.port], entry);
}

[[gnu::always_inline]] inline void DatagramSpan::push(PortList& port, const Entry& entry) {
  if (port.count == port.room) [[unlikely]]
    make_room(port);
  entries_[port.begin + port.count++] = entry;
}

/// Moves the list of a port to the end of entries_, with twice the room.
void DatagramSpan::make_room(PortList& port) {
  const std::size_t begin = entries_.size();
  entries_.resize(begin + port.room * std::size_t{2});
  std::copy_n(entries_.begin() + port.begin, port.count,
              entries_.begin() + static_cast<std::ptrdiff_t>(begin));
  port.begin = static_cast<std::uint32_t>(begin);
  port.room *= 2;
}

std::uint32_t DatagramSpan::node_of(const Entry& entry) const {
  if ((entry.flow & kPacket) == 0) return settled_[entry.flow].from;
  return table_.end(path_.packets()[entry.flow & ~kPacket].sender).node;
}

/// The order of arrivals at a port. Those of one node are in order already.
[[gnu::always_inline]] inline bool DatagramSpan::comes_before(const Entry& a,
                                                              const Entry& b) const {
  if (a.at != b.at) [[likely]]
    return a.at < b.at;
  return node_of(a) < node_of(b);
}

void DatagramSpan::receive_all(Picos end) {
  for (PortList& port : ports_)
    if (port.count > 0) receive(port, end);
}

/// Receives all packets whose last bit has reached the NIC before `end`.
[[gnu::always_inline]] inline void DatagramSpan::receive(PortList& port, Picos end) {
  Entry* const entries = entries_.data() + port.begin;
  sort_turns(entries, port.count,
             [this](const Entry& a, const Entry& b) { return comes_before(a, b); });
  std::uint32_t done = 0;
  for (; done < port.count; ++done) {
    const Entry entry = entries[done];
    if (entry.at >= end) break;
    const bool is_packet = (entry.flow & kPacket) != 0;
    Picos time;
    if (is_packet) [[unlikely]]
      time = path_.ports()[port.node].link.frame_time(
          path_.packets()[entry.flow & ~kPacket].length);
    else
      time = {receiving_[entry.flow].port_time};
    const Picos received = std::max(entry.at, port.free_at) + time;
    if (received >= end) break;
    port.free_at = received;
    port.work += time;
    if (is_packet) [[unlikely]] {
      receive_packet(entry.flow & ~kPacket, received);
      continue;
    }
    Receiving& receiving = receiving_[entry.flow];
    receiving.last = received;
    Kind& kind = kinds_[receiving.kind];
    ++kind.received;
    accounts_.latency(kind.group, received, received - entry.at + Picos{entry.since_sent});
  }
  if (done > 0) std::copy(entries + done, entries + port.count, entries);
  port.count -= done;
}

/// The datagram of a flow as a packet that has not been sent yet.
PacketId DatagramSpan::make_packet(std::uint32_t flow, Picos sent, std::uint16_t identification) {
  const SettledFlow& settled = settled_[flow];
  return path_.packets().come_over(
      Packet{.sent_at = sent,
             .sender = settled.client,
             .node = settled.from,
             .length = settled.ip_bytes,
             .group = table_.flow_of(settled.client).group,
             .core = table_.end(settled.client).core,
             .identification = identification,
             .kind = Packet::Kind::Packet});
}

/// Sends a datagram through the byte path as well: its node and the fabric decide about it anew.
PacketId DatagramSpan::decide(std::uint32_t flow, Picos sent, Picos left) {
  Decisions& decisions = path_.decisions();
  const Endpoint& client = table_.end(settled_[flow].client);
  // No decision about a whole packet depends on its identification.
  const PacketId id = make_packet(flow, sent, client.is_ipv4 ? client.identification : 0);
  ++settled_[flow].checked;
  Packet& packet = path_.packets()[id];
  packet.sampled = true;
  decisions.begin(packet, true, [] { return forward::Packet{}; });
  const bool on_node = table_.traffic[packet.group].is_on_node(false);
  const auto ingress = [&] { return on_node ? forward::Ingress::Host : forward::Ingress::Pod; };
  const bool is_sent = decisions.on_node(packet, ingress, sent).cached != nullptr &&
                       packet.egress == forward::Egress::Uplink;
  if (!is_sent) throw NeedsAllEvents{"a node decided anew about a flow"};
  const FabricDecision crossed = decisions.in_fabric(packet, left);
  if (crossed.cached == nullptr) throw NeedsAllEvents{"the fabric decided anew about a flow"};
  packet.node = crossed.cached->to;
  packet.core = crossed.cached->core;
  return id;
}

/// A packet, rather than an entry of its flow, has reached its NIC: it was on its way when the span
/// began, or the byte path checks it.
void DatagramSpan::receive_packet(PacketId id, Picos received) {
  Packets& packets = path_.packets();
  Packet& packet = packets[id];
  const auto uplink = [] { return forward::Ingress::Uplink; };
  if (path_.decisions().on_node(packet, uplink, received).cached == nullptr)
    throw NeedsAllEvents{"a node decided anew about a flow"};
  const std::uint32_t flow = flow_of_[packet.sender / 2];
  assert(flow != kNone);
  Receiving& receiving = receiving_[flow];
  receiving.last = received;
  const Kind& kind = kinds_[receiving.kind];
  accounts_.latency(kind.group, received, received - packet.sent_at);
  accounts_.arrived(kind.group, packet.sender ^ 1, kind.ip_bytes, kind.payload);
  accounts_.payload(kind.group, packet.sender ^ 1, kind.payload);
  packets.count_hops(kind.to_pod ? 2 : 1);
  packets.deliver(id);
}

/// Adds the datagrams of a slice to the accounts.
void DatagramSpan::count_slice() {
  constexpr EndpointId kServer = 1;
  for (Kind& kind : kinds_) {
    const std::int64_t sent = std::exchange(kind.sent, 0);
    const std::int64_t received = std::exchange(kind.received, 0);
    datagrams_ += sent;
    accounts_.sent(kind.group, sent);
    accounts_.delivered(kind.group, received);
    accounts_.arrived(kind.group, kServer, received * kind.ip_bytes, received * kind.payload);
    accounts_.payload(kind.group, kServer, received * kind.payload);
    path_.packets().count_hops(sent * 2 + received * (kind.to_pod ? 2 : 1));
  }
}

void DatagramSpan::finish() {
  return_flows();
  return_ports();
  for (const SettledFlow& settled : settled_) {
    flow_of_[settled.client / 2] = kNone;
    path_.decisions().let_entry_go(settled.way.entry);
  }
  settled_.clear();
  sending_.clear();
  receiving_.clear();
  kinds_.clear();
  senders_.clear();
  ports_.clear();
  entries_.clear();
}

/// Returns the flows and their NICs.
void DatagramSpan::return_flows() {
  for (std::uint32_t i = 0; i < sending_.size(); ++i) {
    const Sending& sending = sending_[i];
    const SettledFlow& settled = settled_[i];
    Flow& flow = table_.flow_of(settled.client);
    Endpoint& client = flow.client;
    Decisions& decisions = path_.decisions();
    if (receiving_[i].last > Picos{}) {
      Endpoint& server = table_.end(settled.client ^ 1);
      server.has_read = true;
      server.receive_core = settled.way.decisions.fabric.core;
      decisions.repeat_on_node(settled.way.entry, 2, server.node, 0, receiving_[i].last);
    }
    const std::int64_t sent = sending.packets - client.packets;
    if (sent == 0) {
      flows_.unsuspend(settled.client, sending.next);
      continue;
    }
    decisions.repeat_on_node(settled.way.entry, 0, settled.from, sent - settled.checked,
                             sending.last_sent);
    client.packets = sending.packets;
    if (client.is_ipv4)
      client.identification = static_cast<std::uint16_t>(
          client.identification + (sent << client.identification_bits));
    flow.times.last = sending.last;
    flow.random = sending.random;
    flows_.resume(settled.client, sending.next);
  }
  for (const Sender& sender : senders_) {
    path_.fabric().crossing(sender.node, kWithinZone).jitter = sender.jitter;
    for (const std::uint16_t way : {kWithinZone, kAcrossZones})
      path_.fabric().crossing(sender.node, way).last = sender.last_arrival[way];
    if (sender.last_flow == kNone) continue;
    const SettledFlow& last = settled_[sender.last_flow];
    path_.nics().carry(sender.node, sender.work, sender.free_at, last.client,
                       last.ip_bytes);
  }
}

/// Returns the ports. Datagrams on their way become packets.
void DatagramSpan::return_ports() {
  for (PortList& port : ports_) {
    path_.ports().carry(port.node, port.work, port.free_at);
    Entry* const entries = entries_.data() + port.begin;
    sort_turns(entries, port.count,
               [this](const Entry& a, const Entry& b) { return comes_before(a, b); });
    // The identification of a flow's last datagram on its way is the one before the next.
    std::vector<std::uint16_t> identifications(port.count);
    std::vector<std::pair<std::uint32_t, std::uint16_t>> later;
    for (std::uint32_t i = port.count; i-- > 0;) {
      const std::uint32_t flow = (entries[i].flow & kPacket) == 0
                                     ? entries[i].flow
                                     : flow_of_[path_.packets()[entries[i].flow & ~kPacket].sender / 2];
      auto known = std::ranges::find(later, flow, &std::pair<std::uint32_t, std::uint16_t>::first);
      if (known == later.end()) known = later.insert(known, {flow, std::uint16_t{0}});
      const Endpoint& client = table_.end(settled_[flow].client);
      identifications[i] = static_cast<std::uint16_t>(
          client.identification - (++known->second << client.identification_bits));
    }
    for (std::uint32_t i = 0; i < port.count; ++i) {
      const Entry& entry = entries[i];
      const std::uint32_t from = node_of(entry);
      PacketId id = entry.flow & ~kPacket;
      if ((entry.flow & kPacket) == 0) {
        const SettledFlow& settled = settled_[entry.flow];
        const CachedFabricDecision& fabric = settled.way.decisions.fabric;
        const bool is_ipv4 = table_.end(settled.client).is_ipv4;
        id = make_packet(entry.flow, entry.at - Picos{entry.since_sent},
                         is_ipv4 ? identifications[i] : std::uint16_t{0});
        Packet& packet = path_.packets()[id];
        packet.node = fabric.to;
        packet.core = fabric.core;
        packet.length = settled.way.outer_length;
        packet.stage = CachedDecisions::kFabricStage + 1;
        packet.cache_entry = settled.way.entry;
        path_.decisions().hold_entry(settled.way.entry);
      }
      path_.ports().expect(id, from, path_.fabric().way_between(from, port.node), entry.at);
    }
  }
}

}  // namespace overlane::run
