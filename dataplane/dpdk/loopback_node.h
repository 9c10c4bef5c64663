#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "dataplane/dpdk/forwarder.h"
#include "dataplane/dpdk/io/port.h"
#include "dataplane/net/address.h"

namespace overlane::dpdk {

// A whole Forwarder inside one process. Its wires end in this process instead of in a network, and
// every neighbour answers. `overlane-fastpath verify` and tests use it to send single packets and
// to collect the packets that the node sends.

/// A link on which every address exists: each ARP request or neighbour solicitation is answered
/// with a link-layer address.
class FarNeighbours {
 public:
  /// The answer to a frame that requests a neighbour's address. Empty for other frames.
  std::optional<std::vector<std::uint8_t>> answer(std::span<const std::uint8_t> frame);

  /// The link-layer address of an IP address.
  MacAddress mac_of(IpAddress address);
  /// The IP address to which that link-layer address was assigned.
  std::optional<IpAddress> with(const MacAddress& mac) const;

 private:
  std::vector<std::uint8_t> arp_reply(std::span<const std::uint8_t> request);
  std::vector<std::uint8_t> advertisement(std::span<const std::uint8_t> solicitation);

  std::map<IpAddress, MacAddress> macs_;
  std::map<MacAddress, IpAddress> addresses_;
};

/// A packet that left a node through one of its ports.
struct SentPacket {
  forward::Egress egress = forward::Egress::Uplink;
  IpAddress next_hop;  ///< Neighbour whose link-layer address the frame had as destination.
  std::vector<std::uint8_t> packet;  ///< From the outermost IP header on.

  auto operator<=>(const SentPacket&) const = default;
};

/// A whole node, ports included, whose wires end in this process. All its neighbours are simulated:
/// they answer requests for their addresses, and the frames sent to them are collected.
class LoopbackNode {
 public:
  /// Makes a node that carries packets of up to `mtu` bytes. One process can have several nodes.
  static Parsed<std::unique_ptr<LoopbackNode>> make(std::uint32_t mtu);

  /// Forwards by `generation` from now on.
  void replace(std::shared_ptr<const Generation> generation, Picos now) {
    forwarder_->replace(std::move(generation), now);
  }

  /// Delivers a packet to the port of `ingress` and returns the packets that the node sends, port
  /// by port in order. `now` must not decrease. Fails if the packet is longer than the ports carry,
  /// or if the node sends a frame that is not an IP packet to a neighbour.
  Parsed<std::vector<SentPacket>> arrive(std::span<const std::uint8_t> packet,
                                         forward::Ingress ingress, Picos now);
  /// Runs the timers that are due at `now` and returns the packets that the node sends.
  Parsed<std::vector<SentPacket>> pass_time(Picos now);

  const Forwarder& forwarder() const { return *forwarder_; }

 private:
  /// One of the node's ports, with the far end of its wire.
  struct Place {
    forward::Egress egress;
    RingWire wire;
    std::unique_ptr<const Port> port;
    FarNeighbours neighbours;
  };

  LoopbackNode(std::uint32_t mtu, PacketPool pool) : mtu_(mtu), pool_(std::move(pool)) {}
  /// Makes the port of this side and its wire.
  static Parsed<Place> place(forward::Egress egress, const PacketPool& pool, std::uint32_t mtu);
  Parsed<SentPacket> read(const Place& at, const std::vector<std::uint8_t>& frame) const;

  std::uint32_t mtu_;
  PacketPool pool_;
  std::vector<Place> places_;
  std::unique_ptr<Forwarder> forwarder_;
};

}  // namespace overlane::dpdk
