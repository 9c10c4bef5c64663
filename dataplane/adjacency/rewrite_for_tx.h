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

// Rewrites a packet for transmission. The first part of this file has the link headers (destination
// and source MAC) of frames to each next hop. One thread writes them when it learns neighbours; any
// number of workers reads them without locks, and no reader sees half an address. The second part
// applies an adjacency to a packet in its buffer.

/// Destination and source MAC of an Ethernet frame as a reader has read them, and whether they are
/// known. A reader may still write a header that has been forgotten since.
struct LinkHeader {
  static constexpr std::size_t kBytes = 12;

  std::uint64_t front = 0;
  std::uint64_t back = 0;

  /// Bit of the second word that is set if the addresses are known: the highest bit of its last
  /// byte.
  static constexpr std::uint64_t known() { return network_order(std::uint64_t{0x80}); }

  bool is_known() const { return (back & known()) != 0; }
  /// Returns whether the address at `mac` is the destination, and the header is known. Reads 8
  /// bytes.
  bool is_destination(const std::uint8_t* mac) const {
    const std::uint64_t differs = load<std::uint64_t>(mac) ^ front;
    return (std::endian::native == std::endian::little ? differs << 16 : differs >> 16) == 0 &&
           is_known();
  }
  /// Writes kBytes bytes.
  [[gnu::always_inline]] void write(std::uint8_t* at) const {
    std::memcpy(at, &front, sizeof front);
    std::memcpy(at + sizeof front, &back, kBytes - sizeof front);
  }
};

/// A link header that one thread writes and any number of threads read. No reader sees half an
/// address: the destination MAC is in one atomic word. The other word has the rest of the header
/// and the known bit; the source MAC in it never changes. Unknown at first.
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
  /// Marks the header as unknown. A reader that has read it before may still write it as a whole.
  void forget() {
    back_.store(back_.load(std::memory_order_relaxed) & ~LinkHeader::known(),
                std::memory_order_release);
  }
  [[gnu::always_inline]] LinkHeader read() const {
    // The order matters. A reader that sees the known bit reads the address that was known then, or
    // a later one.
    const std::uint64_t back = back_.load(std::memory_order_acquire);
    return {.front = front_.load(std::memory_order_relaxed), .back = back};
  }

 private:
  std::atomic<std::uint64_t> front_ = 0;
  std::atomic<std::uint64_t> back_ = 0;
};

/// Ethernet headers of frames to neighbours on a link, by IPv6 address, for packets whose next hop
/// is their destination. One thread writes, any number of threads read, as with SharedLinkHeader.
class NeighbourHeaders {
 public:
  /// Maximum number of different addresses, forgotten ones included: twice the capacity of a link's
  /// table (NodeLinks). Further addresses stay unknown.
  static constexpr std::size_t kMax = 1 << 15;

  /// If `wanted` is false, there is room for no address.
  explicit NeighbourHeaders(bool wanted) : slots_(wanted ? 2 * kMax : 0) {}

  /// Has no effect if there is no room. Also has no effect for an address whose upper half is 0,
  /// since it has no adjacency.
  void set(const IpAddress& address, const MacAddress& destination, const MacAddress& source);
  void forget(const IpAddress& address);
  void forget_all();

  /// Returns the link header of the address with these halves in host byte order. Requires room for
  /// addresses.
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
  /// Slot of one address, which never changes once set. The slot is free while `high` is 0; the
  /// writer sets `high` last.
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
  /// Returns the slot of the address, or the free slot for it.
  Slot& slot_of(const IpAddress& address);

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
};

/// The receiver of a packet on a link.
struct NextHop {
  forward::Egress egress = forward::Egress::Uplink;
  IpAddress address;

  auto operator<=>(const NextHop&) const = default;
};

/// Ethernet headers of frames to the next hops of a list, by position, and to neighbours. Unknown
/// at first. One thread writes, any number of threads read.
class LinkHeaders {
 public:
  /// `has_neighbours`: reserves room for neighbours by address.
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

  /// Reads the headers through a pointer that stays in a register.
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

/// Adds a pusher for the outer headers of a tunnel, and returns its position. `far_mac` is the
/// destination of the inner frame, if the tunnel has one.
std::uint32_t add_pusher(const node::NodeState& state, Encapsulation encapsulation,
                         const forward::TunnelEnds& ends, Pushers& to, const MacAddress& far_mac);

/// Adds the outer headers of an adjacency to a packet of this family and returns the packet with
/// them. Requires that the packet is not larger than the adjacency allows and that kPushRoom bytes
/// are free in front of it. IPv6 packets must be TCP or UDP.
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
    case Encapsulation::Wireguard:  // WireGuard takes the full path.
      break;
  }
  return packet;
}

/// Decrements the hop limit in place. In IPv4 it also updates the checksum (RFC 1624).
template <Family kFamily>
[[gnu::always_inline]] inline void decrement_hop_limit(std::uint8_t* at) {
  if constexpr (kFamily == Family::Ipv6) {
    // Writes the whole word, since the next read of the whole word would otherwise wait until a
    // single byte has reached the cache.
    constexpr bool kIsLittle = std::endian::native == std::endian::little;
    const std::uint64_t word = load<std::uint64_t>(at) - (std::uint64_t{1} << (kIsLittle ? 56 : 0));
    std::memcpy(at, &word, sizeof word);
    return;
  }
  --at[8];
  // A one's complement sum, in memory order.
  const std::uint32_t sum =
      load<std::uint16_t>(at + 10) + network_order(static_cast<std::uint16_t>(0x100));
  const auto checksum = static_cast<std::uint16_t>(sum + (sum >= 0xffff ? 1u : 0u));
  std::memcpy(at + 10, &checksum, sizeof checksum);
}

/// Returns the parts of the outer headers that depend on the packet and not on its adjacency only.
/// `ipv6_flow` is the flow hash of an IPv6 packet.
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

/// Returns the packet with the outer headers of its adjacency, in place. `encapsulation` must be
/// that of the adjacency.
template <Family kFamily>
[[gnu::always_inline]] inline std::span<std::uint8_t> wrapped(
    const ParsedPacket& packet, Encapsulation encapsulation, const Adjacency& adjacency,
    const Pushers& pushers, std::uint32_t ipv6_flow, node::IdentificationCounters& identification) {
  return wrap<kFamily>(
      pushers, encapsulation, adjacency.pusher, {packet.at, packet.bytes},
      per_packet<kFamily>(packet, encapsulation, adjacency, ipv6_flow, identification));
}

/// Encapsulates out of line, for rare cases: the loop of the caller then keeps its registers.
template <Family kFamily>
[[gnu::noinline]] inline std::span<std::uint8_t> encapsulated_out_of_line(
    const ParsedPacket& packet, const Adjacency& adjacency, const Pushers& pushers,
    node::IdentificationCounters& identification) {
  const std::uint32_t ipv6_flow =
      kFamily == Family::Ipv6 ? encap::plain_ipv6_flow_hash(packet.at) : 0;
  return wrapped<kFamily>(packet, adjacency.encapsulation, adjacency, pushers, ipv6_flow,
                          identification);
}

/// Rewrites `packet` in place for its adjacency, and returns the frame to send, which may begin
/// earlier in the buffer. kExpected is the encapsulation of most adjacencies; this hint changes the
/// speed only. `ipv6_flow` is the flow hash of an IPv6 packet; needed only if kExpected is an
/// encapsulation.
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
