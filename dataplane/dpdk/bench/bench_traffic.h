#pragma once

#include <cstdint>
#include <vector>

#include "dataplane/forward/outcome.h"
#include "dataplane/node/state/node_state.h"
#include "results/finding/finding.h"

namespace overlane::dpdk {

/// Frames that a generator writes over and over, one after another in one block.
class BenchTraffic {
 public:
  /// `flows` flows of UDP in inner frames of `size_bytes` (Ethernet header and padding included, no
  /// FCS): from nodes[0]'s pods to pods of `routes` peers, to which its routes have a next hop, as
  /// they come from the pods; or with `inbound` from those peers' pods to nodes[0]'s, as the peers
  /// wrap them. Fails when a state does not let them through. Packets are of `family`, and long
  /// enough for its headers. `size_bytes` of 0: IMIX (7 × 64, 4 × 594, 1 × 1518 with FCS).
  static Parsed<BenchTraffic> make(std::span<const node::NodeState> nodes, bool inbound,
                                   std::uint32_t flows, std::uint32_t routes,
                                   std::uint32_t size_bytes, const MacAddress& to,
                                   Family family = Family::Ipv4);

  /// The link-layer address that everybody with an address has.
  static MacAddress mac_of(IpAddress address);

  /// Frames begin, and may be read, at multiples of this.
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
