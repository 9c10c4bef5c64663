#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "dataplane/adjacency/address_class.h"
#include "dataplane/encap/geneve/geneve.h"
#include "dataplane/encap/ip6tnl/ip6tnl.h"
#include "dataplane/encap/ip_in_ipv4/ip_in_ipv4.h"
#include "dataplane/encap/popped.h"
#include "dataplane/encap/vxlan/vxlan.h"
#include "dataplane/forward/outcome.h"
#include "dataplane/net/address.h"
#include "dataplane/net/byte_order.h"

namespace overlane::adjacency {

// An adjacency is a decision of the model, made in advance for a class of packets, as a
// router's FIB adjacency is: egress, next hop, outer headers, largest packet. compile.h makes
// them from a NodeState, burst.h applies them. They are a cache: whatever an adjacency does to
// a packet, forward() would do too, and packets without one take the full path
// (byte_rewrite::FullPath).

/// What puts the outer headers on, one of each tunnel; by kind, so that packets find them close
/// together.
struct Pushers {
  std::vector<ipip::Pusher> ipip;
  std::vector<sit::Pusher> sit;
  std::vector<ip6tnl::Pusher> ip6tnl;
  std::vector<vxlan::Pusher> vxlan;
  std::vector<geneve::Pusher> geneve;
};

/// The next hop of a packet is its destination, a neighbour on the uplink.
inline constexpr std::uint32_t kNeighbour = ~std::uint32_t{0};

/// What is done to the packets of a class before they leave: the decision of `forward`, made ahead.
/// The hop limit goes down by one, outer headers come on, and a link header.
struct alignas(64) Adjacency {
  forward::Egress egress = forward::Egress::Uplink;
  Encapsulation encapsulation = Encapsulation::None;
  bool has_identification = false;  ///< Whether the outer header is IPv4.
  std::uint16_t ether_type = 0;     ///< EtherType of the frame that leaves, in network order.
  std::uint16_t identification_bucket = 0;  ///< Bucket of the outer header's identification.
  std::uint32_t next_hop = 0;               ///< Position in Compiled::next_hops, or kNeighbour.
  std::uint32_t pusher = 0;                 ///< Position among those of its kind.
  /// The largest packet, bytes without outer headers, that leaves unfragmented.
  std::uint32_t largest = 0;
  IpAddress outer_destination;  ///< With an encapsulation.
};

/// The smallest packets that take one: IP and UDP headers.
inline constexpr std::uint32_t kMinBytes = 28;
inline constexpr std::uint32_t kMinBytesIpv6 = 48;
constexpr std::uint32_t least_bytes(Family family) {
  return family == Family::Ipv4 ? kMinBytes : kMinBytesIpv6;
}

/// Which adjacency packets to a class of addresses take.
struct Entry {
  std::uint32_t adjacency = 0;  ///< Position.
  std::uint32_t sources = 0;    ///< A bit for each source group whose packets take it.
};

/// A link-layer address to compare with what stands in frames.
class MacWord {
 public:
  explicit MacWord(const MacAddress& mac) {
    std::memcpy(&word_, mac.bytes.data(), mac.bytes.size());
  }

  /// Whether these bytes are that address. Two more must be there to read.
  bool is_at(const std::uint8_t* at) const {
    return ((load<std::uint64_t>(at) ^ word_) & kMask) == 0;
  }

 private:
  static constexpr std::uint64_t kMask = network_order(std::uint64_t{0xffffffffffff0000});
  std::uint64_t word_ = 0;
};

/// A tunnel device of the node, as arriving packets see it that have packets of one family inside.
struct DecapEntry {
  Encapsulation encapsulation = Encapsulation::None;
  Family outer = Family::Ipv4;
  Family inner = Family::Ipv4;
  /// The outer destination as it stands in a packet, by family.
  std::uint32_t local = 0;
  std::array<std::uint64_t, 2> local_ipv6{};
  std::uint16_t udp_port = 0;  ///< VXLAN, Geneve; likewise.
  /// VXLAN, Geneve: of the tunnel's own header, as they stand in a packet.
  std::uint64_t header_mask = 0;
  std::uint64_t header_value = 0;
  MacWord mac;                 ///< VXLAN, Geneve: the inner destination.
  std::uint32_t sources = 0;   ///< A bit for each group of outer sources that may come in.
  std::vector<Entry> entries;  ///< For what comes out of it; by class.
};

}  // namespace overlane::adjacency
