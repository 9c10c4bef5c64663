#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dataplane/forward/forward.h"
#include "sim/core/scheduler.h"
#include "sim/cost/path_cost.h"
#include "sim/random/stream.h"
#include "sim/run/accounts.h"
#include "sim/run/byte_check.h"
#include "sim/run/event_kind.h"
#include "sim/run/flight.h"
#include "sim/run/held_pieces.h"
#include "sim/run/run.h"
#include "sim/run/stations.h"

namespace overlane::run {

/// Carries packets from pod to pod: through the cores and NICs of the nodes and the fabric between
/// them. Where a packet goes is decided by forward() alone, under the state that holds when the
/// packet arrives; the carrier adds time, queues and counts.
class Carrier {
 public:
  /// Keeps references to all but the states, which it copies.
  Carrier(const Network& network, std::uint64_t seed, std::vector<NodeStations> stations,
          core::Scheduler& scheduler, Accounts& accounts);

  /// A pod of `flight.node` sends: `flight.core` is the sender's.
  void send(const Flight& flight);

  /// To be called after the states of nodes were changed.
  void states_changed();

  void core_done(FlightId id);
  void nic_done(FlightId id);
  void port_arrive(FlightId id);
  void port_done(FlightId id);
  void node_expiry(std::uint32_t node);
  /// The packet has been delivered, or dropped when there is a reason, at its last stop.
  void finish(FlightId id, std::optional<Drop> reason);

  /// Fragments of a packet that `pod` puts together itself.
  void hold_in_pod(FlightId id, EndId pod);
  void complete_in_pod(const node::ReassemblyKey& key, EndId pod);
  void expire_in_pod(const std::vector<node::ReassemblyTable::Expired>& expired, EndId pod);

  Flight& flight(FlightId id) { return flights_[id]; }
  /// The senders of everything that is still under way.
  std::vector<EndId> in_flight() const;

  /// What has left its sender's host and was not taken yet: small queues have room again.
  struct Departure {
    EndId sender = 0;
    std::uint32_t bytes = 0;
  };
  std::optional<Departure> take_departure() {
    if (departures_.empty()) return std::nullopt;
    const Departure last = departures_.back();
    departures_.pop_back();
    return last;
  }

  std::vector<node::NodeState>& nodes() { return nodes_; }
  node::FabricState& fabric() { return fabric_; }
  std::vector<NodeStations>& stations() { return stations_; }
  const std::vector<NodeStations>& stations() const { return stations_; }
  const std::optional<cost::PathCosts>& costs() const { return costs_; }
  ByteCheck& byte_check() { return byte_check_; }
  const ByteCheck& byte_check() const { return byte_check_; }
  std::int64_t packet_hops() const { return packet_hops_; }

 private:
  void process(FlightId id, forward::Ingress ingress);
  void decide(const Flight& flight, forward::Ingress ingress);
  void emit_all(FlightId id, forward::Ingress ingress);
  FlightId reply_to(FlightId cause);
  FlightId another_piece_of(FlightId id);
  void carry(FlightId id, const forward::Emission& emission);
  void hold(FlightId id);
  void answer_timeout(const Flight& error, const node::ReassemblyTable::Expired& lost);
  Picos work_time(const Flight& flight, forward::Ingress ingress, Encapsulation in) const;
  void occupy(FlightId id, forward::Ingress ingress, Encapsulation in);
  void work(FlightId id, forward::Ingress ingress, Encapsulation in);
  void onward(FlightId id);
  void cross(FlightId id, std::uint32_t to);
  Picos arrival(std::uint32_t from, std::uint32_t to);
  void leave_host(Flight& flight);
  HeldPieces::Place pod_place(EndId pod) const {
    return static_cast<HeldPieces::Place>(nodes_.size()) + pod;
  }
  void schedule(Picos time, core::StationId station, EventKind kind, std::uint32_t subject) {
    scheduler_.schedule(time, station, static_cast<std::uint32_t>(kind), subject);
  }

  const Network& network_;
  core::Scheduler& scheduler_;
  Accounts& accounts_;
  std::vector<node::NodeState> nodes_;
  node::FabricState fabric_;
  std::vector<node::NodeRuntime> runtimes_;
  node::FabricRuntime fabric_runtime_;
  std::vector<NodeStations> stations_;
  core::StationId first_end_station_;
  std::optional<cost::PathCosts> costs_;
  std::vector<RandomStream> jitter_;                       ///< One per sending node.
  std::unordered_map<std::uint64_t, Picos> last_arrival_;  ///< By sending and receiving node.
  FlightPool flights_;
  HeldPieces held_;
  ByteCheck byte_check_;
  std::vector<Departure> departures_;
  std::vector<FlightId> ready_;
  forward::Outcome outcome_;
  forward::FabricOutcome fabric_outcome_;
  std::int64_t packet_hops_ = 0;
};

}  // namespace overlane::run
