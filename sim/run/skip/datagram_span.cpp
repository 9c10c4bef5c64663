#include "sim/run/skip/datagram_span.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <tuple>
#include <utility>

#include "sim/run/skip/small_sort.h"

namespace overlane::run {
namespace {

/// Longest slice; also the longest time for which a packet may have been in a port.
constexpr Picos kMaxSlice{(std::int64_t{1} << 39)};

/// Arrivals in a slice for each port, on average: lists that short are sorted fast (small_sort.h).
constexpr std::size_t kArrivalsOfPort = 6;
/// Lists of ports are prefetched this many ports ahead.
constexpr std::uint32_t kPortsAhead = 4;
/// Latencies that are recorded together.
constexpr std::size_t kLatencies = 1024;
/// Flows are prefetched this many nodes ahead.
constexpr std::size_t kSendersAhead = 2;
/// At most this many flows of a node are prefetched.
constexpr std::uint32_t kFlowsAhead = 12;

}  // namespace

DatagramSpan::DatagramSpan(Flows& flows, const std::vector<DatagramTimes>& times, PacketPath& path,
                           Accounts& accounts)
    : table_(flows.table()),
      times_(times),
      path_(path),
      flows_(flows),
      accounts_(accounts),
      jitter_(static_cast<std::uint64_t>(path.network().paths.jitter.count)) {
  latencies_.reserve(kLatencies);
}

void DatagramSpan::begin(Picos now, std::vector<SettledFlow> flows) {
  assert(!is_running() && !flows.empty());
  position_ = now;
  settled_ = std::move(flows);
  const auto next_of = [this](const SettledFlow& flow) {
    return std::tuple(flow.from, table_.flow_of(flow.client).timers.armed, flow.client);
  };
  std::ranges::sort(settled_, {}, next_of);  // Neighbours in memory send one after the other.
  add_flows();
  add_senders();
  take_ports();
}

std::uint32_t DatagramSpan::kind_of(const SettledFlow& flow) {
  const std::uint32_t group = table_.flow_of(flow.client).group;
  const DatagramTimes& times = times_[group];
  const std::uint16_t way = path_.fabric().way_between(flow.from, flow.way.decisions.fabric.to);
  const Kind kind{.pace = &times.pace(),
                  .lateness = static_cast<std::uint64_t>(times.max_lateness().count),
                  .nic_time = flow.nic_time,
                  .port_time = flow.port_time,
                  .latency = path_.fabric().crossing(flow.from, way).latency,
                  .group = group,
                  .ip_bytes = flow.ip_bytes,
                  .payload = table_.traffic[group].payload_bytes,
                  .way = way,
                  .to_pod = flow.way.decisions.nodes[1].egress == forward::Egress::Pod};
  auto known = std::ranges::find(kinds_, kind);
  if (known == kinds_.end()) known = kinds_.insert(kinds_.end(), kind);
  if (kinds_.size() > kMaxKinds) throw NeedsAllEvents{"flows are of too many kinds"};
  return static_cast<std::uint32_t>(known - kinds_.begin());
}

/// Takes the flows' turns out of the event loop.
void DatagramSpan::add_flows() {
  flow_of_.resize(table_.flows.size(), kNone);
  double rate = 0;
  has_caps_ = settled_.front().cap.bucket != nullptr;
  std::vector<std::uint32_t> port_of(path_.network().nodes.size(), kNone);
  for (const SettledFlow& settled : settled_) {
    const Flow& flow = table_.flow_of(settled.client);
    const std::uint32_t to = settled.way.decisions.fabric.to;
    if (port_of[to] == kNone) {
      port_of[to] = static_cast<std::uint32_t>(ports_.size());
      ports_.push_back({.node = to});
    }
    PortState& port = ports_[port_of[to]];
    const std::uint32_t kind = kind_of(settled);
    if (!port.has_flows) port.kind = kind;
    port.has_flows = true;
    if (port.kind != kind) port.kind = kNone;
    const auto number = static_cast<std::uint32_t>(sending_.size());
    flow_of_[settled.client / 2] = number;
    turns_.push_back({flow.timers.armed, number, settled.client});
    sending_.push_back({.last = flow.times.last,
                        .random = flow.random,
                        .last_sent = {},
                        .packets = static_cast<std::uint32_t>(flow.client.packets),
                        .port = port_of[to] & 0xffffff,
                        .kind = kind & 0xff});
    receiving_.push_back({.last = {}, .kind = kind});
    flows_.suspend(settled.client);
    path_.decisions().hold_entry(settled.way.entry);
    rate += 1 / static_cast<double>(times_[flow.group].pace().gap().count);
  }
  const auto arrivals = static_cast<double>(kArrivalsOfPort * ports_.size());
  const double part = std::min(arrivals / rate, static_cast<double>(kMaxSlice.count / kParts));
  part_bits_ =
      static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::max(part, 1.0)))) - 1;
  slice_ = {std::int64_t{kParts} << part_bits_};
}

/// Lets all packets in the NICs enter the fabric, so that they are all on their paths to ports.
void DatagramSpan::add_senders() {
  for (std::uint32_t first = 0; first < settled_.size();) {
    std::uint32_t end = first;
    const std::uint32_t node = settled_[first].from;
    while (end < settled_.size() && settled_[end].from == node)
      ++end;
    std::sort(turns_.begin() + first, turns_.begin() + end,
              [this](const Turn& a, const Turn& b) { return is_earlier(a, b); });
    path_.nics().send_all_ahead(node);
    const auto within = path_.fabric().crossing(node, kWithinZone);
    const auto across = path_.fabric().crossing(node, kAcrossZones);
    senders_.push_back({.node = node,
                        .first = first,
                        .end = end,
                        .next_turn = first,
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
  constexpr std::uint32_t kRoom = 2 * kArrivalsOfPort;
  lists_.resize((kParts + 1) * ports_.size());
  entries_.resize(lists_.size() * kRoom);
  for (std::uint32_t i = 0; i < lists_.size(); ++i)
    lists_[i] = {.begin = i * kRoom, .room = kRoom};
  std::vector<Arrival> arrivals;
  for (std::uint32_t port = 0; port < ports_.size(); ++port) {
    arrivals.clear();
    path_.ports().take_out(ports_[port].node, arrivals);
    ports_[port].free_at = path_.ports()[ports_[port].node].station.server.free_at();
    for (const Arrival& arrival : arrivals)
      push(list(kParts, port), {.at = arrival.at, .flow = kPacket | arrival.id});
  }
}

void DatagramSpan::run_until(Picos end) {
  while (position_ < end) {
    const Picos next = std::min(end, position_ + slice_);
    for (std::uint32_t port = 0; port < ports_.size(); ++port)
      take_up(port);
    send_all(next);
    receive_all(next);
    count_slice();
    position_ = next;
  }
}

/// Sends all datagrams whose time is before `end`, node by node.
void DatagramSpan::send_all(Picos end) {
  for (std::size_t i = 0; i < senders_.size(); ++i) {
    if (i + kSendersAhead < senders_.size()) prefetch(senders_[i + kSendersAhead]);
    Sender& sender = senders_[i];
    while (turns_[sender.next_turn].at < end)
      send(sender);
  }
  push_all();
}

/// Prefetches flows of a node. Their turns are nearly in the order of sending_.
[[gnu::always_inline]] inline void DatagramSpan::prefetch(const Sender& sender) const {
  std::uint32_t next = sender.next_turn;
  for (std::uint32_t i = std::min(sender.end - sender.first, kFlowsAhead); i > 0; --i) {
    core::prefetch_to_write(&sending_[next]);
    next = next + 1 == sender.end ? sender.first : next + 1;
  }
}

/// Sends the next datagram of a node, and finds the flow's next turn.
[[gnu::always_inline]] inline void DatagramSpan::send(Sender& sender) {
  const Turn turn = turns_[sender.next_turn];
  Sending& sending = sending_[turn.flow];
  const bool is_sampled = path_.decisions().byte_check().samples(turn.client, sending.packets);
  ++sending.packets;
  sending.last_sent = turn.at;
  Kind& kind = kinds_[sending.kind];
  ++kind.sent;
  sending.last.advance(*kind.pace);
  Picos next = sending.last.offset();
  if (kind.lateness > 0)
    next.count += static_cast<std::int64_t>(sending.random.below(kind.lateness));
  queue(sender, {next, turn.flow, turn.client});
  cross(sender, turn, kind, sending.port, is_sampled);
}

/// Puts a turn in the place of the node's first turn, which is over, and moves it to where it
/// belongs: seldom far, as it is mostly the last.
[[gnu::always_inline]] inline void DatagramSpan::queue(Sender& sender, const Turn& turn) {
  std::uint32_t place = sender.next_turn;
  sender.next_turn = place + 1 == sender.end ? sender.first : place + 1;
  for (;;) {
    const std::uint32_t before = place == sender.first ? sender.end - 1 : place - 1;
    if (place == sender.next_turn || !is_earlier(turn, turns_[before])) break;
    turns_[place] = turns_[before];
    place = before;
  }
  turns_[place] = turn;
}

/// A datagram passes its NIC and the fabric, and enters the list of a port.
[[gnu::always_inline]] inline void DatagramSpan::cross(Sender& sender, const Turn& turn,
                                                       const Kind& kind, std::uint32_t port,
                                                       bool is_sampled) {
  const Picos time = kind.nic_time;
  sender.free_at = std::max(sender.free_at, turn.at) + time;
  sender.work += time;
  sender.last_flow = turn.flow;
  if (has_caps_) {
    const FabricPath::CapUse& cap = settled_[turn.flow].cap;
    [[maybe_unused]] const Picos passed = cap.bucket->take(sender.free_at, cap.time);
    assert(passed == sender.free_at);
  }
  Picos arrival = sender.free_at + kind.latency;
  if (jitter_ > 0) arrival.count += static_cast<std::int64_t>(sender.jitter.below(jitter_));
  Picos& last = sender.last_arrival[kind.way];
  last = arrival = std::max(last, arrival);
  Entry entry{.at = arrival,
              .since_sent = static_cast<std::uint32_t>((arrival - turn.at).count),
              .flow = turn.flow};
  if (is_sampled) [[unlikely]]
    check(entry, turn, sender.free_at);
  push_later(list_at(port, arrival), entry);
}

/// push() a few datagrams later, when the memory of the list has come into the cache.
[[gnu::always_inline]] inline void DatagramSpan::push_later(List& list, const Entry& entry) {
  Pushed& first = pushed_[next_pushed_ % kPushedLater];
  if (first.list != nullptr) push(*first.list, first.entry);
  first = {&list, entry};
  core::prefetch_to_write(&list);
  const Pushed& half_way = pushed_[(next_pushed_ + kPushedLater / 2) % kPushedLater];
  if (half_way.list != nullptr)
    core::prefetch_to_write(entries_.data() + half_way.list->begin + half_way.list->count);
  ++next_pushed_;
}

void DatagramSpan::push_all() {
  for (std::size_t i = 0; i < kPushedLater; ++i) {
    Pushed& next = pushed_[next_pushed_++ % kPushedLater];
    if (next.list != nullptr) push(*std::exchange(next.list, nullptr), next.entry);
  }
}

/// The list of the part of the slice in which a datagram arrives.
[[gnu::always_inline]] inline DatagramSpan::List& DatagramSpan::list_at(std::uint32_t port,
                                                                        Picos at) {
  const std::int64_t since = std::max<std::int64_t>(0, (at - position_).count);
  const auto part =
      std::min<std::uint64_t>(kParts, static_cast<std::uint64_t>(since) >> part_bits_);
  return list(static_cast<std::uint32_t>(part), port);
}

[[gnu::always_inline]] inline void DatagramSpan::push(List& list, const Entry& entry) {
  if (list.count == list.room) [[unlikely]]
    make_room(list);
  entries_[list.begin + list.count++] = entry;
}

/// Moves a list to the end of entries_, with twice the room.
void DatagramSpan::make_room(List& list) {
  const std::size_t begin = entries_.size();
  entries_.resize(begin + list.room * std::size_t{2});
  std::copy_n(entries_.begin() + list.begin, list.count,
              entries_.begin() + static_cast<std::ptrdiff_t>(begin));
  list.begin = static_cast<std::uint32_t>(begin);
  list.room *= 2;
}

/// Moves all datagrams of a part to those that arrive after the slice.
void DatagramSpan::put_off(std::uint32_t part, std::uint32_t port) {
  List& left = list(part, port);
  for (std::uint32_t i = 0; i < left.count; ++i)
    push(list(kParts, port), entries_[left.begin + i]);
  left.count = 0;
}

/// Moves the datagrams that arrive after the last slice to the parts of this slice.
void DatagramSpan::take_up(std::uint32_t port) {
  List& later = list(kParts, port);
  if (later.count == 0) return;
  std::vector<Entry>& entries = taken_up_;
  entries.assign(entries_.begin() + later.begin, entries_.begin() + later.begin + later.count);
  later.count = 0;
  for (const Entry& entry : entries)
    push(list_at(port, entry.at), entry);
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

/// Sorts a list by arrival.
void DatagramSpan::sort(const List& list) {
  Entry* const entries = entries_.data() + list.begin;
  std::stable_sort(entries, entries + list.count,
                   [this](const Entry& a, const Entry& b) { return comes_before(a, b); });
}

/// Receives all packets whose last bit has reached their NIC before `end`.
void DatagramSpan::receive_all(Picos end) {
  const auto count = static_cast<std::uint32_t>(ports_.size());
  for (std::uint32_t part = 0; part < kParts; ++part) {
    const Picos part_end = position_ + Picos{std::int64_t{part + 1} << part_bits_};
    const bool is_reached = part_end - Picos{std::int64_t{1} << part_bits_} < end;
    for (std::uint32_t port = 0; port < count; ++port) {
      if (port + kPortsAhead < count)
        core::prefetch(entries_.data() + list(part, port + kPortsAhead).begin);
      if (list(part, port).count == 0) continue;
      if (is_reached)
        receive(part, port, std::min(part_end, end));
      else
        put_off(part, port);
    }
  }
}

/// Receives the packets of a part that are received before `end`. The others move to the next part.
[[gnu::always_inline]] inline void DatagramSpan::receive(std::uint32_t part, std::uint32_t port,
                                                         Picos end) {
  List& of = list(part, port);
  const Entry* const entries = entries_.data() + of.begin;
  const std::uint32_t count = of.count;
  if (count > kMaxPlaces) return receive_sorted(part, port, end);
  // Packets that were in the port when the span began have come before position_.
  const std::int64_t earliest = position_.count - kMaxSlice.count;
  std::array<std::uint64_t, kMaxPlaces> keys;
  std::fill_n(keys.begin(), kSortPadding, UINT64_MAX);
  for (std::uint32_t i = 0; i < count; ++i) {
    keys[i] = static_cast<std::uint64_t>(entries[i].at.count - earliest) << kPlaceBits | i;
    if ((entries[i].flow & kPacket) == 0) [[likely]]
      core::prefetch_to_write(&receiving_[entries[i].flow]);
  }
  sort_numbers(keys.data(), count);
  std::uint64_t equal = 0;
  for (std::uint32_t i = 1; i < count; ++i)
    equal |= static_cast<std::uint64_t>(keys[i] - keys[i - 1] < kMaxPlaces);
  if (equal != 0) [[unlikely]]
    return receive_sorted(part, port, end);
  PortState& state = ports_[port];
  std::uint32_t done = 0;
  while (done < count && receive(state, entries[keys[done] & (kMaxPlaces - 1)], end))
    ++done;
  for (; done < count; ++done)
    push(list(part + 1, port), Entry(entries_[of.begin + (keys[done] & (kMaxPlaces - 1))]));
  of.count = 0;
}

/// receive() for a long list, or one with equal times.
void DatagramSpan::receive_sorted(std::uint32_t part, std::uint32_t port, Picos end) {
  List& of = list(part, port);
  sort(of);
  std::uint32_t done = 0;
  while (done < of.count && receive(ports_[port], entries_[of.begin + done], end))
    ++done;
  for (; done < of.count; ++done)
    push(list(part + 1, port), Entry(entries_[of.begin + done]));
  of.count = 0;
}

/// Receives the next packet of a port if its last bit has reached the NIC before `end`.
[[gnu::always_inline]] inline bool DatagramSpan::receive(PortState& port, const Entry& entry,
                                                         Picos end) {
  if ((entry.flow & kPacket) != 0) [[unlikely]]
    return receive_packet(port, entry, end);
  Receiving& receiving = receiving_[entry.flow];
  Kind& kind = kinds_[port.kind != kNone ? port.kind : receiving.kind];
  const Picos received = std::max(entry.at, port.free_at) + kind.port_time;
  if (received >= end) return false;
  port.free_at = received;
  port.work += kind.port_time;
  receiving.last = received;
  ++kind.received;
  if ((entry.since_sent & kSampled) != 0) [[unlikely]]
    path_.decisions().byte_check().repeat(1);
  if (kind.group != latency_group_ || latencies_.size() == latencies_.capacity()) [[unlikely]]
    record_latencies(kind.group);
  const Picos latency = received - entry.at + Picos{entry.since_sent & ~kSampled};
  latencies_.push_back(latency.whole_nanoseconds());
  return true;
}

/// The datagram of a flow as a packet that has not been sent yet.
PacketId DatagramSpan::make_packet(std::uint32_t flow, Picos sent, std::uint16_t identification) {
  const SettledFlow& settled = settled_[flow];
  return path_.packets().come_over(Packet{.sent_at = sent,
                                          .sender = settled.client,
                                          .node = settled.from,
                                          .length = settled.ip_bytes,
                                          .group = table_.flow_of(settled.client).group,
                                          .core = table_.end(settled.client).core,
                                          .identification = identification,
                                          .kind = Packet::Kind::Packet});
}

/// Sends a datagram of the sample, which leaves its node at `left`, through the byte path as well.
/// All datagrams of a flow ask it the same question as long as nothing changes, so it is asked
/// once, and counted for each of them.
void DatagramSpan::check(Entry& entry, const Turn& turn, Picos left) {
  ByteCheck& byte_check = path_.decisions().byte_check();
  if (settled_[turn.flow].checked == 0) {
    entry.flow = kPacket | decide(turn.flow, turn.at, left);
    if (byte_check.counts().mismatched > 0) throw NeedsAllEvents{"the byte path disagrees"};
    return;
  }
  entry.since_sent |= kSampled;
  byte_check.repeat(2);  // Its node and the fabric; the receiving node follows.
}

/// The node of a datagram and the fabric decide about it anew, and the byte path does, too.
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

/// receive() for a packet, rather than a datagram of a flow: it was on its way when the span began,
/// or the byte path checks it.
bool DatagramSpan::receive_packet(PortState& port, const Entry& entry, Picos end) {
  const PacketId id = entry.flow & ~kPacket;
  Packets& packets = path_.packets();
  Packet& packet = packets[id];
  const Picos time = path_.ports()[port.node].link.frame_time(packet.length);
  const Picos received = std::max(entry.at, port.free_at) + time;
  if (received >= end) return false;
  port.free_at = received;
  port.work += time;
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
  return true;
}

/// Adds the collected latencies to the accounts; the next ones are of datagrams of `next_group`.
void DatagramSpan::record_latencies(std::uint32_t next_group) {
  accounts_.latencies(latency_group_, position_, latencies_);
  latencies_.clear();
  latency_group_ = next_group;
}

/// Adds the datagrams of a slice to the accounts.
void DatagramSpan::count_slice() {
  record_latencies(latency_group_);
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

/// Datagrams that still wait for their NIC or are on its link, other than those that found it idle:
/// with events, they count as having passed the link only when they have left.
std::int64_t DatagramSpan::count_in_nics() {
  struct Waiting {
    std::uint32_t sender = 0;
    Picos sent;
    std::uint32_t flow = 0;
  };
  std::vector<std::uint32_t> sender_of(path_.network().nodes.size(), kNone);
  for (std::uint32_t i = 0; i < senders_.size(); ++i)
    if (senders_[i].free_at >= position_) sender_of[senders_[i].node] = i;
  std::vector<Waiting> waiting;
  for (std::uint32_t port = 0; port < ports_.size(); ++port) {
    const List& later = list(kParts, port);
    for (std::uint32_t i = 0; i < later.count; ++i) {
      const Entry& entry = entries_[later.begin + i];
      const std::uint32_t sender = sender_of[node_of(entry)];
      if (sender == kNone) continue;
      const bool is_packet = (entry.flow & kPacket) != 0;
      const Packet* packet = is_packet ? &path_.packets()[entry.flow & ~kPacket] : nullptr;
      waiting.push_back(
          {sender, is_packet ? packet->sent_at : entry.at - Picos{entry.since_sent & ~kSampled},
           is_packet ? flow_of_[packet->sender / 2] : entry.flow});
    }
  }
  // From the last to the first: each left, or will leave, when the next one began, if that waited.
  std::ranges::sort(waiting, std::greater<>(), [this](const Waiting& of) {
    return std::tuple(of.sender, of.sent, settled_[of.flow].client);
  });
  std::int64_t count = 0;
  std::uint32_t sender = kNone;
  Picos left;
  for (const Waiting& of : waiting) {
    if (of.sender != sender) left = senders_[of.sender].free_at;
    sender = of.sender;
    if (left < position_) continue;
    left -= kinds_[sending_[of.flow].kind].nic_time;
    if (left > of.sent)
      ++count;
    else
      left = {};  // It found the NIC idle.
  }
  return count;
}

void DatagramSpan::finish(bool is_end) {
  if (is_end) path_.packets().count_hops(-count_in_nics());
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
  turns_.clear();
  ports_.clear();
  lists_.clear();
  entries_.clear();
}

/// Returns the flows and their NICs.
void DatagramSpan::return_flows() {
  for (const Turn& turn : turns_)
    settled_[turn.flow].next = turn.at;
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
    const std::int64_t sent = std::int64_t{sending.packets} - client.packets;
    if (sent == 0) {
      flows_.unsuspend(settled.client, settled.next);
      continue;
    }
    decisions.repeat_on_node(settled.way.entry, 0, settled.from, sent - settled.checked,
                             sending.last_sent);
    client.packets = sending.packets;
    if (client.is_ipv4)
      client.identification =
          static_cast<std::uint16_t>(client.identification + (sent << client.identification_bits));
    flow.times.last = sending.last;
    flow.random = sending.random;
    flows_.resume(settled.client, settled.next);
  }
  for (const Sender& sender : senders_) {
    path_.fabric().crossing(sender.node, kWithinZone).jitter = sender.jitter;
    for (const std::uint16_t way : {kWithinZone, kAcrossZones})
      path_.fabric().crossing(sender.node, way).last = sender.last_arrival[way];
    if (sender.last_flow == kNone) continue;
    const SettledFlow& last = settled_[sender.last_flow];
    path_.nics().carry(sender.node, sender.work, sender.free_at, last.client, last.ip_bytes);
  }
}

/// Returns the ports. Datagrams on their way become packets.
void DatagramSpan::return_ports() {
  for (std::uint32_t number = 0; number < ports_.size(); ++number) {
    const PortState& port = ports_[number];
    const List& left = list(kParts, number);
    path_.ports().carry(port.node, port.work, port.free_at);
    sort(left);
    const Entry* const entries = entries_.data() + left.begin;
    // The identification of a flow's last datagram on its way is the one before the next.
    std::vector<std::uint16_t> identifications(left.count);
    std::vector<std::pair<std::uint32_t, std::uint16_t>> later;
    for (std::uint32_t i = left.count; i-- > 0;) {
      const std::uint32_t flow =
          (entries[i].flow & kPacket) == 0
              ? entries[i].flow
              : flow_of_[path_.packets()[entries[i].flow & ~kPacket].sender / 2];
      auto known = std::ranges::find(later, flow, &std::pair<std::uint32_t, std::uint16_t>::first);
      if (known == later.end()) known = later.insert(known, {flow, std::uint16_t{0}});
      const Endpoint& client = table_.end(settled_[flow].client);
      identifications[i] = static_cast<std::uint16_t>(
          client.identification - (++known->second << client.identification_bits));
    }
    for (std::uint32_t i = 0; i < left.count; ++i) {
      const Entry& entry = entries[i];
      const std::uint32_t from = node_of(entry);
      PacketId id = entry.flow & ~kPacket;
      if ((entry.flow & kPacket) == 0) {
        const SettledFlow& settled = settled_[entry.flow];
        const CachedFabricDecision& fabric = settled.way.decisions.fabric;
        const bool is_ipv4 = table_.end(settled.client).is_ipv4;
        id = make_packet(entry.flow, entry.at - Picos{entry.since_sent & ~kSampled},
                         is_ipv4 ? identifications[i] : std::uint16_t{0});
        Packet& packet = path_.packets()[id];
        packet.node = fabric.to;
        packet.core = fabric.core;
        packet.length = settled.way.outer_length;
        packet.sampled = (entry.since_sent & kSampled) != 0;
        packet.stage = CachedDecisions::kFabricStage + 1;
        packet.cache_entry = settled.way.entry;
        path_.decisions().hold_entry(settled.way.entry);
      }
      path_.ports().expect(id, from, path_.fabric().way_between(from, port.node), entry.at);
    }
  }
}

}  // namespace overlane::run
