#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "sim/core/prefetch.h"
#include "sim/fabric/path.h"
#include "sim/host/machine.h"
#include "sim/run/inputs/network.h"
#include "sim/run/path/packets.h"
#include "sim/transport/retransmission_timeout.h"

namespace overlane::run {

// The links of the fabric: from the fabric to the NIC of each node (Ports), and between racks
// (RackLinks). Packets wait there for earlier ones; a full queue drops them.

/// A packet on its path to a port.
struct Arrival {
  Picos at;  ///< Arrival time at the port.
  PacketId id = kNone;
  std::uint32_t from = 0;  ///< Sending node. Packets with one arrival time are ordered by this
                           ///< number, and packets of one node by sending order.
};

/// Packets on one kind of fabric path to a port, in arrival order: a ring buffer. Several senders
/// add packets nearly in order: only the jitter reorders them.
class ArrivalQueue {
 public:
  bool empty() const { return begin_ == end_; }
  const Arrival& first() const { return at(begin_); }
  void pop() { ++begin_; }

  /// Inserts in arrival order. Returns true if the packet is now first.
  bool insert(Arrival packet) {
    if (end_ - begin_ > mask_) [[unlikely]]
      grow();
    std::uint32_t place = end_++;
    for (; place != begin_ && before(packet, at(place - 1)); --place)
      at(place) = at(place - 1);
    at(place) = packet;
    return place == begin_;
  }

  static bool before(const Arrival& a, const Arrival& b) {
    return a.at < b.at || (a.at == b.at && a.from < b.from);
  }

 private:
  Arrival& at(std::uint32_t place) { return (large_ ? large_.get() : few_.data())[place & mask_]; }
  const Arrival& at(std::uint32_t place) const {
    return (large_ ? large_.get() : few_.data())[place & mask_];
  }
  void grow() {
    const std::uint32_t mask = 2 * mask_ + 1;
    auto larger = std::make_unique<Arrival[]>(mask + std::size_t{1});
    for (std::uint32_t i = begin_; i != end_; ++i)
      larger[i & mask] = at(i);
    large_ = std::move(larger);
    mask_ = mask;
  }

  static constexpr std::uint32_t kFew = 4;
  std::array<Arrival, kFew> few_;     ///< One cache line, which is enough for most ports.
  std::unique_ptr<Arrival[]> large_;  ///< Used instead of `few_` once there are more.
  std::uint32_t mask_ = kFew - 1;     ///< Number of places, a power of two, minus 1.
  std::uint32_t begin_ = 0;
  std::uint32_t end_ = 0;
};

/// The kinds of fabric paths, by delay. Packets on one path keep their order.
inline constexpr std::uint16_t kWithinZone = 0;
inline constexpr std::uint16_t kAcrossZones = 1;

/// The fabric's last link to one NIC. A packet from the node's own zone touches three cache lines,
/// a packet from another zone four.
struct alignas(64) Port {
  ArrivalQueue within;  ///< Its first packets may be due already.
  Station station;
  host::Link link;  ///< Link of the NIC.
  /// Time of the valid PortDone event; superseded ones have later times.
  Picos due = transport::kNever;
  PacketId expected = 0;  ///< The packet of that event.
  /// Whether the node runs (World::stopped); a copy, because each arrival reads this cache line.
  bool node_runs = true;
  ArrivalQueue across;

  Port(host::Link nic, std::uint32_t queue_packets)
      : station{core::FifoServer(queue_packets), {}}, link(nic) {}

  ArrivalQueue& coming(std::uint16_t way) { return way == kWithinZone ? within : across; }
  /// The queue with the next packet; null if both are empty.
  ArrivalQueue* next() {
    if (across.empty()) return within.empty() ? nullptr : &within;
    if (within.empty()) return &across;
    return ArrivalQueue::before(across.first(), within.first()) ? &across : &within;
  }
};

static_assert(sizeof(Port) == 256);

/// The fabric's last link to the NIC of each node. The arrival time of a packet at a port is known
/// when the packet is sent, but earlier arrivals may still be added. So the packet waits in the
/// list of arrivals until the port sends a packet, which needs at most one event per packet. A full
/// queue drops the packet at that time, not at its arrival. One partition owns a Ports and is its
/// only user.
class Ports {
 public:
  /// `packets` must outlive this object. `exit`: the entrance for packets that have reached a NIC.
  Ports(const Network& network, Packets& packets, Entrance exit);

  /// A packet from node `from` will arrive at `at`.
  void expect(PacketId id, std::uint32_t from, std::uint16_t way, Picos at) {
    const std::uint32_t node = packets_[id].node;
    Port& port = ports_[node];
    if (port.coming(way).insert({at, id, from}) && port.station.pipe.empty()) plan(node, port);
  }
  /// A packet arrives now.
  void enter(PacketId id);
  /// The last bit of the first packet may have reached the NIC.
  Handoff done(std::uint32_t node);
  /// Admits all packets that have arrived by `now`. Required before the state of ports or the drops
  /// are read.
  void admit_all(Picos now);

  /// Takes all packets out of a port and appends them to `out`, in arrival order. The packets that
  /// the port has admitted get arrival times just before it begins to send the first of them, so it
  /// would send all of them at the same times again. Their Arrival::from is kNone.
  void take_out(std::uint32_t node, std::vector<Arrival>& out);
  /// A port has received packets without expect(): `work` is the time of all, the last one ended at
  /// `end`.
  void carry(std::uint32_t node, Picos work, Picos end) {
    if (work.count > 0) ports_[node].station.server.serve_all(work, end);
  }

  /// Packets to a node that does not run are dropped at their arrival.
  void set_running(std::uint32_t node, bool runs) { ports_[node].node_runs = runs; }
  bool runs(std::uint32_t node) const { return ports_[node].node_runs; }
  const Port& operator[](std::uint32_t node) const { return ports_[node]; }
  void begin_measuring(Picos now);
  /// Prefetches the cache lines that done() reads first.
  [[gnu::always_inline]] void prefetch(std::uint32_t node) const {
    const char* line = reinterpret_cast<const char*>(&ports_[node]);
    core::prefetch(line);
    core::prefetch(line + 64);
    core::prefetch(line + 128);
  }

 private:
  void accept(Port& port, PacketId id, Picos at);
  void admit_due(Port& port, Picos now);
  void plan(std::uint32_t node, Port& port);

  Packets& packets_;
  Entrance exit_;
  std::vector<Port> ports_;  ///< One per node.
};

/// Links between racks: from the leaf to the spine that the packet's flow hashes to (uplink), and
/// from the spine to the other leaf (downlink). The number of an uplink or downlink is rack ×
/// spines + spine. One partition owns a RackLinks and is its only user.
class RackLinks {
 public:
  /// Referenced arguments must outlive this object.
  RackLinks(const fabric::RackPlan& plan, const fabric::Racks& racks, std::size_t ends,
            Packets& packets);

  const fabric::RackPlan& plan() const { return plan_; }
  std::uint32_t number(std::uint32_t instance, std::uint8_t spine) const {
    return plan_.rack_of(instance) * plan_.spines() + spine;
  }
  std::uint8_t spine_of(std::uint32_t number) const {
    return static_cast<std::uint8_t>(number % plan_.spines());
  }
  const Station& up(std::uint32_t number) const { return up_[number]; }
  const Station& down(std::uint32_t number) const { return down_[number]; }

  /// A packet takes this spine. Endpoints of connections opened during the run are added.
  void choose_spine(Packet& packet, std::uint8_t spine) {
    packet.spine = spine;
    if (packet.sender >= last_spine_.size()) last_spine_.resize(packet.sender + std::size_t{1});
    last_spine_[packet.sender] = spine;
  }
  /// The spine of the endpoint's last packet that left its rack.
  std::uint8_t last_spine(EndpointId end) const { return last_spine_[end]; }

  /// A packet from `from` has reached the leaf of its rack.
  void enter(PacketId id, std::uint32_t from) {
    const std::uint32_t up = number(from, packets_[id].spine);
    accept(up_[up], id, {EventKind::LeafDone, up});
  }
  /// A packet has left its leaf and enters the spine's link. Returns the packet's destination node.
  std::uint32_t leaf_done(std::uint32_t number);
  /// The packet that has left the spine for the other leaf, or kNone.
  PacketId spine_done(std::uint32_t number) {
    return leave(down_[number], {EventKind::SpineDone, number});
  }

  /// Largest number of packets at one link since the last call.
  std::uint32_t take_fullest(Picos now) { return std::exchange(fullest_, most_present(now)); }
  void begin_measuring(Picos now);

 private:
  void accept(Station& link, PacketId id, StationEvent event);
  PacketId leave(Station& link, StationEvent event);
  std::uint32_t most_present(Picos now) const;

  const fabric::RackPlan& plan_;
  Packets& packets_;
  host::Link link_;
  std::vector<Station> up_;
  std::vector<Station> down_;
  std::vector<std::uint8_t> last_spine_;
  std::uint32_t fullest_ = 0;
};

}  // namespace overlane::run
