#pragma once

#include <cstdint>
#include <vector>

#include "dataplane/forward/outcome.h"
#include "dataplane/node/state/node_state.h"
#include "results/finding/finding.h"

namespace overlane::dpdk {

/// Frames that a generator writes repeatedly, stored consecutively in one block.
class BenchTraffic {
 public:
  /// Makes `flows` UDP flows. An inner frame has `size_bytes` bytes, which include the Ethernet
  /// header and padding but not the FCS; 0 means IMIX (7 × 64, 4 × 594, 1 × 1518 bytes with FCS).
  /// Without `inbound`, packets go from the pods of nodes[0] to pods of `routes` peers to which
  /// nodes[0] has a route, as the pods send them. With `inbound`, packets go from those peers' pods
  /// to the pods of nodes[0], encapsulated by the peers. Fails if a node's state drops the packets.
  /// Packets have the given `family` and are at least as long as its headers. `to` is the
  /// destination address of each frame.
  static Parsed<BenchTraffic> make(std::span<const node::NodeState> nodes, bool inbound,
                                   std::uint32_t flows, std::uint32_t routes,
                                   std::uint32_t size_bytes, const MacAddress& to,
                                   Family family = Family::Ipv4);

  /// The link-layer address of the station with this IP address.
  static MacAddress mac_of(IpAddress address);

  /// Each frame begins at a multiple of this many bytes, and may be read up to the next multiple.
  static constexpr std::uint32_t kStride = 64;
  struct View {
    const std::uint8_t* at;
    std::uint32_t bytes;
  };
  std::size_t size() const { return lengths_.size(); }
  View frame(std::size_t i) const { return {bytes_.data() + i * stride_, lengths_[i]}; }

 private:
  std::vector<std::uint8_t> bytes_;
  std::vector<std::uint32_t> lengths_;
  std::uint32_t stride_ = 0;
};

}  // namespace overlane::dpdk
