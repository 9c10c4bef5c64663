#include "sim/run/path/fabric_path.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <string_view>
#include <utility>

#include "sim/run/path/border.h"

namespace overlane::run {
namespace {

/// Largest jitter for which a port reorders arrivals (ArrivalQueue); beyond it, arrivals are
/// events.
constexpr Picos kMaxShuffled = microseconds(10);

/// Number of packets ahead for which memory is prefetched when mail is written or taken.
constexpr std::size_t kAhead = 8;

}  // namespace

FabricPath::FabricPath(const Network& network, const RunOptions& options, std::size_t ends,
                       Decisions& decisions, Packets& packets, Ports& ports, Border& border)
    : network_(network),
      decisions_(decisions),
      packets_(packets),
      ports_(ports),
      border_(border),
      arrives_by_event_(network.limits.has_allowances() || network.paths.racks ||
                        network.paths.jitter > kMaxShuffled || options.trace != nullptr ||
                        options.series),
      loss_(network.paths.loss, options.seed) {
  if (network.limits != fabric::Limits{})
    shapers_.assign(network.nodes.size(), NodeShapers(network.limits, options.warm_up));
  if (decisions.states().racks())
    racks_.emplace(*decisions.states().racks(), *network.paths.racks, ends, packets);
  for (std::uint64_t node = 0; node < network.nodes.size(); ++node)
    ways_.emplace_back(RandomStream(options.seed, StreamUse::PacketGap, node));
  number_zones();
}

void FabricPath::number_zones() {
  const node::FabricState& fabric = decisions_.states().fabric();
  std::map<std::string_view, std::uint32_t> numbers;
  zones_.clear();
  for (const node::Instance& instance : fabric.instances) {
    const std::string_view zone = node::zone_of(fabric, instance);
    zones_.push_back(
        numbers.try_emplace(zone, static_cast<std::uint32_t>(numbers.size())).first->second);
  }
}

void FabricPath::enter(PacketId id) {
  const Picos now = packets_.now();
  const NextHop next = decide(id, [this, now](PacketId error, std::uint32_t from) {
    cross(error, from, now);  // It returns from the first hop.
  });
  if (!next.is_lost) send_to(id, next, now);
}

bool FabricPath::enter_ahead(PacketId id, Picos at) {
  Packet& packet = packets_[id];
  const CachedFabricDecision* known = decisions_.known_in_fabric(packet);
  if (known == nullptr) return false;
  const NextHop next = next_hop_of(*known);
  if (network_.limits.single_flow && is_capped(packet, next, at)) return false;
  leave_host(packet);
  decisions_.apply(packet, *known);
  send_to(id, next, at);
  return true;
}

/// Whether the cap on a packet's flow delays the packet, which leaves its node at `at`, or may do
/// so.
bool FabricPath::is_capped(const Packet& packet, const NextHop& next, Picos at) {
  NodeShapers& shapers = shapers_[packet.node];
  if (shapers.capped > 0) return true;  // One of the waiting packets may leave before this one.
  return !shapers.flows[cap_of(packet, next, packet.node)].bucket.passes_at_once(at);
}

/// Applies the cap on a packet's flow and the limit of its node; the packet passes or waits.
void FabricPath::enter_limits(PacketId id, const NextHop& next, std::uint32_t from, Picos at) {
  if (!network_.limits.single_flow) return leave_instance(id, from, at);
  const Packet& packet = packets_[id];
  const std::uint16_t number = cap_of(packet, next, from);
  FlowCaps& caps = shapers_[from].flows;
  FlowCap& cap = caps[number];
  if (cap.waiting == network_.paths.port_queue_packets)
    return packets_.drop(id, Drop::FabricQueueFull);
  const Picos passed = cap.bucket.take(at, caps.time_of(packet.length));
  if (passes(cap, id, at, passed, {EventKind::FlowCap, from, number}))
    return leave_instance(id, from, at);
  ++shapers_[from].capped;
}

/// Carries out the outcome of forward() for a packet.
FabricPath::HopAndError FabricPath::carry_out(PacketId id, const forward::FabricOutcome& outcome) {
  HopAndError applied{.next = {.is_lost = true}};
  if (outcome.reply) {
    applied.error = packets_.add_error_about(id);
    decisions_.give_header(packets_[applied.error], *outcome.reply, {});
    packets_[applied.error].core =
        receive_core(*outcome.reply, network_.machines[packets_[id].node]);
  }
  if (outcome.denied_reply) {
    const PacketId denied = packets_.add_error_about(id);
    decisions_.give_header(packets_[denied], *outcome.denied_reply, {});
    packets_.drop(denied, Drop::FabricPacketFilter);
  }
  if (outcome.drop) {
    packets_.drop(id, *outcome.drop);
    return applied;
  }
  decisions_.give_header(packets_[id], outcome.packet, {});
  applied.next = {outcome.instance,
                  receive_core(outcome.packet, network_.machines[outcome.instance]),
                  shows_ports(outcome.packet)};
  return applied;
}

/// Returns whether a packet that came at `came` and may pass at `at` passes at once. If not, it
/// waits.
bool FabricPath::passes(Shaper& shaper, PacketId id, Picos came, Picos at, StationEvent event) {
  if (at == came && shaper.waiting == 0) return true;
  ++shaper.waiting;
  packets_.wait(shaper.pipe, id, at, event);
  return false;
}

PacketId FabricPath::let_pass(Shaper& shaper, StationEvent event) {
  --shaper.waiting;
  return packets_.take(shaper.pipe, event);
}

void FabricPath::flow_cap_passed(std::uint32_t node, std::uint16_t number) {
  --shapers_[node].capped;
  leave_instance(let_pass(shapers_[node].flows[number], {EventKind::FlowCap, node, number}), node,
                 packets_.now());
}

void FabricPath::leave_instance(PacketId id, std::uint32_t from, Picos at) {
  if (network_.limits.has_allowances()) {
    assert(at == packets_.now());
    Allowance& out = shapers_[from].out;
    const auto passed = allowed(out, id);
    if (!passed) return packets_.drop(id, Drop::FabricQueueFull);
    if (!passes(out, id, at, *passed, {EventKind::Allowance, from, kOut})) return;
  }
  cross(id, from, at);
}

/// Time at which an allowance lets a packet pass that comes now; nullopt if too many packets wait.
std::optional<Picos> FabricPath::allowed(Allowance& allowance, PacketId id) {
  if (allowance.waiting == network_.paths.port_queue_packets) return std::nullopt;
  return allowance.take(packets_.now(), packets_[id].length);
}

void FabricPath::allowance_passed(std::uint32_t node, std::uint16_t direction) {
  const StationEvent event{EventKind::Allowance, node, direction};
  if (direction == kIn) return ports_.enter(let_pass(shapers_[node].in, event));
  cross(let_pass(shapers_[node].out, event), node, packets_.now());
}

void FabricPath::cross(PacketId id, std::uint32_t from, Picos at) {
  Packet& packet = packets_[id];
  const bool within = zones_[from] == zones_[packet.node];
  // An ICMP error draws from the stream of the endpoint whose packet caused it.
  if (loss_.any() && packet.is_icmp && border_.is_open())
    throw NeedsOnePartition{"packets are lost by chance, ICMP errors too"};
  if (loss_.any() && loss_.loses_next(packet.sender, within))
    return packets_.drop(id, Drop::RandomLoss);
  if (racks_ && !racks_->plan().share_rack(from, packet.node))
    racks_->choose_spine(packet, decisions_.spine(packet, from));
  const fabric::Paths& paths = network_.paths;
  WaysOut& ways = ways_[from];
  Picos time = at + (within ? paths.within_zone : paths.across_zones);
  if (paths.jitter.count != 0) {
    const auto jitter = static_cast<std::uint64_t>(paths.jitter.count);
    time += {static_cast<std::int64_t>(ways.jitter.below(jitter))};
  }
  const std::uint16_t number = within ? kWithinZone : kAcrossZones;
  DelayLine& line = ways.lines[number];
  line.last = std::max(line.last, time);
  if (border_.is_beyond(packet.node)) return leave_partition(id, from, number, line.last);
  arrive_at(id, from, number, line.last);
}

void FabricPath::leave_partition(PacketId id, std::uint32_t from, std::uint16_t way, Picos at) {
  Packet& packet = packets_[id];
  packet.at = at;
  Mail& mail = border_.mail_to(packet.node, at);
  mail.ways.push_back({from, way, decisions_.carry(packet, mail.headers)});
  mail.packets.push_back(packet);
  // Another core read this memory last, so it is not in this core's cache.
  if (const std::size_t next = mail.packets.size() + kAhead; next < mail.packets.capacity())
    core::prefetch_to_write(mail.packets.data() + next);
  if (packet.is_tcp) mail.segments.push_back(packets_.segment(id));
  packets_.go_over(id);
}

void FabricPath::take(const Mail& mail, std::uint16_t partition) {
  auto segment = mail.segments.begin();
  auto copy = mail.headers.copies.begin();
  auto own = mail.headers.own.begin();
  for (std::size_t i = 0; i < mail.packets.size(); ++i) {
    if (i + kAhead < mail.packets.size()) {
      const Packet& later = mail.packets[i + kAhead];
      ports_.prefetch(later.node);
      if (later.cache_entry != kNone) decisions_.prefetch_copy(partition, later.cache_entry);
    }
    const Packet& sent = mail.packets[i];
    const Mail::Way& way = mail.ways[i];
    const PacketId id = packets_.come_over(sent);
    Packet& packet = packets_[id];
    packet.header = kNone;
    if (sent.cache_entry == kNone)
      decisions_.take_over(packet, *own++);
    else if (way.brings_header)
      decisions_.take_over(packet, partition, *copy++);
    else
      decisions_.take_over(packet, partition);
    if (packet.is_tcp) packets_.segment(id) = *segment++;
    arrive_at(id, way.from, way.number, sent.at);
  }
}

EndpointId FabricPath::delay_passed(std::uint32_t sender, std::uint16_t way) {
  const StationEvent event{EventKind::PortArrive, sender, way};
  const PacketId id = packets_.take(ways_[sender].lines[way].pipe, event);
  if (!racks_ || racks_->plan().share_rack(sender, packets_[id].node)) return reach_node(id);
  const EndpointId end = packets_[id].sender;
  racks_->enter(id, sender);
  return end;
}

void FabricPath::leaf_done(std::uint32_t number) {
  ports_.prefetch(racks_->leaf_done(number));  // The packet will soon be there.
}

EndpointId FabricPath::spine_done(std::uint32_t number) {
  return reach_node(racks_->spine_done(number));
}

/// A packet enters the receiver's port, or waits for the receiver's allowance.
EndpointId FabricPath::reach_node(PacketId id) {
  const Packet& packet = packets_[id];
  const EndpointId end = packet.sender;
  if (network_.limits.has_allowances()) {
    Allowance& in = shapers_[packet.node].in;
    const auto at = allowed(in, id);
    if (!at) {
      packets_.drop(id, Drop::FabricQueueFull);
      return end;
    }
    if (!passes(in, id, packets_.now(), *at, {EventKind::Allowance, packet.node, kIn})) return end;
  }
  decisions_.prefetch(packet);
  ports_.enter(id);
  return end;
}

}  // namespace overlane::run
