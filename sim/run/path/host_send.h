#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/core/prefetch.h"
#include "sim/host/machine.h"
#include "sim/run/path/host_stack.h"
#include "sim/transport/retransmission_timeout.h"

namespace overlane::run {

class FabricPath;

/// A NIC's transmit queue and link: a cache line.
struct alignas(64) Nic {
  host::Link link;
  Station station;
  /// The last datagram that it began to send at once, and Packet::host_bytes of it: there
  /// is no event when it has left.
  EndpointId sent_at_once = kNone;
  std::uint32_t bytes_at_once = 0;
};
static_assert(sizeof(Nic) == 64);

/// From a socket to the wire: a packet is decided on, worked on by its core, and sent by the NIC.
class HostSend {
 public:
  /// Referenced arguments must outlive this object. `sends_ahead`: what the fabric does with a
  /// packet may be computed before it has left the NIC, as nothing but a change of the states or a
  /// flow's cap can delay or lose it.
  HostSend(const Network& network, bool sends_ahead, Decisions& decisions, Packets& packets,
           HostStack& stack, FabricPath& fabric);

  /// A packet that a pod has just sent, or the node itself, on core `core` of its node.
  [[gnu::always_inline]] void send(PacketId id) {
    const std::uint32_t node = packets_[id].node;
    const std::uint16_t core = packets_[id].core;
    packets_.count_hops();  // The pod's veth.
    stack_.decide(id, forward::Ingress::Pod, [this, node, core](const HostStack::Decided& decided) {
      stack_.work(decided, node, core);
    });
  }
  /// A packet that its core has done with.
  void enter_nic(PacketId id);
  /// The last bit of a packet has left the NIC.
  void nic_done(std::uint32_t node);

  /// No state changes before.
  void expect_change(std::optional<Picos> at) { next_change_ = at.value_or(transport::kNever); }
  /// Bytes of a packet of `sender` that the NIC is sending, and that Packets::take_departure() has
  /// given back already.
  std::uint32_t on_wire(std::uint32_t node, EndpointId sender) const {
    const Nic& nic = nics_[node];
    const bool is_sending =
        nic.sent_at_once == sender && nic.station.server.is_alone(packets_.now());
    return is_sending ? nic.bytes_at_once : 0;
  }
  [[gnu::always_inline]] void prefetch(std::uint32_t node) const { core::prefetch(&nics_[node]); }
  const core::FifoServer& nic(std::uint32_t node) const { return nics_[node].station.server; }
  /// Packets::due() for the node's NIC.
  PacketId due(std::uint32_t node) const { return packets_.due(nics_[node].station.pipe); }
  void stop(std::uint32_t node, std::vector<PacketId>& lost);
  void begin_measuring(Picos now);

 private:
  bool send_at_once(PacketId id);
  Picos accept(const Packet& packet);

  Decisions& decisions_;
  Packets& packets_;
  HostStack& stack_;
  FabricPath& fabric_;
  bool sends_ahead_;
  Picos next_change_ = transport::kNever;
  std::vector<Nic> nics_;  ///< One per node.
  /// By node: senders whose last buffer found no room in the NIC's queue.
  std::vector<std::vector<EndpointId>> refused_;
};

}  // namespace overlane::run
