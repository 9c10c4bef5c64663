#pragma once

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "dataplane/dpdk/forwarder.h"
#include "dataplane/dpdk/io/port.h"
#include "dataplane/dpdk/loopback_node.h"

namespace overlane::dpdk::testing {

/// A frame that left a node, and who was meant.
struct LeftFrame {
  forward::Egress egress = forward::Egress::Uplink;
  IpAddress next_hop;
  std::vector<std::uint8_t> packet;  ///< From the outermost IP header on.
};

/// A node on the two cores of testing::cores(), between wires that end here, where all of its
/// neighbours answer. Time stands still unless it is told.
class TwoCoreNode {
 public:
  /// Under a name that no other has.
  static std::unique_ptr<TwoCoreNode> make(const std::string& name);

  /// Puts a packet where one of the node's ports receives it; false when the wire is full.
  bool put(forward::Ingress ingress, std::span<const std::uint8_t> packet);
  /// What the main core does, and what left by now.
  std::vector<LeftFrame> poll();

  /// Frames that were put, and answers of neighbours.
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
  /// Last, so that it goes first.
  std::unique_ptr<Forwarder> forwarder;
};

}  // namespace overlane::dpdk::testing
