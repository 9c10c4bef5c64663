#pragma once

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "dataplane/dpdk/forwarder.h"
#include "dataplane/dpdk/io/port.h"
#include "dataplane/dpdk/loopback_node.h"

namespace overlane::dpdk::testing {

/// A frame that left a node, and the next hop to which it was addressed.
struct LeftFrame {
  forward::Egress egress = forward::Egress::Uplink;
  IpAddress next_hop;
  std::vector<std::uint8_t> packet;  ///< From the outermost IP header on.
};

/// A node on the two cores of testing::cores(). Its wires end in this process, where all of its
/// neighbours answer. Time advances only if the test changes `now`.
class TwoCoreNode {
 public:
  /// Makes a node. `name` must be unique in the process.
  static std::unique_ptr<TwoCoreNode> make(const std::string& name);

  /// Puts a packet on the wire to one of the node's ports. Returns false if the wire is full.
  bool put(forward::Ingress ingress, std::span<const std::uint8_t> packet);
  /// Polls the main core and returns the frames that have left by now.
  std::vector<LeftFrame> poll();

  /// Number of frames put on wires: packets and answers of neighbours.
  std::uint64_t put_count() const { return put_; }

  Picos now;
  PacketPool pool;

 private:
  struct Place {
    forward::Egress egress;
    RingWire wire;
    Port port;
    FarNeighbours neighbours;
  };
  explicit TwoCoreNode(PacketPool its) : pool(std::move(its)) {}

  std::vector<std::unique_ptr<Place>> places_;
  std::uint64_t put_ = 0;

 public:
  /// The last member, because it must be destroyed first.
  std::unique_ptr<Forwarder> forwarder;
};

}  // namespace overlane::dpdk::testing
