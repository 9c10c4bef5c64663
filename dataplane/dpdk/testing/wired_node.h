#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dataplane/dpdk/forwarder.h"
#include "dataplane/dpdk/io/eal.h"
#include "dataplane/dpdk/io/port.h"
#include "dataplane/dpdk/loopback_node.h"

namespace overlane::dpdk::testing {

/// Two of the machine's cores where it has so many, else one.
const std::vector<unsigned>& cores();

/// EAL starts once in a process: without hugepages, which a machine that tests may not have, on
/// cores(), and with ports net_null0 to net_null11, since a port that was stopped is gone.
Eal& eal();

using Bytes = std::vector<std::uint8_t>;

/// A node on one core between wires whose far ends the test holds: nobody is there but whom it
/// plays. Time stands still unless it is told.
class WiredNode {
 public:
  /// One of its ports, from the test's side.
  struct Side {
    RingWire wire;
    Port port;
    FarNeighbours neighbours;
  };

  /// Under a name that no other has.
  static std::unique_ptr<WiredNode> make(const std::string& name, const node::NodeState& state);

  /// Gives a port a packet in a frame from that address.
  void put(Side& side, std::span<const std::uint8_t> packet, const MacAddress& source);
  /// Frames that leave by a port when the node does what is to be done now.
  std::vector<Bytes> poll(Side& side);
  /// Lets time pass, 100 ms at a time, with nobody there; takes what leaves.
  void pass(Picos time);
  /// Answers what leaves by a port until nothing more is asked; the packets among it.
  std::vector<Bytes> answer(Side& side);

  Side& pods() { return *sides_[0]; }
  Side& uplink() { return *sides_[1]; }
  ForwardCounters counters() const { return forwarder->counters(); }

  Picos now = seconds(100);
  PacketPool pool;

 private:
  explicit WiredNode(PacketPool its) : pool(std::move(its)) {}

  std::vector<std::unique_ptr<Side>> sides_;

 public:
  /// Last, so that it goes first.
  std::unique_ptr<Forwarder> forwarder;
};

/// A packet of a protocol that has no ports.
Bytes packet(IpAddress source, IpAddress destination, std::size_t bytes = 60);

}  // namespace overlane::dpdk::testing
