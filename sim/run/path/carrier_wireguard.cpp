#include <algorithm>

#include "sim/run/packet/core_placement.h"
#include "sim/run/path/carrier.h"

namespace overlane::run {

// Through WireGuard: the packets of a peer are encrypted and decrypted on all cores, each on the
// next (wg_cpumask_next_online), and handed on in order by one (wg_packet_tx_worker on the peer's
// core, wg_packet_rx_poll).

namespace {

/// Packets that wait in one queue of WireGuard's (MAX_QUEUED_PACKETS, drivers/net/wireguard).
constexpr std::uint32_t kMostQueued = 1024;

}  // namespace

/// Lets cores do the cipher's work on a flight, and says when it is done. What was one buffer
/// before it was cut is one job; what was merged of several packets is one for each, of equal
/// shares. A core that is idle has to wake a worker first.
Picos Carrier::crypt(PacketInFlight& flight) {
  NodeStations& node = stations_[flight.node];
  const cost::PathCost& cost = node.costs->crypt();
  const Picos now = scheduler_.now();
  Picos done = now;
  std::int64_t bytes = flight.length;
  for (std::int64_t jobs = flight.packets; jobs > 0; --jobs) {
    const bool joins = flight.shares_buffer && flight.egress == forward::Egress::Uplink;
    const auto cores = static_cast<std::uint32_t>(node.cores.size());
    if (!joins) node.last_crypt = next_cipher_core(node.last_crypt, cores);
    const core::FifoServer& server = node.cores[node.last_crypt].server;
    const std::int64_t share = bytes / jobs;
    bytes -= share;
    const Picos wake_up = server.free_at() <= now ? node.costs->wake_up() : Picos{};
    done = std::max(done, node.occupy(node.last_crypt, now, wake_up + cost.of(share)));
  }
  return done;
}

/// A core is done with a flight: with what comes before the cipher, or with handing it on.
void Carrier::go_on_sealing(PacketId id) {
  PacketInFlight& flight = flights_[id];
  NodeStations& node = stations_[flight.node];
  const auto cores = static_cast<std::uint32_t>(node.cores.size());
  flight.to_crypt = false;
  if (flight.in_order) {
    flight.in_order = false;
    node.sealed[flight.core].waiting -= flight.packets;
    return onward(id);
  }
  // Peers have their cores in turn; on the way in not the one that the NIC has picked, which is one
  // for all that comes from a peer.
  const bool out = flight.egress == forward::Egress::Uplink;
  const std::uint64_t peer =
      out ? decisions_.header_shape(flight).outer.destination.low : flight.core + 1u;
  flight.core = peer_core(peer, cores);
  flight.steered = false;
  SealedOrder& order = node.sealed[flight.core];
  if (order.waiting + flight.packets > kMostQueued) return finish(id, Drop::CpuBacklogFull);
  order.waiting += flight.packets;
  order.last = std::max(order.last, crypt(flight));
  flight.shares_buffer = false;  // It was cut, and stays so.
  flight.in_order = true;
  wait(order.pipe, id, order.last, {EventKind::Crypted, flight.node, flight.core});
}

void Carrier::crypted(std::uint32_t node, std::uint16_t core) {
  const PacketId id = take(stations_[node].sealed[core].pipe, {EventKind::Crypted, node, core});
  if (id == kNone) return;
  const PacketInFlight& flight = flights_[id];
  const cost::PathCosts& costs = *stations_[node].costs;
  const bool out = flight.egress == forward::Egress::Uplink;
  const cost::PathCost& cost =
      out ? costs.seal()
          : costs.open(decisions_.header_shape(flight).inner.family(), side(flight.egress));
  const Picos time = cost.of(flight.length) + cost.further * (flight.packets - 1);
  Station& station = stations_[node].cores[core];
  wait(station.pipe, id, stations_[node].occupy(core, scheduler_.now(), time),
       {EventKind::CoreDone, node, core});
}

}  // namespace overlane::run
