#pragma once

#include <memory>
#include <vector>

#include "dataplane/dpdk/io/ring_port.h"
#include "dataplane/dpdk/node/far_neighbours.h"
#include "dataplane/dpdk/node/forwarder.h"

namespace overlane::dpdk {

/// A packet that left a node through one of its ports.
struct SentPacket {
  forward::Egress egress = forward::Egress::Uplink;
  IpAddress next_hop;                ///< Whose link-layer address the frame had.
  std::vector<std::uint8_t> packet;  ///< From the outermost IP header on.

  auto operator<=>(const SentPacket&) const = default;
};

/// A whole node, ports included, whose wires end in this process: there stand all its neighbours,
/// who answer when they are asked, and send what has their address.
class LoopbackNode {
 public:
  /// Carries packets of up to `mtu` bytes. One process can have several.
  static Parsed<std::unique_ptr<LoopbackNode>> make(std::uint32_t mtu);

  /// Forwards by another generation from now on.
  void replace(std::shared_ptr<const Generation> generation, Picos now) {
    forwarder_->replace(std::move(generation), now);
  }

  /// What the node sends, port by port in order, when a packet arrives there. `now` never goes
  /// back. Fails when the packet is longer than the ports carry, or something leaves that is no
  /// packet to a neighbour.
  Parsed<std::vector<SentPacket>> arrive(std::span<const std::uint8_t> packet,
                                         forward::Ingress ingress, Picos now);
  /// What it sends when time passes.
  Parsed<std::vector<SentPacket>> pass_time(Picos now);

  const Forwarder& forwarder() const { return *forwarder_; }

 private:
  /// One of its ports, from the process's side.
  struct Place {
    forward::Egress egress;
    RingWire wire;
    std::unique_ptr<const Port> port;
    FarNeighbours neighbours;
  };

  LoopbackNode(std::uint32_t mtu, PacketPool pool) : mtu_(mtu), pool_(std::move(pool)) {}
  /// The port of this name and the wire to it.
  static Parsed<Place> place(forward::Egress egress, const PacketPool& pool, std::uint32_t mtu);
  Parsed<SentPacket> read(const Place& at, const std::vector<std::uint8_t>& frame) const;

  std::uint32_t mtu_;
  PacketPool pool_;
  std::vector<Place> places_;
  std::unique_ptr<Forwarder> forwarder_;
};

}  // namespace overlane::dpdk
