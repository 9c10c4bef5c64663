#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sim/core/prefetch.h"
#include "sim/core/scheduler.h"
#include "sim/cost/path_cost.h"
#include "sim/fabric/loss.h"
#include "sim/random/stream.h"
#include "sim/run/decide/decisions.h"
#include "sim/run/inputs/network.h"
#include "sim/run/inputs/run_options.h"
#include "sim/run/inputs/trace_event.h"
#include "sim/run/inputs/traffic_group.h"
#include "sim/run/packet/accounts.h"
#include "sim/run/packet/cpu_job.h"
#include "sim/run/packet/event_kind.h"
#include "sim/run/packet/held_fragments.h"
#include "sim/run/packet/packet_in_flight.h"
#include "sim/run/packet/shapers.h"
#include "sim/run/path/rack_links.h"
#include "sim/run/path/stations.h"

namespace overlane::run {

class LossObserver;
class PathObserver;

/// Carries packets from pod to pod: through the cores and NICs of the nodes and the fabric between
/// them. Where a packet goes is decided by forward() alone, under the state that holds when the
/// packet arrives (Decisions); the carrier adds time, queues and counts.
class Carrier {
 public:
  /// Keeps references to all but the states, which it copies.
  Carrier(const Network& network, const std::vector<TrafficGroup>& traffic,
          const RunOptions& options, std::size_t ends, std::vector<NodeStations> stations,
          core::Scheduler& scheduler, Accounts& accounts);

  /// A pod of `flight.node` sends a packet, or the node itself: `flight.core` is the sender's.
  /// `plain` packets of one end look alike until forget_cached(); make_header() gives the first of
  /// them its header, and each of the others. `segment` is what a TCP packet carries, else null.
  template <typename MakeHeader>
  void send(const PacketInFlight& flight, const transport::Segment* segment, bool plain,
            MakeHeader make_header) {
    accounts_.sent(flight.group);
    ++packet_hops_;  // The pod's veth.
    const PacketId id = flights_.add(flight);
    decisions_.begin(flights_[id], plain, make_header);
    if (segment != nullptr) flights_.segment(id) = *segment;
    if (tracer_ != nullptr) [[unlikely]]
      see_sent(id);
    if (is_large_) [[unlikely]]
      if (const CachedDecision* hop = decisions_.fabric_hop(flights_[id]))
        stations_[hop->to].port.prefetch();
    process(id, forward::Ingress::Pod);
    run_cpu_jobs(flight.node, flight.core);
  }
  void forget_cached(EndId end) { decisions_.forget_cached(end); }

  /// A core of the node reads `bytes` for the application of `end`, taking `time`, after what it
  /// has to do before: a Read will arrive.
  void read(std::uint32_t node, std::uint32_t core, EndId end, std::uint32_t bytes, Picos sent_at,
            Picos time);

  /// Occupies a core with work that no packet waits for.
  void occupy(std::uint32_t node, std::uint32_t core, Picos time) {
    stations_[node].occupy(core, scheduler_.now(), time);
  }

  /// An application leaves a core idle. What it has sent passes veth pairs before (do_softirq at
  /// the end of the system call).
  void idle(std::uint32_t node, std::uint32_t core, Picos time) {
    ReceiveQueue& queue = stations_[node].queues[core];
    const bool sends = by_veth_ && (queue.poll_due || !stations_[node].cores[core].pipe.empty());
    if (!sends) return occupy(node, core, time);
    queue.behind += time;
  }

  /// Changes the states, and loses what is on nodes that stop.
  node::WorldChange apply(const std::function<void(node::WorldEditor&)>& edit);
  /// apply() will not be called before.
  void expect_change(std::optional<Picos> at) { next_change_ = at.value_or(transport::kNever); }
  /// Sets the observer of packets; null: none.
  void show_to(PathObserver* tracer) { tracer_ = tracer; }
  /// Sets the observer of drops; null: none.
  void show_losses_to(LossObserver* observer) { loss_observer_ = observer; }
  /// The warm-up is over.
  void begin_measuring(Picos now);
  /// Call it before ports and drops are read: it counts everything that arrived at a port by `now`.
  void let_in_all(Picos now);

  void core_done(std::uint32_t node, std::uint16_t core);
  void crypted(std::uint32_t node, std::uint16_t core);
  void poll(std::uint32_t node, std::uint16_t core);
  void local_done(std::uint32_t node);
  void nic_done(std::uint32_t node);
  void flow_cap_passed(std::uint32_t node, std::uint16_t number);
  void allowance_passed(std::uint32_t node, std::uint16_t direction);
  /// The answer is whose packet it is.
  EndId port_arrive(std::uint32_t sender, std::uint16_t way);
  void leaf_done(std::uint32_t number);
  /// As port_arrive().
  EndId spine_done(std::uint32_t number);
  void port_done(std::uint32_t node);
  void node_expiry(std::uint32_t node);

  /// Whether prefetching pays.
  bool is_large() const { return is_large_; }
  /// Prefetches what port_done() reads first …
  [[gnu::always_inline]] void prefetch_port(std::uint32_t node) const {
    stations_[node].port.prefetch();
  }
  /// … what it reads of the packet that it forwards, whose sender is returned …
  [[gnu::always_inline]] EndId prefetch_expected(std::uint32_t node) const {
    const PacketInFlight& flight = flights_[stations_[node].port.expected];
    decisions_.prefetch(flight);
    return flight.sender;
  }
  /// … and the cache entry that send() reads.
  [[gnu::always_inline]] void prefetch_cached(EndId sender) const {
    decisions_.prefetch_cached(sender);
  }

  bool has_arrivals() const { return !arrivals_.empty(); }
  /// Packets that arrived in a pod or at the node itself, and completed reads. Give a packet to
  /// finish() or hold it, a Read to done().
  PacketId take_arrival() {
    const PacketId next = arrivals_[next_arrival_++];
    if (next_arrival_ == arrivals_.size()) {
      arrivals_.clear();
      next_arrival_ = 0;
    }
    return next;
  }
  /// The packet has been delivered, or dropped when there is a reason, at its last stop.
  void finish(PacketId id, std::optional<Drop> reason);
  void done(PacketId id) { flights_.remove(id); }

  /// Fragments of a packet that `pod` puts together itself.
  void hold_in_pod(PacketId id, EndId pod);
  void complete_in_pod(const node::ReassemblyKey& key, EndId pod);
  void expire_in_pod(const std::vector<node::ReassemblyTable::Expired>& expired, EndId pod);
  /// The pod is gone.
  void give_up_in_pod(EndId pod) { held_.give_up(pod_place(pod), Drop::NodeGone, accounts_); }

  const PacketInFlight& flight(PacketId id) const { return flights_[id]; }
  const transport::Segment& segment(PacketId id) { return flights_.segment(id); }
  /// The header of a flight, but for lengths and identifications.
  const forward::Packet& header_shape(PacketId id) const {
    return decisions_.header_shape(flights_[id]);
  }
  forward::Packet header(PacketId id) const { return decisions_.header(flights_[id]); }
  /// Decisions::is_settled() and settle().
  bool is_settled(PacketId id, std::uint16_t version) const {
    return decisions_.is_settled(flights_[id], version);
  }
  void settle(PacketId id, std::uint16_t version) { decisions_.settle(flights_[id], version); }
  /// The group of each packet that is still under way.
  std::vector<std::uint32_t> in_flight() const;

  bool has_departures() const { return !departures_.empty(); }
  /// Packets that left their sender's host: small queues have room again.
  struct Departure {
    EndId sender = 0;
    std::uint32_t bytes = 0;
  };
  Departure take_departure() {
    const Departure last = departures_.back();
    departures_.pop_back();
    return last;
  }

  /// Bytes of a packet of `sender` that the node's NIC is sending, and that take_departure() has
  /// given back already.
  std::uint32_t on_wire(std::uint32_t node, EndId sender) const {
    const SentAtOnce& sent = stations_[node].sent_at_once;
    return sent.sender == sender && sent.until > scheduler_.now() ? sent.host_bytes : 0;
  }

  /// The packet that is done at a station by now; kNone where it was lost with its node, and its
  /// event is what is left of it.
  PacketId due(const Pipe& pipe) const {
    const bool is_due = !pipe.empty() && flights_[pipe.first()].at == scheduler_.now();
    return is_due ? pipe.first() : kNone;
  }
  /// What a FlowCap or Allowance event is about.
  PacketId first_shaped(What what);

  Decisions& decisions() { return decisions_; }
  const Decisions& decisions() const { return decisions_; }
  const std::vector<NodeStations>& stations() const { return stations_; }
  /// Null where the fabric has no limits.
  const NodeShapers* shapers(std::uint32_t node) const {
    return shapers_.empty() ? nullptr : &shapers_[node];
  }
  /// Null where the fabric has no racks.
  RackLinks* racks() const { return racks_.get(); }
  /// Whether CPU time costs anything.
  bool has_costs() const { return has_costs_; }
  const Network& network() const { return network_; }
  const cost::Offloads& offloads(std::uint32_t node) const {
    return network_.machines[node].offloads;
  }
  const ByteCheck& byte_check() const { return decisions_.byte_check(); }
  /// Links passed; what a node has sent counts as if from a pod.
  std::int64_t packet_hops() const { return packet_hops_; }

 private:
  core::FifoServer& core_of(const PacketInFlight& flight) {
    return stations_[flight.node].cores[flight.core].server;
  }
  /// Null where CPU time is free.
  const cost::PathCost* path_cost(const PacketInFlight& flight, cost::PathId path) const {
    return has_costs_ ? &(*stations_[flight.node].costs)[path] : nullptr;
  }
  /// Whether this end of a flow is on its node's own network.
  bool is_on_node(const PacketInFlight& flight, EndId end) const {
    return traffic_[flight.group].is_on_node(end % 2 == 1);
  }
  void see_sent(PacketId id);
  /// Nothing more happens to a flight, as it has come to its last stop.
  void let_go(PacketId id, TracePoint stop, std::optional<Drop> reason = {});
  void process(PacketId id, forward::Ingress ingress);
  void emit_all(PacketId id, forward::Ingress ingress, Encapsulation in);
  PacketId reply_to(PacketId cause);
  PacketId another_fragment_of(PacketId id);
  void carry(PacketId id, const forward::Emission& emission);
  void hold(PacketId id);
  void answer_timeout(const PacketInFlight& error, const node::ReassemblyTable::Expired& lost);
  const cost::PathCost* cost_of(const PacketInFlight& flight, forward::Ingress ingress,
                                Encapsulation in) const;
  void work(PacketId id, const cost::PathCost* cost);
  void run_cpu_jobs(std::uint32_t node, std::uint16_t core);
  bool merge(PacketId id, const cost::PathCost& cost);
  bool joins(Merging& open, PacketId id);
  void add(CpuJob& work, const cost::PathCost& cost, const PacketInFlight& flight,
           bool shares_buffer) const;
  void steer(const CpuJob& work, std::uint32_t node, std::uint16_t core);
  void add_to(PacketId first, const PacketInFlight& flight, const transport::Segment& segment);
  void go_on_sealing(PacketId id);
  Picos crypt(PacketInFlight& flight);
  void receive(PacketId id);
  void plan_poll(std::uint32_t node, std::uint16_t core);
  void onward(PacketId id);
  void reach_socket(PacketId id);
  void enter_nic(PacketId id);
  std::optional<Picos> accept(NodeStations& node, const PacketInFlight& flight);
  bool send_at_once(PacketId id);
  void leave_node(PacketId id);
  void depart(PacketId id, const CachedDecision& hop);
  bool passes(Shaper& shaper, PacketId id, Picos at, What what);
  PacketId let_pass(Shaper& shaper, What what);
  std::optional<Picos> allowed(Allowance& allowance, PacketId id);
  void leave_instance(PacketId id, std::uint32_t from);
  void cross(PacketId id, std::uint32_t from, Picos at);
  void enqueue_arrival(PacketId id, std::uint32_t from, std::uint16_t way, Picos at);
  bool gets_through(PacketId id, std::uint32_t from, bool within);
  void choose_spine(PacketId id, std::uint32_t from);
  void enter_link(Station& link, PacketId id, What what);
  PacketId leave_link(Station& link, What what);
  EndId enter_uplink(PacketId id, std::uint32_t from);
  EndId reach_node(PacketId id);
  void enter_port(PacketId id);
  void enter(NodeStations& node, PacketId id, Picos at);
  void admit_due_arrivals(NodeStations& node, Picos now);
  void plan_port(std::uint32_t node);
  void leave_host(PacketInFlight& flight) {
    if (flight.host_bytes == 0) return;
    departures_.push_back({flight.sender, std::exchange(flight.host_bytes, 0)});
  }
  /// Lets a flight wait at a station until `at`.
  void wait(Pipe& pipe, PacketId id, Picos at, What what) {
    flights_[id].at = at;
    if (pipe.push(flights_, id)) scheduler_.schedule(at, what.packed());
  }
  /// due(), which leaves the station; the next one's turn comes.
  PacketId take(Pipe& pipe, What what) {
    const PacketId id = due(pipe);
    if (id == kNone) return kNone;
    pipe.pop(flights_);
    if (!pipe.empty()) scheduler_.schedule(flights_[pipe.first()].at, what.packed());
    return id;
  }
  void stop_node(std::uint32_t number);
  void take_out(Pipe& pipe, What what, std::vector<PacketId>& out);
  void number_zones();
  HeldFragments::Place pod_place(EndId pod) const {
    return static_cast<HeldFragments::Place>(stations_.size()) + pod;
  }

  const Network& network_;
  const std::vector<TrafficGroup>& traffic_;
  core::Scheduler& scheduler_;
  Accounts& accounts_;
  PathObserver* tracer_ = nullptr;
  LossObserver* loss_observer_ = nullptr;
  bool has_costs_;
  /// No limit, loss or observer: the fabric outcome may be computed at send, unless a change comes
  /// before the packet has left.
  bool fabric_is_steady_;
  Picos next_change_ = transport::kNever;
  /// Arrival at a port needs no event: it has no effect there, and no observer.
  bool joins_ports_;
  bool is_large_;  ///< Its working set exceeds a core's caches.
  bool is_plain_;  ///< The fabric loses nothing and has no racks.
  bool by_veth_;   ///< Packets between nodes pass veth pairs, and the core that sent them goes on.
  Decisions decisions_;
  std::vector<NodeStations> stations_;
  std::unique_ptr<RackLinks> racks_;  ///< Null where the fabric has none.
  std::vector<NodeShapers> shapers_;  ///< One per node; none where the fabric has no limits.
  std::vector<std::uint32_t> zones_;  ///< Of each instance.
  std::vector<RandomStream> jitter_;  ///< One per sending node.
  fabric::LossProcess loss_;          ///< Of all ends.
  FlightPool flights_;
  HeldFragments held_;
  std::vector<Departure> departures_;
  std::vector<PacketId> arrivals_;
  std::size_t next_arrival_ = 0;
  std::vector<PacketId> ready_;
  std::vector<CpuJob> work_;
  std::vector<Merging> merging_;
  bool polling_ = false;  ///< What is being processed comes from a poll.
  std::int64_t packet_hops_ = 0;
};

}  // namespace overlane::run
