#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "dataplane/adjacency/adjacency.h"
#include "dataplane/adjacency/fast_parse.h"
#include "dataplane/adjacency/ipv6_finder.h"
#include "dataplane/forward/outcome.h"
#include "dataplane/forward/packet_transform.h"
#include "dataplane/net/address.h"
#include "dataplane/net/byte_order.h"
#include "dataplane/node/runtime/node_runtime.h"
#include "dataplane/wire/ethernet.h"

namespace overlane::adjacency {

// Link headers (destination and source MAC) in front of frames to each next hop. One thread
// writes them when it learns neighbours; any number of workers reads them without locks, and
// none sees half an address.

/// Destination and source of an Ethernet frame, as a reader has seen them, and whether they are
/// known. What is forgotten since may still be written.
struct LinkHeader {
  static constexpr std::size_t kBytes = 12;

  std::uint64_t front = 0;
  std::uint64_t back = 0;

  /// The bit of the second word that says that the address is known: the first one of its last
  /// byte.
  static constexpr std::uint64_t known() { return network_order(std::uint64_t{0x80}); }

  bool is_known() const { return (back & known()) != 0; }
  /// Whether the address at `mac`, behind which stand two more bytes, is the destination, and
  /// known.
  bool is_destination(const std::uint8_t* mac) const {
    const std::uint64_t differs = load<std::uint64_t>(mac) ^ front;
    return (std::endian::native == std::endian::little ? differs << 16 : differs >> 16) == 0 &&
           is_known();
  }
  /// Writes kBytes.
  [[gnu::always_inline]] void write(std::uint8_t* at) const {
    std::memcpy(at, &front, sizeof front);
    std::memcpy(at + sizeof front, &back, kBytes - sizeof front);
  }
};

/// A link header that one thread writes, and any number read, none of whom sees half an address:
/// the destination is in one word, the source, which never changes, and whether they are known in
/// the rest. Unknown at first.
class alignas(16) SharedLinkHeader {
 public:
  void set(const MacAddress& destination, const MacAddress& source) {
    std::array<std::uint8_t, 16> bytes{};
    std::memcpy(bytes.data(), destination.bytes.data(), destination.bytes.size());
    std::memcpy(bytes.data() + destination.bytes.size(), source.bytes.data(), source.bytes.size());
    bytes.back() = 0x80;
    std::uint64_t words[2];
    std::memcpy(words, bytes.data(), bytes.size());
    front_.store(words[0], std::memory_order_relaxed);
    back_.store(words[1], std::memory_order_release);
  }
  /// Who has seen that it was known may still write it, whole.
  void forget() {
    back_.store(back_.load(std::memory_order_relaxed) & ~LinkHeader::known(),
                std::memory_order_release);
  }
  [[gnu::always_inline]] LinkHeader read() const {
    // In this order: who sees that it is known has the address that it was known with, or a later.
    const std::uint64_t back = back_.load(std::memory_order_acquire);
    return {.front = front_.load(std::memory_order_relaxed), .back = back};
  }

 private:
  std::atomic<std::uint64_t> front_ = 0;
  std::atomic<std::uint64_t> back_ = 0;
};

/// Ethernet headers of frames to neighbours on a link, by their IPv6 addresses: for packets whose
/// next hop is their destination. As with SharedLinkHeader, one thread writes, any number
/// read.
class NeighbourHeaders {
 public:
  /// So many different addresses have room, of which some may be forgotten since: twice what a
  /// link's table holds at a time (NodeLinks). Others stay unknown.
  static constexpr std::size_t kMax = 1 << 15;

  /// Without a `wanted` one there is room for none.
  explicit NeighbourHeaders(bool wanted) : slots_(wanted ? 2 * kMax : 0) {}

  /// Nothing happens where there is no room, or for an address whose upper half is 0, which has no
  /// adjacency.
  void set(const IpAddress& address, const MacAddress& destination, const MacAddress& source);
  void forget(const IpAddress& address);
  void forget_all();

  /// Link header of the address with these halves in host byte order. Requires room for addresses.
  [[gnu::always_inline]] LinkHeader header(std::uint64_t high, std::uint64_t low) const {
    for (std::size_t at = place(high, low);; at = (at + 1) % (2 * kMax)) {
      const Slot& slot = slots_[at];
      const std::uint64_t found = slot.high.load(std::memory_order_acquire);
      if (found == 0) return {};
      if (found == high && slot.low.load(std::memory_order_relaxed) == low)
        return slot.header.read();
    }
  }

 private:
  /// Place of one address, which never changes. It is free while `high` is 0, which is written
  /// last.
  struct alignas(32) Slot {
    std::atomic<std::uint64_t> high = 0;
    std::atomic<std::uint64_t> low = 0;
    SharedLinkHeader header;
  };

  static constexpr int kBits = 16;
  static_assert(2 * kMax == std::size_t{1} << kBits);

  static std::size_t place(std::uint64_t high, std::uint64_t low) {
    return ipv6_hash(high, low) >> (64 - kBits);
  }
  /// The slot that the address has, or the free one for it.
  Slot& slot_of(const IpAddress& address);

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
};

/// Whom a packet is handed to on a link.
struct NextHop {
  forward::Egress egress = forward::Egress::Uplink;
  IpAddress address;

  auto operator<=>(const NextHop&) const = default;
};

/// Ethernet headers of frames to next hops: to each of a list of them, by position, and to
/// neighbours. Unknown at first. One thread writes, any number read.
class LinkHeaders {
 public:
  /// `has_neighbours`: there will be neighbours by their addresses.
  LinkHeaders(std::size_t next_hops, bool has_neighbours)
      : headers_(next_hops), neighbours_(has_neighbours) {}

  void set(std::size_t position, const MacAddress& destination, const MacAddress& source) {
    headers_[position].set(destination, source);
  }
  void forget(std::size_t position) { headers_[position].forget(); }
  void forget_all() {
    for (SharedLinkHeader& header : headers_)
      header.forget();
    neighbours_.forget_all();
  }
  NeighbourHeaders& neighbours() { return neighbours_; }

  /// Reads them, and keeps their place in a register.
  class Reader {
   public:
    explicit Reader(const LinkHeaders& headers)
        : headers_(headers.headers_.data()), neighbours_(headers.neighbours_) {}
    [[gnu::always_inline]] LinkHeader header(std::size_t position) const {
      return headers_[position].read();
    }
    const NeighbourHeaders& neighbours() const { return neighbours_; }

   private:
    const SharedLinkHeader* headers_;
    const NeighbourHeaders& neighbours_;
  };
  Reader reader() const { return Reader(*this); }

 private:
  std::vector<SharedLinkHeader> headers_;
  NeighbourHeaders neighbours_;
};

// Applies an adjacency to a packet in its buffer: hop limit, outer headers, link header.
// Pushers are the tunnels of a node, collected by kind.

/// Adds what puts the outer headers of a tunnel on, and returns its position. The inner frame,
/// where there is one, is for `far_mac`.
std::uint32_t add_pusher(const node::NodeState& state, Encapsulation encapsulation,
                         const forward::TunnelEnds& ends, Pushers& to, const MacAddress& far_mac);

/// Puts the outer headers of an adjacency on a packet of that family, no longer than it takes, with
/// kPushRoom bytes in front. What leaves. IPv6 packets are of TCP or UDP.
template <Family kFamily>
[[gnu::always_inline]] inline std::span<std::uint8_t> wrap(const Pushers& pushers,
                                                           Encapsulation encapsulation,
                                                           std::uint32_t position,
                                                           std::span<std::uint8_t> packet,
                                                           const encap::PerPacket& per_packet) {
  switch (encapsulation) {
    case Encapsulation::Ipip:
      if constexpr (kFamily == Family::Ipv4) return pushers.ipip[position].wrap(packet, per_packet);
      break;
    case Encapsulation::Sit:
      if constexpr (kFamily == Family::Ipv6) return pushers.sit[position].wrap(packet, per_packet);
      break;
    case Encapsulation::Vxlan:
      return pushers.vxlan[position].wrap<kFamily>(packet, per_packet);
    case Encapsulation::Geneve:
      return pushers.geneve[position].wrap<kFamily>(packet, per_packet);
    case Encapsulation::Ip6Tnl:
      return pushers.ip6tnl[position].wrap<kFamily>(packet, per_packet);
    case Encapsulation::None:
    case Encapsulation::Wireguard:  // Takes the full path.
      break;
  }
  return packet;
}

/// One hop less, in IPv4 with the checksum that covers it (RFC 1624), in place.
template <Family kFamily>
[[gnu::always_inline]] inline void decrement_hop_limit(std::uint8_t* at) {
  if constexpr (kFamily == Family::Ipv6) {
    // The word as a whole, for whoever sums it up next: a byte of it would have to reach the cache.
    constexpr bool kIsLittle = std::endian::native == std::endian::little;
    const std::uint64_t word = load<std::uint64_t>(at) - (std::uint64_t{1} << (kIsLittle ? 56 : 0));
    std::memcpy(at, &word, sizeof word);
    return;
  }
  --at[8];
  // A one's-complement sum, in memory order.
  const std::uint32_t sum =
      load<std::uint16_t>(at + 10) + network_order(static_cast<std::uint16_t>(0x100));
  const auto checksum = static_cast<std::uint16_t>(sum + (sum >= 0xffff ? 1u : 0u));
  std::memcpy(at + 10, &checksum, sizeof checksum);
}

/// What the outer headers of one packet take that is not in its adjacency. `ipv6_flow` is the hash
/// of an IPv6 packet's flow.
template <Family kFamily>
[[gnu::always_inline]] inline encap::PerPacket per_packet(
    const ParsedPacket& packet, Encapsulation encapsulation, const Adjacency& adjacency,
    std::uint32_t ipv6_flow, node::IdentificationCounters& identification) {
  encap::PerPacket made{.has_sound_header = kFamily == Family::Ipv4};
  if (kFamily == Family::Ipv6) {
    made.flow_hash = ipv6_flow;
  } else if (encapsulation != Encapsulation::Ipip) {
    const std::uint8_t protocol = FastIp<Family::Ipv4>::protocol(packet.at);
    const bool has_ports = protocol == wire::kUdp || protocol == wire::kTcp;
    made.flow_hash = has_ports ? encap::plain_flow_hash(packet.at)
                               : encap::inner_flow_hash({packet.at, packet.bytes}, Family::Ipv4);
  }
  if (adjacency.has_identification) {
    made.identification = identification.next_of(adjacency.identification_bucket);
  }
  return made;
}

/// The packet in the outer headers of its adjacency, which are of that encapsulation, in place.
template <Family kFamily>
[[gnu::always_inline]] inline std::span<std::uint8_t> wrapped(
    const ParsedPacket& packet, Encapsulation encapsulation, const Adjacency& adjacency,
    const Pushers& pushers, std::uint32_t ipv6_flow, node::IdentificationCounters& identification) {
  return wrap<kFamily>(
      pushers, encapsulation, adjacency.pusher, {packet.at, packet.bytes},
      per_packet<kFamily>(packet, encapsulation, adjacency, ipv6_flow, identification));
}

/// Out-of-line version for rare cases: the loop around it then has the registers.
template <Family kFamily>
[[gnu::noinline]] inline std::span<std::uint8_t> encapsulated_out_of_line(
    const ParsedPacket& packet, const Adjacency& adjacency, const Pushers& pushers,
    node::IdentificationCounters& identification) {
  const std::uint32_t ipv6_flow =
      kFamily == Family::Ipv6 ? encap::plain_ipv6_flow_hash(packet.at) : 0;
  return wrapped<kFamily>(packet, adjacency.encapsulation, adjacency, pushers, ipv6_flow,
                          identification);
}

/// The frame that leaves: made of `packet` in place, with as much in front of it as comes on.
/// kExpected, the encapsulation of most adjacencies, changes nothing but the speed; with one, and
/// in IPv6, `ipv6_flow` is the hash of the packet's flow.
template <Family kFamily, Encapsulation kExpected>
[[gnu::always_inline]] inline Frame rewrite_for_tx(const ParsedPacket& packet,
                                                   const Adjacency& adjacency,
                                                   const Pushers& pushers,
                                                   const LinkHeader& link_header,
                                                   std::uint32_t ipv6_flow,
                                                   node::IdentificationCounters& identification) {
  decrement_hop_limit<kFamily>(packet.at);
  std::span<std::uint8_t> sent(packet.at, packet.bytes);
  if (kExpected != Encapsulation::None && adjacency.encapsulation == kExpected) {
    sent = wrapped<kFamily>(packet, kExpected, adjacency, pushers, ipv6_flow, identification);
  } else if (adjacency.encapsulation != Encapsulation::None) {
    sent = encapsulated_out_of_line<kFamily>(packet, adjacency, pushers, identification);
  }
  std::uint8_t* at = sent.data() - wire::kEthernetBytes;
  link_header.write(at);
  std::memcpy(at + LinkHeader::kBytes, &adjacency.ether_type, sizeof adjacency.ether_type);
  return {at, static_cast<std::uint32_t>(wire::kEthernetBytes + sent.size())};
}

}  // namespace overlane::adjacency
