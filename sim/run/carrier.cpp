#include "sim/run/carrier.h"

#include <algorithm>

#include "sim/host/frame.h"
#include "sim/host/machine.h"

namespace overlane::run {
namespace {

using forward::Egress;
using forward::Ingress;

/// The core that a receiving NIC or RPS picks by the header that it sees: IPIP shows no ports, a
/// VXLAN packet the source port that stands for its inner flow.
std::uint32_t receive_core(const forward::Packet& packet, std::size_t cores) {
  FlowKey key = packet.flow();
  if (packet.is_encapsulated()) {
    const bool ports = packet.outer.protocol == forward::kUdp && !packet.outer.is_fragment();
    key = {.source = packet.outer.source,
           .destination = packet.outer.destination,
           .source_port = ports ? packet.outer_source_port : std::uint16_t{0},
           .destination_port = ports ? packet.outer_destination_port : std::uint16_t{0},
           .protocol = packet.outer.protocol};
  }
  return static_cast<std::uint32_t>(flow_hash(key) % cores);
}

std::int64_t ip_bytes(const forward::Packet& packet) {
  return packet.outermost().total_length;
}

}  // namespace

Carrier::Carrier(const Network& network, std::uint64_t seed, std::vector<NodeStations> stations,
                 core::Scheduler& scheduler, Accounts& accounts)
    : network_(network),
      scheduler_(scheduler),
      accounts_(accounts),
      nodes_(network.nodes),
      fabric_(network.fabric),
      runtimes_(network.nodes.size()),
      stations_(std::move(stations)),
      first_end_station_(first_end_station(stations_)),
      byte_check_(seed) {
  if (network.costs) costs_.emplace(*network.costs);
  for (std::uint64_t node = 0; node < nodes_.size(); ++node)
    jitter_.emplace_back(seed, StreamUse::PacketGap, node);
}

void Carrier::send(const Flight& flight) {
  accounts_.sent(flight.sender);
  ++packet_hops_;  // The pod's veth.
  process(flights_.add(flight), Ingress::Pod);
}

void Carrier::process(FlightId id, Ingress ingress) {
  const Flight& flight = flights_[id];
  if (costs_ && stations_[flight.node].cores[flight.core].full())
    return finish(id, Drop::CpuBacklogFull);
  decide(flight, ingress);
  for (const node::ReassemblyKey& key : outcome_.completed)
    held_.complete(flight.node, key, accounts_);
  if (outcome_.held) return hold(id);
  emit_all(id, ingress);
}

void Carrier::decide(const Flight& flight, Ingress ingress) {
  const node::NodeState& state = nodes_[flight.node];
  node::NodeRuntime& runtime = runtimes_[flight.node];
  const Picos now = scheduler_.now();
  if (!flight.sampled) {
    return forward::forward(state, runtime, flight.packet, ingress, now, outcome_);
  }
  const auto expected = ByteCheck::expect(state, runtime, flight.packet, ingress, now);
  runtime.connections.checkpoint();
  forward::forward(state, runtime, flight.packet, ingress, now, outcome_);
  byte_check_.node(state, expected, runtime, outcome_);
  runtime.connections.keep();
}

void Carrier::states_changed() {
  for (std::size_t node = 0; node < nodes_.size(); ++node)
    node::forget_lost_devices(runtimes_[node], nodes_[node]);
}

/// Sends on what forward() made of a packet. The packet itself, or its first fragment, keeps its
/// flight; further fragments and an ICMP error get their own.
void Carrier::emit_all(FlightId id, Ingress ingress) {
  const Encapsulation in = flights_[id].packet.encapsulation;
  ready_.clear();
  bool goes_on = false;
  for (const forward::Emission& emission : outcome_.emissions) {
    FlightId next = id;
    if (emission.is_reply) {
      next = reply_to(id);
    } else if (std::exchange(goes_on, true)) {
      next = another_piece_of(id);
    }
    flights_[next].local = ingress == Ingress::Pod && emission.egress == Egress::Pod;
    carry(next, emission);
    ready_.push_back(next);
  }
  if (outcome_.drop) {
    if (costs_) occupy(id, ingress, in);
    finish(goes_on ? another_piece_of(id) : id, outcome_.drop);
  } else if (!goes_on) {
    finish(id, std::nullopt);  // The node itself has taken it.
  }
  for (const FlightId next : ready_)
    work(next, ingress, in);
}

void Carrier::carry(FlightId id, const forward::Emission& emission) {
  Flight& flight = flights_[id];
  if (emission.packet.outermost().is_fragment()) flight.skb_share = 1;
  flight.packet = emission.packet;
  flight.egress = emission.egress;
  flight.next_hop = emission.next_hop;
}

FlightId Carrier::reply_to(FlightId cause) {
  Flight reply{.sender = flights_[cause].sender,
               .node = flights_[cause].node,
               .core = flights_[cause].core,
               .is_icmp = true,
               .sampled = flights_[cause].sampled};
  accounts_.sent(reply.sender);
  return flights_.add(reply);
}

FlightId Carrier::another_piece_of(FlightId id) {
  Flight piece = flights_[id];
  piece.host_bytes = 0;
  accounts_.sent(piece.sender);
  return flights_.add(piece);
}

/// A fragment that waits for the others: for this node, or because connections are tracked.
void Carrier::hold(FlightId id) {
  Flight& flight = flights_[id];
  leave_host(flight);
  const node::ReassemblyKey key = *outcome_.held;
  if (held_.hold(flight.node, key, flight)) {
    const node::Sysctls& sysctls = nodes_[flight.node].sysctls;
    schedule(scheduler_.now() + sysctls.reassembly_timeout(key.destination.family()),
             stations_[flight.node].nic_id(), EventKind::NodeExpiry, flight.node);
  }
  flights_.remove(id);
}

void Carrier::node_expiry(std::uint32_t node) {
  const auto expired = runtimes_[node].reassembly.expire(scheduler_.now());
  for (const node::ReassemblyTable::Expired& lost : expired) {
    const auto error = held_.error_about(node, lost.key);
    if (lost.first && error) answer_timeout(*error, lost);
  }
  held_.expire(node, expired, accounts_);
}

void Carrier::answer_timeout(const Flight& error, const node::ReassemblyTable::Expired& lost) {
  const node::NodeState& state = nodes_[error.node];
  node::NodeRuntime& runtime = runtimes_[error.node];
  const Picos now = scheduler_.now();
  std::optional<ByteCheck::Expected> expected;
  if (error.sampled) expected = ByteCheck::expect(state, runtime, lost, now);
  runtime.connections.checkpoint();
  forward::time_out(state, runtime, lost, now, outcome_);
  if (expected) byte_check_.node(state, *expected, runtime, outcome_);
  runtime.connections.keep();
  ready_.clear();
  for (const forward::Emission& emission : outcome_.emissions) {
    ready_.push_back(flights_.add(error));
    accounts_.sent(error.sender);
    carry(ready_.back(), emission);
  }
  for (const FlightId id : ready_)
    work(id, Ingress::Uplink, Encapsulation::None);
}

Picos Carrier::work_time(const Flight& flight, Ingress ingress, Encapsulation in) const {
  const Encapsulation out = flight.packet.encapsulation;
  const bool from_pod = ingress == Ingress::Pod && !flight.is_icmp;
  const bool to_pod = flight.egress == Egress::Pod;
  const cost::StageCost& cost = from_pod ? to_pod ? costs_->local() : costs_->send(out)
                                : to_pod ? costs_->receive(in)
                                         : costs_->transit(in, out);
  return cost::time_of(cost, ip_bytes(flight.packet), flight.skb_share);
}

/// What a core did for a packet before it was dropped.
void Carrier::occupy(FlightId id, Ingress ingress, Encapsulation in) {
  const Flight& flight = flights_[id];
  stations_[flight.node].cores[flight.core].occupy(scheduler_.now(),
                                                   work_time(flight, ingress, in));
}

/// Lets a core do its work on a packet; then it goes on.
void Carrier::work(FlightId id, Ingress ingress, Encapsulation in) {
  if (!costs_) return onward(id);
  const Flight& flight = flights_[id];
  NodeStations& node = stations_[flight.node];
  const auto done =
      node.cores[flight.core].arrive(scheduler_.now(), work_time(flight, ingress, in));
  if (!done) return finish(id, Drop::CpuBacklogFull);
  schedule(*done, node.core_id(flight.core), EventKind::CoreDone, id);
}

void Carrier::core_done(FlightId id) {
  const Flight& flight = flights_[id];
  stations_[flight.node].cores[flight.core].leave();
  onward(id);
}

void Carrier::onward(FlightId id) {
  const Flight& flight = flights_[id];
  switch (flight.egress) {
    case Egress::Host:
      return finish(id, std::nullopt);
    case Egress::Pod: {
      const EndId receiver = flight.is_icmp ? flight.sender : flight.sender ^ 1;
      Picos time = scheduler_.now();
      if (flight.local) {
        const Picos copy = serialization_time(Bytes{ip_bytes(flight.packet)}, host::kLocalRate);
        time = stations_[flight.node].memory.occupy(time, copy);
      }
      ++packet_hops_;  // The pod's veth.
      return schedule(time, first_end_station_ + receiver, EventKind::Deliver, id);
    }
    case Egress::Uplink: {
      NodeStations& node = stations_[flight.node];
      const Picos time =
          host::frame_time(ip_bytes(flight.packet), network_.machines[flight.node].nic_rate);
      const auto sent = node.nic.arrive(scheduler_.now(), time);
      if (!sent) return finish(id, Drop::NicQueueFull);
      return schedule(*sent, node.nic_id(), EventKind::NicDone, id);
    }
  }
}

void Carrier::nic_done(FlightId id) {
  Flight& flight = flights_[id];
  const std::uint32_t from = flight.node;
  ++packet_hops_;
  stations_[from].nic.leave();
  leave_host(flight);
  std::optional<node::FabricRuntime> before;
  if (flight.sampled) before = fabric_runtime_;
  forward::forward(fabric_, flight.packet, from, flight.next_hop, fabric_outcome_, nullptr,
                   &fabric_runtime_, scheduler_.now());
  if (before) {
    byte_check_.fabric(fabric_, *before, flight.packet, from, flight.next_hop, scheduler_.now(),
                       fabric_outcome_);
  }
  if (fabric_outcome_.reply) {
    const FlightId reply = reply_to(id);
    flights_[reply].packet = *fabric_outcome_.reply;
    cross(reply, from);
  }
  if (fabric_outcome_.drop) return finish(id, fabric_outcome_.drop);
  flights_[id].packet = fabric_outcome_.packet;
  cross(id, fabric_outcome_.instance);
}

void Carrier::cross(FlightId id, std::uint32_t to) {
  Flight& flight = flights_[id];
  const Picos time = arrival(flight.node, to);
  flight.node = to;
  schedule(time, stations_[to].port_id(), EventKind::PortArrive, id);
}

Picos Carrier::arrival(std::uint32_t from, std::uint32_t to) {
  Picos time = scheduler_.now() + fabric::latency(network_.paths, fabric_, from, to);
  if (network_.paths.jitter.count == 0) return time;
  const auto jitter = static_cast<std::uint64_t>(network_.paths.jitter.count);
  time += {static_cast<std::int64_t>(jitter_[from].below(jitter))};
  Picos& last = last_arrival_[std::uint64_t{from} << 32 | to];
  return last = std::max(last, time);
}

void Carrier::port_arrive(FlightId id) {
  const Flight& flight = flights_[id];
  NodeStations& node = stations_[flight.node];
  const Picos time =
      host::frame_time(ip_bytes(flight.packet), network_.machines[flight.node].nic_rate);
  const auto received = node.port.arrive(scheduler_.now(), time);
  if (!received) return finish(id, Drop::FabricQueueFull);
  schedule(*received, node.port_id(), EventKind::PortDone, id);
}

void Carrier::port_done(FlightId id) {
  Flight& flight = flights_[id];
  ++packet_hops_;
  NodeStations& node = stations_[flight.node];
  node.port.leave();
  if (costs_) flight.core = receive_core(flight.packet, node.cores.size());
  process(id, Ingress::Uplink);
}

void Carrier::leave_host(Flight& flight) {
  if (flight.host_bytes == 0) return;
  departures_.push_back({flight.sender, std::exchange(flight.host_bytes, 0)});
}

void Carrier::finish(FlightId id, std::optional<Drop> reason) {
  Flight& flight = flights_[id];
  leave_host(flight);
  if (reason) {
    accounts_.dropped(flight.sender, *reason);
  } else {
    accounts_.delivered(flight.sender);
  }
  flights_.remove(id);
}

void Carrier::hold_in_pod(FlightId id, EndId pod) {
  const Flight& flight = flights_[id];
  const node::ReassemblyKey key = reassembly_key(flight.packet.inner);
  if (held_.hold(pod_place(pod), key, flight)) {
    schedule(scheduler_.now() + node::reassembly_timeout(key.destination.family()),
             first_end_station_ + pod, EventKind::EndExpiry, pod);
  }
  flights_.remove(id);
}

void Carrier::complete_in_pod(const node::ReassemblyKey& key, EndId pod) {
  held_.complete(pod_place(pod), key, accounts_);
}

void Carrier::expire_in_pod(const std::vector<node::ReassemblyTable::Expired>& expired, EndId pod) {
  held_.expire(pod_place(pod), expired, accounts_);
}

std::vector<EndId> Carrier::in_flight() const {
  std::vector<EndId> senders;
  for (const Flight& flight : flights_.slots())
    if (flight.alive) senders.push_back(flight.sender);
  held_.list(senders);
  return senders;
}

}  // namespace overlane::run
