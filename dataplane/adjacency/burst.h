#pragma once

#include <array>
#include <span>
#include <type_traits>

#include "dataplane/adjacency/compile.h"
#include "dataplane/adjacency/fast_parse.h"
#include "dataplane/adjacency/punt_filter.h"
#include "dataplane/adjacency/rewrite_for_tx.h"

namespace overlane::adjacency {

// Forwards a burst of frames by adjacencies. First it parses all packets of the burst and
// classifies their addresses, then it rewrites in place the packets that have an adjacency. Packets
// without one stay unchanged, for the full path. This is a template without DPDK: dataplane/dpdk
// gives it LPM tables, tests give it plain ones.

/// Maximum number of frames in a burst.
inline constexpr std::size_t kBurst = 64;

/// A set of positions in a burst, one bit per position.
using Positions = std::uint64_t;
static_assert(kBurst <= 64);

constexpr Positions position_bit(std::size_t position) {
  return Positions{1} << position;
}
/// The set of the first `count` positions.
constexpr Positions first_positions(std::size_t count) {
  return count == 0 ? 0 : ~Positions{0} >> (kBurst - count);
}

/// Positions of the packets that were forwarded by adjacencies, by egress.
struct Forwarded {
  Positions to_pods = 0;
  Positions to_uplink = 0;

  Positions all() const { return to_pods | to_uplink; }
  void add(const Forwarded& other) {
    to_pods |= other.to_pods;
    to_uplink |= other.to_uplink;
  }
};

/// Forwards frames by the adjacencies of a compiled state, one burst at a time. `Finder` is a
/// longest-prefix match over the classes, with three functions that return the position of a class:
/// - `(address)` for an IPv4 address in host byte order,
/// - `(high, low)` for an IPv6 address by its halves; `high` is not 0,
/// - `host(high, low)` for an IPv6 address; faster if the address is likely to have its own class.
///
/// A forwarded packet is rewritten in place, with the same result as from `forward`. A packet
/// without an adjacency, or with a next hop whose MAC is not known, stays unchanged for the full
/// path.
///
/// The caller's `leave(position, frame, adjacency)` is called for each forwarded packet, with its
/// position in the burst, the frame to send and its adjacency. `leave` is copied, so that its
/// captures stay in registers.
template <typename Finder>
class Burst {
 public:
  /// All arguments except `find` must outlive this object.
  Burst(const Compiled& compiled, const LinkHeaders& links, Finder find,
        const PuntFilter& exceptions, node::IdentificationCounters& identification)
      : compiled_(compiled),
        links_(links),
        find_(find),
        exceptions_(exceptions),
        identification_(identification) {}

  /// Forwards frames from local pods to `mac`. The source MAC must be that of the pod with the
  /// packet's source address. Returns the forwarded packets.
  template <typename Leave>
  Forwarded from_pods(std::span<const Frame> frames, const MacAddress& mac, Leave leave) const {
    return from<Side::Pods>(frames, mac, leave);
  }

  /// Forwards frames from the fabric to `mac`, bare or in tunnels. Returns the forwarded packets.
  template <typename Leave>
  Forwarded from_uplink(std::span<const Frame> frames, const MacAddress& mac, Leave leave) const {
    return from<Side::Uplink>(frames, mac, leave);
  }

 private:
  /// A packet, its position in the burst, and the classes of its addresses.
  struct Classified {
    ParsedPacket packet;
    std::uint32_t position;
    std::uint32_t source;
    std::uint32_t destination;
  };

  /// Classified packets that wait for their adjacency. Only the first `count` elements are
  /// initialised.
  struct ClassifiedPackets {
    ClassifiedPackets() {}  // NOLINT: the array is large, and written before it is read
    std::array<Classified, kBurst> packets;
    std::size_t count = 0;

    std::span<const Classified> all() const { return {packets.data(), count}; }
    Positions positions(std::size_t burst) const {
      if (count == burst) return first_positions(burst);
      Positions positions = 0;
      for (const Classified& one : all())
        positions |= position_bit(one.position);
      return positions;
    }
  };

  /// Flow hashes of IPv6 packets, by position in the burst. Empty and without cost unless `kAny`.
  template <bool kAny>
  struct FlowHashes {
    FlowHashes() {}  // NOLINT: as ClassifiedPackets
    std::array<std::uint32_t, kAny ? kBurst : 0> hashes;

    [[gnu::always_inline]] void set(const ClassifiedPackets& waiting) {
      if constexpr (kAny) {
        for (const Classified& one : waiting.all())
          hashes[one.position] = encap::plain_ipv6_flow_hash(one.packet.at);
      }
    }
    [[gnu::always_inline]] std::uint32_t of(const Classified& one) const {
      if constexpr (kAny) return hashes[one.position];
      return 0;
    }
  };

  /// A list of positions in the burst, in order.
  struct Listed {
    Listed() {}  // NOLINT: as ClassifiedPackets
    std::array<std::uint32_t, kBurst> positions;
    std::size_t count = 0;

    void add(std::uint32_t position) { positions[count++] = position; }
    std::span<const std::uint32_t> all() const { return {positions.data(), count}; }
  };

  /// Ingress side of frames. From Pods, local pods are the sources; from Uplink, they are the
  /// destinations.
  enum class Side : std::uint8_t { Pods, Uplink };

  /// Returns the position of the class of the address at `at`.
  template <Family kFamily, bool kIsHost>
  [[gnu::always_inline]] std::uint32_t class_at(const std::uint8_t* at) const {
    if constexpr (kFamily == Family::Ipv4) return find_(load_be32(at));
    if constexpr (kFamily == Family::Ipv6 && kIsHost)
      return find_.host(load_be64(at), load_be64(at + 8));
    if constexpr (kFamily == Family::Ipv6 && !kIsHost)
      return find_(load_be64(at), load_be64(at + 8));
  }
  /// Classifies both addresses. Addresses of local pods are likely to have their own class; this
  /// hint changes the speed only.
  template <Family kFamily, Side kSide>
  [[gnu::always_inline]] Classified classified(const ParsedPacket& packet,
                                               std::uint32_t position) const {
    using Ip = FastIp<kFamily>;
    constexpr bool kFromHost = kSide == Side::Pods;
    return {.packet = packet,
            .position = position,
            .source = class_at<kFamily, kFromHost>(packet.at + Ip::kSource),
            .destination = class_at<kFamily, !kFromHost>(packet.at + Ip::kDestination)};
  }

  static constexpr Family other(Family family) {
    return family == Family::Ipv4 ? Family::Ipv6 : Family::Ipv4;
  }
  /// Returns whether the first frame is IPv6. Most bursts have one family only; this hint changes
  /// the speed only.
  static bool begins_with_ipv6(std::span<const Frame> frames) {
    return !frames.empty() && frames[0].bytes >= wire::kEthernetBytes &&
           load<std::uint16_t>(frames[0].at + 12) == network_order(wire::kEtherTypeIpv6);
  }

  /// Sorts one packet of this family, which has at least the minimum size. If it looks tunnelled,
  /// calls `tunnelled` with its position and protocol. Else, if adjacencies apply to it, appends it
  /// to `bare`.
  template <Family kFamily, Side kSide, typename Tunnelled>
  [[gnu::always_inline]] void sort_one(const Frame& frame, std::uint32_t position,
                                       ClassifiedPackets& bare, std::size_t& count,
                                       Tunnelled& tunnelled) const {
    std::uint8_t* at = frame.at + wire::kEthernetBytes;
    if (may_be_tunnelled<kFamily>(at, compiled_.tunnel_ports)) {
      tunnelled(position, FastIp<kFamily>::protocol(at));
      return;
    }
    const auto packet = fast_parse<kFamily>(at, behind_link_header(frame));
    if (packet.bytes != 0) bare.packets[count++] = classified<kFamily, kSide>(packet, position);
  }

  /// Sorts the frames to `mac`: packets of this family as sort_one() does, packets of the other
  /// family into `others`.
  template <Family kFamily, Side kSide, typename Tunnelled>
  [[gnu::always_inline]] void sort(std::span<const Frame> frames, const MacAddress& mac,
                                   ClassifiedPackets& bare, Listed& others,
                                   Tunnelled tunnelled) const {
    constexpr Family kOther = other(kFamily);
    const MacWord to(mac);
    std::size_t count = 0;
    for (std::uint32_t i = 0; i < frames.size(); ++i) {
      if (frames[i].bytes < wire::kEthernetBytes + kMinBytes || !to.is_at(frames[i].at)) continue;
      const auto ether_type = load<std::uint16_t>(frames[i].at + 12);
      if (ether_type != network_order(FastIp<kFamily>::kEtherType)) {
        if (ether_type == network_order(FastIp<kOther>::kEtherType)) others.add(i);
        continue;
      }
      if (kFamily == Family::Ipv6 && behind_link_header(frames[i]) < kMinBytesIpv6) continue;
      sort_one<kFamily, kSide>(frames[i], i, bare, count, tunnelled);
    }
    bare.count = count;
  }

  /// Sorts the listed frames, all of this family, as sort_one() does.
  template <Family kFamily, Side kSide, typename Tunnelled>
  [[gnu::always_inline]] void sort_listed(std::span<const Frame> frames, const Listed& listed,
                                          ClassifiedPackets& bare, Tunnelled tunnelled) const {
    std::size_t count = 0;
    for (const std::uint32_t i : listed.all()) {
      if (behind_link_header(frames[i]) < FastIp<kFamily>::kMin) continue;
      sort_one<kFamily, kSide>(frames[i], i, bare, count, tunnelled);
    }
    bare.count = count;
  }

  /// Positions of packets that look tunnelled, by outer protocol.
  struct Tunnelled {
    Listed in_ip;
    Listed in_udp;

    auto adder() {
      return [this](std::uint32_t position, std::uint8_t protocol) {
        (protocol == wire::kUdp ? in_udp : in_ip).add(position);
      };
    }
    std::size_t count() const { return in_ip.count + in_udp.count; }
  };

  /// For pods, whose tunnel packets take the full path.
  struct NotTunnelled {
    static auto adder() {
      return [](std::uint32_t, std::uint8_t) {};
    }
  };
  template <Side kSide>
  using TunnelledFrom = std::conditional_t<kSide == Side::Pods, NotTunnelled, Tunnelled>;

  template <Side kSide, typename Leave>
  [[gnu::always_inline]] Forwarded from(std::span<const Frame> frames, const MacAddress& mac,
                                        Leave leave) const {
    if (begins_with_ipv6(frames)) return mostly_ipv6<kSide>(frames, mac, leave);
    return mostly<kSide, Family::Ipv4>(frames, mac, leave);
  }
  template <Side kSide, typename Leave>
  [[gnu::noinline]] Forwarded mostly_ipv6(std::span<const Frame> frames, const MacAddress& mac,
                                          Leave leave) const {
    return mostly<kSide, Family::Ipv6>(frames, mac, leave);
  }
  /// Forwards a burst in which most frames are of this family.
  template <Side kSide, Family kFamily, typename Leave>
  [[gnu::always_inline]] Forwarded mostly(std::span<const Frame> frames, const MacAddress& mac,
                                          Leave leave) const {
    ClassifiedPackets bare;
    Listed others;
    TunnelledFrom<kSide> tunnelled;
    sort<kFamily, kSide>(frames, mac, bare, others, tunnelled.adder());
    Forwarded forwarded = take_sorted<kFamily>(bare, tunnelled, frames, leave);
    if (others.count != 0) forwarded.add(listed<kSide, other(kFamily)>(others, frames, leave));
    return forwarded;
  }
  template <Side kSide, Family kFamily, typename Leave>
  [[gnu::noinline]] Forwarded listed(const Listed& positions, std::span<const Frame> frames,
                                     Leave leave) const {
    ClassifiedPackets bare;
    TunnelledFrom<kSide> tunnelled;
    sort_listed<kFamily, kSide>(frames, positions, bare, tunnelled.adder());
    return take_sorted<kFamily>(bare, tunnelled, frames, leave);
  }

  template <Family kFamily, typename Leave>
  [[gnu::always_inline]] Forwarded take_sorted(const ClassifiedPackets& bare, const NotTunnelled&,
                                               std::span<const Frame> frames, Leave leave) const {
    return take_from_pods<kFamily>(bare, frames.size(), leave);
  }
  template <Family kFamily, typename Leave>
  [[gnu::always_inline]] Forwarded take_sorted(const ClassifiedPackets& bare,
                                               const Tunnelled& tunnelled,
                                               std::span<const Frame> frames, Leave leave) const {
    Forwarded forwarded = take_bare<kFamily>(bare, compiled_.from_uplink, frames.size(), leave);
    if constexpr (kFamily == Family::Ipv4) {
      for (const DecapEntry& decap_entry : compiled_.decap_entries) {
        const bool is_ipip = decap_entry.encapsulation == Encapsulation::Ipip;
        const Listed& listed = is_ipip ? tunnelled.in_ip : tunnelled.in_udp;
        if (listed.count == 0) continue;
        forwarded.add(take_out_of<kFamily, Family::Ipv4>(listed, forwarded.all(), decap_entry,
                                                         frames, leave));
      }
      if (!compiled_.ipv6_in_ipv4.empty() && tunnelled.count() != 0)
        forwarded.add(ipv6_out_of_ipv4(tunnelled, forwarded.all(), frames, leave));
    } else if (tunnelled.in_udp.count != 0) {
      for (const DecapEntry& decap_entry : compiled_.over_ipv6) {
        const Positions gone = forwarded.all();
        forwarded.add(decap_entry.inner == Family::Ipv6
                          ? take_out_of<kFamily, Family::Ipv6>(tunnelled.in_udp, gone, decap_entry,
                                                               frames, leave)
                          : take_out_of<kFamily, Family::Ipv4>(tunnelled.in_udp, gone, decap_entry,
                                                               frames, leave));
      }
    }
    return forwarded;
  }

  template <typename Leave>
  [[gnu::noinline]] Forwarded ipv6_out_of_ipv4(const Tunnelled& tunnelled, Positions gone,
                                               std::span<const Frame> frames, Leave leave) const {
    Forwarded forwarded;
    for (const DecapEntry& decap_entry : compiled_.ipv6_in_ipv4) {
      const bool is_sit = decap_entry.encapsulation == Encapsulation::Sit;
      forwarded.add(take_out_of<Family::Ipv4, Family::Ipv6>(
          is_sit ? tunnelled.in_ip : tunnelled.in_udp, gone | forwarded.all(), decap_entry, frames,
          leave));
    }
    return forwarded;
  }

  template <Family kFamily, typename Leave>
  [[gnu::always_inline]] Forwarded take_from_pods(const ClassifiedPackets& bare, std::size_t burst,
                                                  Leave leave) const {
    const Encapsulation usual =
        kFamily == Family::Ipv4 ? compiled_.encapsulation : compiled_.encapsulation_of_ipv6;
    switch (usual) {
      case Encapsulation::Ipip:
        if constexpr (kFamily == Family::Ipv4)
          return take_from_pods<kFamily, Encapsulation::Ipip>(bare, burst, leave);
        break;
      case Encapsulation::Vxlan:
        return take_from_pods<kFamily, Encapsulation::Vxlan>(bare, burst, leave);
      case Encapsulation::Geneve:
        return take_from_pods<kFamily, Encapsulation::Geneve>(bare, burst, leave);
      default:
        break;
    }
    return take_from_pods<kFamily, Encapsulation::None>(bare, burst, leave);
  }

  template <Family kFamily, Encapsulation kExpected, typename Leave>
  [[gnu::noinline]] Forwarded take_from_pods(const ClassifiedPackets& bare, std::size_t burst,
                                             Leave leave) const {
    const std::uint32_t* const pods = compiled_.pods.data();
    const LinkHeaders::Reader links = links_.reader();
    const auto admits = [=](const Classified& one) {
      const std::uint32_t pod = pods[one.source];
      const std::uint8_t* frame = one.packet.at - wire::kEthernetBytes;
      return pod != kNoPod && links.header(pod).is_destination(frame + sizeof(MacAddress));
    };
    return take<kFamily, forward::Egress::Uplink, kExpected>(bare, burst, compiled_.from_pods,
                                                             leave, admits);
  }

  template <Family kFamily, typename Leave>
  [[gnu::noinline]] Forwarded take_bare(const ClassifiedPackets& bare,
                                        const std::vector<Entry>& entries, std::size_t burst,
                                        Leave leave) const {
    return take<kFamily, forward::Egress::Pod, Encapsulation::None>(
        bare, burst, entries, leave, [](const Classified&) { return true; });
  }

  template <Family kOuter, Family kInner, typename Leave>
  [[gnu::always_inline]] Forwarded take_out_of(const Listed& tunnelled, Positions gone,
                                               const DecapEntry& decap_entry,
                                               std::span<const Frame> frames,
                                               const Leave& leave) const {
    const bool is_over_udp = decap_entry.encapsulation == Encapsulation::Vxlan ||
                             decap_entry.encapsulation == Encapsulation::Geneve;
    return is_over_udp ? take_out<kOuter, kInner, TunnelFraming::UdpAndFrame>(
                             tunnelled, gone, decap_entry, frames, leave)
                       : take_out<kOuter, kInner, TunnelFraming::Nothing>(
                             tunnelled, gone, decap_entry, frames, leave);
  }

  template <Family kOuter, Family kInner, TunnelFraming kFraming, typename Leave>
  [[gnu::noinline]] Forwarded take_out(const Listed& tunnelled, Positions gone,
                                       const DecapEntry& decap_entry, std::span<const Frame> frames,
                                       const Leave& leave) const {
    ClassifiedPackets inside;
    std::size_t count = 0;
    const std::uint8_t* const groups = compiled_.groups.data();
    const std::uint32_t sources = decap_entry.sources;
    for (const std::uint32_t i : tunnelled.all()) {
      if ((gone >> i & 1u) != 0) continue;
      std::uint8_t* outer = frames[i].at + wire::kEthernetBytes;
      const ParsedPacket packet = fast_decapsulate<kOuter, kInner, kFraming>(
          outer, behind_link_header(frames[i]), decap_entry);
      if (packet.bytes == 0) continue;
      if ((sources >> groups[class_at<kOuter, true>(outer + FastIp<kOuter>::kSource)] & 1u) == 0)
        continue;
      inside.packets[count++] = classified<kInner, Side::Uplink>(packet, i);
    }
    inside.count = count;
    return take_bare<kInner>(inside, decap_entry.entries, frames.size(), leave);
  }

  /// Forwards the waiting packets for which `admits(packet)` returns true. kEgress is the egress of
  /// most of them, kExpected their encapsulation; these hints change the speed only.
  template <Family kFamily, forward::Egress kEgress, Encapsulation kExpected, typename Leave,
            typename Admits>
  [[gnu::always_inline]] Forwarded take(const ClassifiedPackets& waiting, std::size_t burst,
                                        const std::vector<Entry>& entries, const Leave& leave,
                                        Admits admits) const {
    // Local copies stay in registers. Reads through `this` would repeat after each write to a
    // packet.
    const Entry* const by_class = entries.data();
    const std::uint8_t* const groups = compiled_.groups.data();
    const Adjacency* const adjacencies = compiled_.adjacencies.data();
    const LinkHeaders::Reader links = links_.reader();
    const bool any_exceptions = exceptions_.has_any();
    // Only exceptions are marked, so that most packets cost nothing here.
    Positions left = 0;
    Positions elsewhere = 0;
    // Hashing all flows in one loop is faster than hashing each one in turn.
    constexpr bool kHashesFirst = kFamily == Family::Ipv6 && kExpected != Encapsulation::None;
    FlowHashes<kHashesFirst> flows;
    flows.set(waiting);
    for (const Classified& one : waiting.all()) {
      const Entry entry = by_class[one.destination];
      if ((entry.sources >> groups[one.source] & 1u) == 0 || !admits(one)) {
        left |= position_bit(one.position);
        continue;
      }
      const Adjacency& adjacency = adjacencies[entry.adjacency];
      const LinkHeader link_header = link_header_of<kFamily>(one.packet, adjacency, links);
      if (one.packet.bytes > adjacency.largest || !link_header.is_known() ||
          (any_exceptions && is_exception<kFamily>(one.packet, adjacency))) {
        left |= position_bit(one.position);
        continue;
      }
      if (adjacency.egress != kEgress) elsewhere |= position_bit(one.position);
      leave(one.position,
            rewrite_for_tx<kFamily, kExpected>(one.packet, adjacency, compiled_.pushers,
                                               link_header, flows.of(one), identification_),
            adjacency);
    }
    const Positions usual = waiting.positions(burst) & ~left & ~elsewhere;
    return kEgress == forward::Egress::Pod ? Forwarded{.to_pods = usual, .to_uplink = elsewhere}
                                           : Forwarded{.to_pods = elsewhere, .to_uplink = usual};
  }

  template <Family kFamily>
  [[gnu::always_inline]] static LinkHeader link_header_of(const ParsedPacket& packet,
                                                          const Adjacency& adjacency,
                                                          const LinkHeaders::Reader& links) {
    if constexpr (kFamily == Family::Ipv6) {
      const std::uint8_t* at = packet.at + FastIp<kFamily>::kDestination;
      if (adjacency.next_hop == kNeighbour)
        return links.neighbours().header(load_be64(at), load_be64(at + 8));
    }
    return links.header(adjacency.next_hop);
  }

  static std::uint32_t behind_link_header(const Frame& frame) {
    return frame.bytes - static_cast<std::uint32_t>(wire::kEthernetBytes);
  }

  template <Family kFamily>
  static IpAddress address_at(const std::uint8_t* at) {
    if constexpr (kFamily == Family::Ipv4) return Ipv4Address{load_be32(at)};
    IpAddress address;
    address.high = load_be64(at);
    address.low = load_be64(at + 8);
    return address;
  }

  template <Family kFamily>
  bool is_exception(const ParsedPacket& packet, const Adjacency& adjacency) const {
    const IpAddress source = address_at<kFamily>(packet.at + FastIp<kFamily>::kSource);
    const IpAddress destination = address_at<kFamily>(packet.at + FastIp<kFamily>::kDestination);
    // Only TCP and UDP packets of IPv6 have an adjacency.
    const bool is_icmp =
        kFamily == Family::Ipv4 && FastIp<kFamily>::protocol(packet.at) == wire::kIcmp;
    return is_icmp || exceptions_.has_pair(source, destination) ||
           exceptions_.has_destination(destination) ||
           (adjacency.encapsulation != Encapsulation::None &&
            exceptions_.has_destination(adjacency.outer_destination));
  }

  const Compiled& compiled_;
  const LinkHeaders& links_;
  Finder find_;
  const PuntFilter& exceptions_;
  node::IdentificationCounters& identification_;
};

}  // namespace overlane::adjacency
