#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dataplane/dpdk/forwarder.h"
#include "dataplane/dpdk/io/eal.h"
#include "dataplane/dpdk/io/port.h"
#include "dataplane/dpdk/loopback_node.h"

namespace overlane::dpdk::testing {

/// Two cores of the machine, or one if it has no more.
const std::vector<unsigned>& cores();

/// Starts EAL once in the process: without hugepages, which a test machine may lack, on cores(),
/// with ports net_null0 to net_null11. There are several because a stopped port cannot be used
/// again.
Eal& eal();

using Bytes = std::vector<std::uint8_t>;

/// A node on one core whose wires end in the test. A neighbour exists only if the test plays it.
/// Time advances only if the test changes `now`.
class WiredNode {
 public:
  /// One of the node's ports, with the far end of its wire.
  struct Side {
    RingWire wire;
    Port port;
    FarNeighbours neighbours;
  };

  /// Makes a node. `name` must be unique in the process.
  static std::unique_ptr<WiredNode> make(const std::string& name, const node::NodeState& state);

  /// Gives a port a packet in a frame with that source address.
  void put(Side& side, std::span<const std::uint8_t> packet, const MacAddress& source);
  /// Polls the node at `now` and returns the frames that leave through a port.
  std::vector<Bytes> poll(Side& side);
  /// Advances time in steps of 100 ms without answering requests, and discards the frames that
  /// leave.
  void pass(Picos time);
  /// Answers the requests that leave through a port until there are no more, and returns the
  /// packets among the frames.
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
  /// The last member, because it must be destroyed first.
  std::unique_ptr<Forwarder> forwarder;
};

/// A packet of a protocol without ports.
Bytes packet(IpAddress source, IpAddress destination, std::size_t bytes = 60);

}  // namespace overlane::dpdk::testing
