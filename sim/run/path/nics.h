#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/core/prefetch.h"
#include "sim/host/machine.h"
#include "sim/run/path/fabric_path.h"
#include "sim/transport/retransmission_timeout.h"

namespace overlane::run {

/// A NIC's transmit queue and link: a cache line.
struct alignas(64) Nic {
  host::Link link;
  Station station;
  /// Sender and Packet::host_bytes of the last datagram without a NicDone event (send_ahead()).
  EndpointId sender_ahead = kNone;
  std::uint32_t bytes_ahead = 0;
};
static_assert(sizeof(Nic) == 64);

/// The NICs' transmit queues (the qdisc and ring of each node) and links. A full queue drops
/// packets (NicQueueFull). When a packet's last bit has left, it enters the fabric. Where the
/// fabric's decision is known before, the packet enters ahead of time and needs no event;
/// kept_decisions_test.cpp compares runs with and without that. One partition owns a Nics
/// and is its only user.
class Nics {
 public:
  /// Referenced arguments must outlive this object. `sends_ahead`: only a change of the states or a
  /// flow's cap can delay or lose a packet between its NIC and the delay of the fabric, and nothing
  /// observes it there.
  Nics(const Network& network, bool sends_ahead, Packets& packets, FabricPath& fabric);

  /// A packet enters the transmit queue of its node, or the fabric ahead of time.
  void enter(PacketId id);
  /// The last bit of a packet has left the NIC.
  Handoff done(std::uint32_t node);

  /// No state changes before `at`; nullopt: in the rest of the run.
  void expect_change(std::optional<Picos> at) { next_change_ = at.value_or(transport::kNever); }
  /// Bytes of a packet of `sender` that the NIC is sending, although Packets::take_departure() has
  /// returned them already.
  std::uint32_t on_wire(std::uint32_t node, EndpointId sender) const {
    const Nic& nic = nics_[node];
    const bool is_sending =
        nic.sender_ahead == sender && nic.station.server.is_alone(packets_.now());
    return is_sending ? nic.bytes_ahead : 0;
  }
  [[gnu::always_inline]] void prefetch(std::uint32_t node) const { core::prefetch(&nics_[node]); }
  const core::FifoServer& server(std::uint32_t node) const { return nics_[node].station.server; }
  /// Packets::due() for the node's NIC.
  PacketId due(std::uint32_t node) const { return packets_.due(nics_[node].station.pipe); }
  void stop(std::uint32_t node, std::vector<PacketId>& lost);
  void begin_measuring(Picos now);

 private:
  bool send_ahead(PacketId id);
  Picos accept(const Packet& packet);

  Packets& packets_;
  FabricPath& fabric_;
  bool sends_ahead_;
  Picos next_change_ = transport::kNever;
  std::vector<Nic> nics_;  ///< One per node.
  /// By node: senders whose last buffer the NIC's queue refused.
  std::vector<std::vector<EndpointId>> refused_;
};

}  // namespace overlane::run
