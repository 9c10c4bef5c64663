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

// An adjacency is a decision of the model that was made in advance for a class of packets, like the
// adjacency of a router's FIB: egress, next hop, outer headers, largest packet. compile.h makes
// adjacencies from a NodeState, burst.h applies them. They are a cache: an adjacency treats a
// packet exactly as forward() does. Packets without an adjacency take the full path
// (byte_rewrite::FullPath).

/// Writers of outer headers, one for each tunnel, grouped by encapsulation so that those of one
/// kind are adjacent in memory.
struct Pushers {
  std::vector<ipip::Pusher> ipip;
  std::vector<sit::Pusher> sit;
  std::vector<ip6tnl::Pusher> ip6tnl;
  std::vector<vxlan::Pusher> vxlan;
  std::vector<geneve::Pusher> geneve;
};

/// Value of Adjacency::next_hop for packets whose next hop is their destination, a neighbour on the
/// uplink.
inline constexpr std::uint32_t kNeighbour = ~std::uint32_t{0};

/// The decision of `forward` for a class of packets, made in advance. The packet's hop limit
/// decreases by one; the packet gets outer headers, if any, and a link header.
struct alignas(64) Adjacency {
  forward::Egress egress = forward::Egress::Uplink;
  Encapsulation encapsulation = Encapsulation::None;
  bool has_identification = false;  ///< Whether the outer header is IPv4.
  std::uint16_t ether_type = 0;     ///< EtherType of the frame that leaves, in network order.
  std::uint16_t identification_bucket = 0;  ///< Bucket of the outer header's identification.
  std::uint32_t next_hop = 0;               ///< Position in Compiled::next_hops, or kNeighbour.
  std::uint32_t pusher = 0;  ///< Position in the list of its kind in Compiled::pushers.
  /// Size in bytes of the largest packet, without outer headers, that leaves unfragmented.
  std::uint32_t largest = 0;
  IpAddress outer_destination;  ///< Valid with an encapsulation.
};

/// Size in bytes of the smallest packets that have an adjacency: IP and UDP headers.
inline constexpr std::uint32_t kMinBytes = 28;
inline constexpr std::uint32_t kMinBytesIpv6 = 48;
constexpr std::uint32_t min_bytes(Family family) {
  return family == Family::Ipv4 ? kMinBytes : kMinBytesIpv6;
}

/// The adjacency of packets to a class of addresses, and the sources to which it applies.
struct Entry {
  std::uint32_t adjacency = 0;  ///< Position in Compiled::adjacencies.
  /// Source groups whose packets have this adjacency, one bit per group.
  std::uint32_t sources = 0;
};

/// A MAC address in a form that compares fast with bytes of a frame.
class MacWord {
 public:
  explicit MacWord(const MacAddress& mac) {
    std::memcpy(&word_, mac.bytes.data(), mac.bytes.size());
  }

  /// Returns whether the bytes at `at` are this address. Reads 8 bytes.
  bool is_at(const std::uint8_t* at) const {
    return ((load<std::uint64_t>(at) ^ word_) & kMask) == 0;
  }

 private:
  static constexpr std::uint64_t kMask = network_order(std::uint64_t{0xffffffffffff0000});
  std::uint64_t word_ = 0;
};

/// A tunnel device of the node as the receiver of packets with an inner packet of one family.
struct DecapEntry {
  Encapsulation encapsulation = Encapsulation::None;
  Family outer = Family::Ipv4;
  Family inner = Family::Ipv4;
  /// Outer destination in network byte order; `local` for IPv4.
  std::uint32_t local = 0;
  std::array<std::uint64_t, 2> local_ipv6{};
  std::uint16_t udp_port = 0;  ///< VXLAN, Geneve: UDP port in network byte order.
  /// VXLAN, Geneve: mask and expected value of the tunnel header, in network byte order.
  std::uint64_t header_mask = 0;
  std::uint64_t header_value = 0;
  MacWord mac;                 ///< VXLAN, Geneve: destination MAC of the inner frame.
  std::uint32_t sources = 0;   ///< Groups of accepted outer sources, one bit per group.
  std::vector<Entry> entries;  ///< Entries for inner packets, by class of the destination.
};

}  // namespace overlane::adjacency
