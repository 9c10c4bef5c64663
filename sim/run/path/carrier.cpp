#include "sim/run/path/carrier.h"

#include <algorithm>

#include "sim/host/machine.h"
#include "sim/run/packet/path_observer.h"

namespace overlane::run {
namespace {

using forward::Egress;
using forward::Ingress;

/// The working set of one end with its cache entry, and the size of a core's own caches.
constexpr std::size_t kEndMemory = 256 + sizeof(FlowCacheEntry);
constexpr std::size_t kCache = 2 << 20;

/// Packets that may come to a port so much out of order are put in order there.
constexpr Picos kMostShuffled = microseconds(10);

}  // namespace

Carrier::Carrier(const Network& network, const std::vector<TrafficGroup>& traffic,
                 const RunOptions& options, std::size_t ends, std::vector<NodeStations> stations,
                 core::Scheduler& scheduler, Accounts& accounts)
    : network_(network),
      traffic_(traffic),
      scheduler_(scheduler),
      accounts_(accounts),
      has_costs_(network.costs.has_value()),
      fabric_is_steady_(network.limits == fabric::Limits{} && !network.paths.loss.any() &&
                        options.trace == nullptr),
      joins_ports_(!network.limits.has_allowances() && !network.paths.racks &&
                   network.paths.jitter <= kMostShuffled && options.trace == nullptr &&
                   !options.series),
      is_large_(ends * kEndMemory + network.nodes.size() * sizeof(NodeStations) > kCache),
      is_plain_(!network.paths.loss.any() && !network.paths.racks),
      by_veth_(has_costs_ && network.wire == cost::Wire::Veth),
      decisions_(network, options, ends),
      stations_(std::move(stations)),
      loss_(network.paths.loss, options.seed) {
  for (std::uint64_t node = 0; node < stations_.size(); ++node)
    jitter_.emplace_back(options.seed, StreamUse::PacketGap, node);
  if (network.limits != fabric::Limits{})
    shapers_.assign(stations_.size(), NodeShapers(network.limits, options.warm_up));
  if (decisions_.racks())
    racks_ = std::make_unique<RackLinks>(*decisions_.racks(), *network.paths.racks, ends);
  number_zones();
  for (const auto& [node, at] : options.joins)
    stations_[node].port.node_runs = false;
}

node::WorldChange Carrier::apply(const std::function<void(node::WorldEditor&)>& edit) {
  node::WorldChange changed = decisions_.apply(edit);
  if (!changed.fabric.instances.empty()) number_zones();
  for (const std::uint32_t node : changed.stopped)
    stop_node(node);
  for (const std::uint32_t node : changed.started)
    stations_[node].port.node_runs = !decisions_.stopped().contains(node);
  return changed;
}

void Carrier::begin_measuring(Picos now) {
  for (NodeStations& node : stations_) {
    for (core::FifoServer* server : {&node.nic.server, &node.port.server, &node.memory.server})
      server->begin_measuring(now);
    for (Station& core : node.cores)
      core.server.begin_measuring(now);
  }
  if (racks_) racks_->begin_measuring(now);
}

/// Decides about a packet on its node. Without CPU costs the packet goes on at once; with them the
/// caller calls run_cpu_jobs() next. Packets of a socket come from a pod or from the node itself.
void Carrier::process(PacketId id, Ingress ingress) {
  PacketInFlight& flight = flights_[id];
  if (const CachedDecision* hop = decisions_.follow_node(flight, scheduler_.now()))
    return work(id, path_cost(flight, hop->cost));
  if (ingress == Ingress::Pod && is_on_node(flight, flight.sender)) ingress = Ingress::Host;
  const forward::Packet packet = decisions_.header(flight);
  if (decisions_.ask_node(flight, packet, ingress, scheduler_.now())) {
    return work(id, path_cost(flight, decisions_.passed(flight).cost));
  }
  for (const node::ReassemblyKey& key : decisions_.outcome().completed)
    held_.complete(flight.node, key, accounts_);
  if (decisions_.outcome().held) return hold(id);
  emit_all(id, ingress, packet.encapsulation);
}

void Carrier::work(PacketId id, const cost::PathCost* cost) {
  if (cost == nullptr) return onward(id);
  PacketInFlight& flight = flights_[id];
  flight.to_crypt = cost->is_sealed;
  if (merge(id, *cost)) return;
  work_.push_back({.id = id});
  add(work_.back(), *cost, flight, flight.shares_buffer);
}

/// Lets a core do what work() has noted; then the packets go on.
void Carrier::run_cpu_jobs(std::uint32_t node, std::uint16_t core) {
  if (work_.empty()) return;
  Station& station = stations_[node].cores[core];
  for (const CpuJob& work : work_) {
    if (work.poll.count > 0) {
      steer(work, node, core);
      continue;
    }
    const Picos done = stations_[node].occupy(core, scheduler_.now(), work.time);
    wait(station.pipe, work.id, done, {EventKind::CoreDone, node, core});
  }
  work_.clear();
}

void Carrier::read(std::uint32_t node, std::uint32_t core, EndId end, std::uint32_t bytes,
                   Picos sent_at, Picos time) {
  Station& station = stations_[node].cores[core];
  const Picos at = stations_[node].occupy(core, scheduler_.now(), time);
  const PacketId id = flights_.add(PacketInFlight{.sent_at = sent_at,
                                                  .sender = end,
                                                  .node = node,
                                                  .length = bytes,
                                                  .kind = PacketInFlight::Kind::Read});
  wait(station.pipe, id, at, {EventKind::CoreDone, node, static_cast<std::uint16_t>(core)});
}

void Carrier::core_done(std::uint32_t node, std::uint16_t core) {
  Station& station = stations_[node].cores[core];
  const PacketId id = take(station.pipe, {EventKind::CoreDone, node, core});
  if (id == kNone) return;
  if (flights_[id].kind == PacketInFlight::Kind::Read) return arrivals_.push_back(id);
  const PacketInFlight& flight = flights_[id];
  if (flight.steered) station.server.leave();
  if (flight.to_crypt || flight.in_order) return go_on_sealing(id);
  onward(id);
}

void Carrier::onward(PacketId id) {
  const PacketInFlight& flight = flights_[id];
  switch (flight.egress) {
    case Egress::Host:
      if (!is_on_node(flight, flight.is_icmp ? flight.sender : flight.sender ^ 1))
        return finish(id, std::nullopt);
      return reach_socket(id);
    case Egress::Pod:
      packet_hops_ += flight.packets;  // The pod's veth.
      return reach_socket(id);
    case Egress::Uplink:
      return by_veth_ ? leave_node(id) : enter_nic(id);
  }
}

void Carrier::reach_socket(PacketId id) {
  const PacketInFlight& flight = flights_[id];
  if (!flight.local) return arrivals_.push_back(id);
  Station& memory = stations_[flight.node].memory;
  const Picos copy = serialization_time(Bytes{flight.length}, host::kLocalRate);
  wait(memory.pipe, id, memory.server.occupy(scheduler_.now(), copy),
       {EventKind::LocalDone, flight.node});
}

void Carrier::local_done(std::uint32_t node) {
  const PacketId id = take(stations_[node].memory.pipe, {EventKind::LocalDone, node});
  if (id != kNone) arrivals_.push_back(id);
}

void Carrier::finish(PacketId id, std::optional<Drop> reason) {
  PacketInFlight& flight = flights_[id];
  leave_host(flight);
  if (reason) {
    accounts_.dropped(flight.group, *reason, flight.packets);
    if (loss_observer_ != nullptr) loss_observer_->see_lost(flight, *reason);
  } else {
    accounts_.delivered(flight.group, flight.packets);
  }
  let_go(id, reason ? TracePoint::Dropped : TracePoint::Delivered, reason);
}

void Carrier::let_go(PacketId id, TracePoint stop, std::optional<Drop> reason) {
  if (tracer_ != nullptr) [[unlikely]]
    tracer_->see_last(id, stop, reason);
  decisions_.release(flights_[id]);
  flights_.remove(id);
}

void Carrier::see_sent(PacketId id) {
  tracer_->see(id, TracePoint::Sent);
}

PacketId Carrier::first_shaped(What what) {
  NodeShapers& shapers = shapers_[what.subject];
  if (what.kind == EventKind::FlowCap) return shapers.flows[what.part].pipe.first();
  return (what.part == kOut ? shapers.out : shapers.in).pipe.first();
}

std::vector<std::uint32_t> Carrier::in_flight() const {
  std::vector<std::uint32_t> groups;
  for (const PacketInFlight& flight : flights_.slots())
    if (flight.kind == PacketInFlight::Kind::Packet)
      groups.insert(groups.end(), flight.packets, flight.group);
  held_.list(groups);
  return groups;
}

}  // namespace overlane::run
