#include <algorithm>
#include <map>
#include <string_view>

#include "sim/run/path/carrier.h"

namespace overlane::run {

// From NIC to NIC: what the fabric decides, lets pass and takes for it.

void Carrier::number_zones() {
  const node::FabricState& fabric = decisions_.fabric();
  std::map<std::string_view, std::uint32_t> numbers;
  zones_.clear();
  for (const node::Instance& instance : fabric.instances) {
    const std::string_view zone = fabric.subnets[instance.subnet].zone;
    zones_.push_back(
        numbers.try_emplace(zone, static_cast<std::uint32_t>(numbers.size())).first->second);
  }
}

void Carrier::enter_nic(PacketId id) {
  if (fabric_is_steady_ && send_at_once(id)) return;
  const PacketInFlight& flight = flights_[id];
  NodeStations& node = stations_[flight.node];
  const auto sent = accept(node, flight);
  if (!sent) return finish(id, Drop::NicQueueFull);
  wait(node.nic.pipe, id, *sent, {EventKind::NicDone, flight.node});
}

/// When the packet will have left the NIC; nothing when the queue is full. The queue counts socket
/// buffers: a packet that shares the previous packet's buffer is accepted or refused with it.
std::optional<Picos> Carrier::accept(NodeStations& node, const PacketInFlight& flight) {
  const Picos now = scheduler_.now();
  const Picos time = node.link.frame_time(flight.length);
  const bool was_refused = std::ranges::count(node.refused, flight.sender) > 0;
  if (flight.shares_buffer) {
    return was_refused ? std::nullopt : std::optional(node.nic.server.occupy(now, time));
  }
  const auto sent = node.nic.server.arrive(now, time);
  if (was_refused) std::erase(node.refused, flight.sender);
  if (!sent && flight.is_tcp) node.refused.push_back(flight.sender);
  return sent;
}

/// What becomes of a datagram that finds the NIC idle is known, if the fabric's decision is: no
/// event is needed when it has left. (A segment's connection waits for that.)
bool Carrier::send_at_once(PacketId id) {
  PacketInFlight& flight = flights_[id];
  NodeStations& node = stations_[flight.node];
  const Picos now = scheduler_.now();
  if (flight.is_tcp || !node.nic.pipe.empty() || !node.nic.server.idle(now)) return false;
  const Picos frame = node.link.frame_time(flight.length);
  if (now + frame >= next_change_) return false;
  const CachedDecision* hop = decisions_.follow_fabric(flight);
  if (hop == nullptr) return false;
  const Picos sent = node.nic.server.arrive_alone(now, frame);
  node.sent_at_once = {flight.sender, flight.host_bytes, sent};
  ++packet_hops_;
  leave_host(flight);
  flight.core = hop->core;
  cross(id, std::exchange(flight.node, hop->to), sent);
  return true;
}

void Carrier::nic_done(std::uint32_t node) {
  Station& nic = stations_[node].nic;
  const PacketId id = take(nic.pipe, {EventKind::NicDone, node});
  if (id == kNone) return;
  if (!flights_[id].shares_buffer) nic.server.leave();
  leave_node(id);
}

/// Out of the NIC, or into the veth pair that takes its place.
void Carrier::leave_node(PacketId id) {
  ++packet_hops_;
  PacketInFlight& flight = flights_[id];
  const std::uint32_t node = flight.node;
  leave_host(flight);
  if (const CachedDecision* hop = decisions_.follow_fabric(flight)) return depart(id, *hop);
  if (decisions_.ask_fabric(flight, decisions_.header(flight), scheduler_.now()))
    return depart(id, decisions_.passed(flight));
  const forward::FabricOutcome& outcome = decisions_.fabric_outcome();
  if (outcome.reply) {
    const PacketId reply = reply_to(id);
    decisions_.give_header(flights_[reply], *outcome.reply, {});
    flights_[reply].core = receive_core(*outcome.reply, network_.machines[node]);
    cross(reply, node, scheduler_.now());  // Comes back from the first hop.
  }
  if (outcome.denied_reply) {
    const PacketId reply = reply_to(id);
    decisions_.give_header(flights_[reply], *outcome.denied_reply, {});
    finish(reply, Drop::FabricPacketFilter);
  }
  if (outcome.drop) return finish(id, outcome.drop);
  decisions_.give_header(flights_[id], outcome.packet, {});
  const CachedDecision hop{
      .to = outcome.instance,
      .core = receive_core(outcome.packet, network_.machines[outcome.instance]),
      .shows_ports = shows_ports(outcome.packet)};
  depart(id, hop);
}

/// Out of its node, as the decision says, once flow cap and allowance let it pass.
void Carrier::depart(PacketId id, const CachedDecision& hop) {
  PacketInFlight& flight = flights_[id];
  const std::uint32_t from = std::exchange(flight.node, hop.to);
  if (by_veth_) {
    // A buffer passes whole, unless the kernel had to cut it up for want of an offload.
    flight.shares_buffer &=
        cost::nic_segments(offloads(from), decisions_.header_shape(flight).encapsulation);
    return receive(id);
  }
  flight.core = hop.core;
  if (!network_.limits.single_flow) return leave_instance(id, from);
  FlowCaps& caps = shapers_[from].flows;
  const std::uint16_t number =
      caps.number_of(hop.shows_ports ? flow_with_ports(flight.sender) : flow_without_ports(hop.to));
  FlowCap& cap = caps[number];
  if (cap.waiting == network_.paths.port_queue_packets) return finish(id, Drop::FabricQueueFull);
  const Picos time = serialization_time(Bytes{flight.length}, *network_.limits.single_flow);
  const Picos at = cap.bucket.take(scheduler_.now(), time);
  if (passes(cap, id, at, {EventKind::FlowCap, from, number})) leave_instance(id, from);
}

/// Whether a packet passes at once; else it waits until `at`.
bool Carrier::passes(Shaper& shaper, PacketId id, Picos at, What what) {
  if (at == scheduler_.now() && shaper.waiting == 0) return true;
  ++shaper.waiting;
  wait(shaper.pipe, id, at, what);
  return false;
}

PacketId Carrier::let_pass(Shaper& shaper, What what) {
  --shaper.waiting;
  return take(shaper.pipe, what);
}

void Carrier::flow_cap_passed(std::uint32_t node, std::uint16_t number) {
  leave_instance(let_pass(shapers_[node].flows[number], {EventKind::FlowCap, node, number}), node);
}

void Carrier::leave_instance(PacketId id, std::uint32_t from) {
  if (network_.limits.has_allowances()) {
    Allowance& out = shapers_[from].out;
    const auto at = allowed(out, id);
    if (!at) return finish(id, Drop::FabricQueueFull);
    if (!passes(out, id, *at, {EventKind::Allowance, from, kOut})) return;
  }
  cross(id, from, scheduler_.now());
}

/// When an allowance lets a packet pass; nothing when too many wait for that already.
std::optional<Picos> Carrier::allowed(Allowance& allowance, PacketId id) {
  if (allowance.waiting == network_.paths.port_queue_packets) return std::nullopt;
  return allowance.take(scheduler_.now(), flights_[id].length);
}

void Carrier::allowance_passed(std::uint32_t node, std::uint16_t direction) {
  const What what{EventKind::Allowance, node, direction};
  if (direction == kOut) return cross(let_pass(shapers_[node].out, what), node, scheduler_.now());
  enter_port(let_pass(shapers_[node].in, what));
}

/// Through the fabric, which gets the packet at `at`.
void Carrier::cross(PacketId id, std::uint32_t from, Picos at) {
  if (by_veth_) return receive(id);
  const bool within = zones_[from] == zones_[flights_[id].node];
  if (!is_plain_ && !gets_through(id, from, within)) return;
  const fabric::Paths& paths = network_.paths;
  Picos time = at + (within ? paths.within_zone : paths.across_zones);
  if (paths.jitter.count != 0) {
    const auto jitter = static_cast<std::uint64_t>(paths.jitter.count);
    time += {static_cast<std::int64_t>(jitter_[from].below(jitter))};
  }
  const std::uint16_t number = within ? kWithinZone : kAcrossZones;
  DelayLine& way = stations_[from].delay_lines[number];
  way.last = std::max(way.last, time);
  if (joins_ports_) return enqueue_arrival(id, from, number, way.last);
  wait(way.pipe, id, way.last, {EventKind::PortArrive, from, number});
}

/// False when the packet is lost at random. Otherwise its spine is chosen.
bool Carrier::gets_through(PacketId id, std::uint32_t from, bool within) {
  if (loss_.any() && loss_.loses_next(flights_[id].sender, within)) {
    finish(id, Drop::RandomLoss);
    return false;
  }
  if (racks_) choose_spine(id, from);
  return true;
}

}  // namespace overlane::run
