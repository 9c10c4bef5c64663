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

// A whole Forwarder inside one process, with wires that end here instead of in a network: for
// `overlane-fastpath verify` and tests.

/// A link on which every address exists: each request is answered with a link-layer address.
class FarNeighbours {
 public:
  /// The answer to a frame that asks for a neighbour; nothing when it does not.
  std::optional<std::vector<std::uint8_t>> answer(std::span<const std::uint8_t> frame);

  /// The link-layer address of an IP address.
  MacAddress mac_of(IpAddress address);
  /// Who was given that address.
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
