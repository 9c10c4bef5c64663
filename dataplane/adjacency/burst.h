#pragma once

#include <array>
#include <span>

#include "dataplane/adjacency/compile.h"
#include "dataplane/adjacency/fast_parse.h"
#include "dataplane/adjacency/punt_filter.h"
#include "dataplane/adjacency/rewrite_for_tx.h"

namespace overlane::adjacency {

/// At most so many frames at once.
inline constexpr std::size_t kBurst = 64;

/// Takes the adjacencies of a compiled state, a burst of frames at a time. `Finder` is a
/// longest-prefix match over the IPv4 classes: `find(addresses, classes, count)`, addresses in host
/// byte order.
///
/// What it takes becomes exactly what `forward` makes of it, in place. What it does not take, or
/// what goes to a next hop whose address is not known, it leaves untouched, for the full path.
///
/// A caller's `leave(position, frame, adjacency)` gets each packet that is taken: where it stood in
/// the burst, and what leaves how.
template <typename Finder>
class Burst {
 public:
  /// All must outlive it.
  Burst(const Compiled& compiled, const LinkHeaders& links, const Finder& finder,
        const PuntFilter& exceptions, node::IdentificationCounters& identification)
      : compiled_(compiled),
        links_(links),
        finder_(finder),
        exceptions_(exceptions),
        identification_(identification) {}

  /// Which positions of a burst, a bit each.
  using Positions = std::uint64_t;
  static_assert(kBurst <= 64);

  /// Frames of local pods to `mac`, each from the link-layer address of the pod that has the
  /// source. Those that are taken.
  template <typename Leave>
  Positions from_pods(std::span<const Frame> frames, const MacAddress& mac, Leave leave) const {
    Waiting bare;
    sort(frames, mac, bare, [](std::uint32_t, std::uint8_t) {});
    const std::uint32_t* const pods = compiled_.pods.data();
    return take<true>(bare, compiled_.from_pods, leave, [&](std::uint32_t i) {
      const std::uint32_t pod = pods[bare.source_class(i)];
      const std::uint8_t* frame = bare.packets[i].at - wire::kEthernetBytes;
      return pod != kNobody && links_.header(pod).is_destination(frame + sizeof(MacAddress));
    });
  }

  /// Frames from the fabric to `mac`, in tunnels or not. Those that are taken.
  template <typename Leave>
  Positions from_uplink(std::span<const Frame> frames, const MacAddress& mac, Leave leave) const {
    Waiting bare;
    Listed in_ip;
    Listed in_udp;
    sort(frames, mac, bare, [&](std::uint32_t position, std::uint8_t protocol) {
      (protocol == wire::kUdp ? in_udp : in_ip).add(position);
    });
    Positions taken =
        take<false>(bare, compiled_.from_uplink, leave, [](std::uint32_t) { return true; });
    for (const DecapEntry& decap_entry : compiled_.decap_entries) {
      const bool is_ipip = decap_entry.encapsulation == Encapsulation::Ipip;
      if ((is_ipip ? in_ip : in_udp).count == 0) continue;
      taken |= is_ipip ? take_out<wire::kIpv4Bytes>(in_ip, taken, decap_entry, frames, leave)
                       : take_out<kUdpTunnelBytes>(in_udp, taken, decap_entry, frames, leave);
    }
    return taken;
  }

 private:
  /// Packets on their way through the longest-prefix match, and what it says. Nothing is set but
  /// the first `count`.
  struct Waiting {
    Waiting() {}  // NOLINT: the arrays are large, and written before they are read
    std::uint32_t count = 0;
    std::array<std::uint32_t, kBurst> position;
    std::array<ParsedPacket, kBurst> packets;
    /// Sources, behind them destinations, and of tunnel packets behind those the outer sources.
    std::array<std::uint32_t, 3 * kBurst> addresses;
    std::array<std::uint32_t, 3 * kBurst> classes;

    void set(std::uint32_t i, std::uint32_t at, const ParsedPacket& packet) {
      position[i] = at;
      packets[i] = packet;
      addresses[i] = packet.source();
      addresses[kBurst + i] = packet.destination();
    }
    std::uint32_t source_class(std::uint32_t i) const { return classes[i]; }
    std::uint32_t destination_class(std::uint32_t i) const { return classes[kBurst + i]; }
    std::uint32_t outer_source_class(std::uint32_t i) const { return classes[2 * kBurst + i]; }
  };

  /// Positions of a burst in order.
  struct Listed {
    Listed() {}  // NOLINT: as Waiting
    std::array<std::uint32_t, kBurst> positions;
    std::size_t count = 0;

    void add(std::uint32_t position) { positions[count++] = position; }
    std::span<const std::uint32_t> all() const { return {positions.data(), count}; }
  };

  /// Puts frames with a packet that adjacencies may take into `bare`, and gives position and
  /// protocol of what looks tunnelled to `tunnelled`.
  template <typename Tunnelled>
  [[gnu::always_inline]] void sort(std::span<const Frame> frames, const MacAddress& mac,
                                   Waiting& bare, Tunnelled tunnelled) const {
    const MacWord to(mac);
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < frames.size(); ++i) {
      std::uint8_t* at = ipv4_to(to, frames[i]);
      if (at == nullptr) continue;
      if (may_be_tunnelled(at, compiled_.tunnel_ports)) {
        tunnelled(i, at[9]);
        continue;
      }
      const ParsedPacket packet = fast_parse(at, behind_link_header(frames[i]));
      if (packet.bytes != 0) bare.set(count++, i, packet);
    }
    bare.count = count;
  }

  template <std::uint32_t kHeaders, typename Leave>
  [[gnu::noinline]] Positions take_out(const Listed& tunnelled, Positions gone,
                                       const DecapEntry& decap_entry, std::span<const Frame> frames,
                                       Leave& leave) const {
    Waiting inside;
    std::uint32_t count = 0;
    for (const std::uint32_t i : tunnelled.all()) {
      if ((gone >> i & 1u) != 0) continue;
      std::uint8_t* outer = frames[i].at + wire::kEthernetBytes;
      const ParsedPacket packet =
          fast_decapsulate<kHeaders>(outer, behind_link_header(frames[i]), decap_entry);
      if (packet.bytes == 0) continue;
      inside.addresses[2 * kBurst + count] = load_be32(outer + 12);
      inside.set(count++, i, packet);
    }
    if (count == 0) return 0;
    inside.count = count;
    find(inside, 2);
    const std::uint8_t* const groups = compiled_.groups.data();
    const std::uint32_t sources = decap_entry.sources;
    return take<false>(inside, decap_entry.entries, leave, [&](std::uint32_t i) {
      return (sources >> groups[inside.outer_source_class(i)] & 1u) != 0;
    });
  }

  [[gnu::always_inline]] void find(Waiting& waiting, std::size_t which) const {
    finder_.find(waiting.addresses.data() + which * kBurst, waiting.classes.data() + which * kBurst,
                 waiting.count);
  }

  /// Those of which `may_come(i)` says so.
  template <bool kMostlyEncapsulated, typename Leave, typename MayCome>
  [[gnu::always_inline]] Positions take(Waiting& waiting, const std::vector<Entry>& entries,
                                        Leave& leave, MayCome may_come) const {
    find(waiting, 0);
    find(waiting, 1);
    // What is in registers is not read again because bytes of a packet were written.
    const Entry* const by_class = entries.data();
    const std::uint8_t* const groups = compiled_.groups.data();
    const Adjacency* const adjacencies = compiled_.adjacencies.data();
    const bool any_exceptions = exceptions_.has_any();
    const std::uint32_t count = waiting.count;
    Positions taken = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      const Entry entry = by_class[waiting.destination_class(i)];
      if ((entry.sources >> groups[waiting.source_class(i)] & 1u) == 0 || !may_come(i)) continue;
      const Adjacency& adjacency = adjacencies[entry.adjacency];
      const ParsedPacket packet = waiting.packets[i];
      const LinkHeaders::Header link_header = links_.header(adjacency.next_hop);
      if (packet.bytes > adjacency.largest || !link_header.is_known()) continue;
      if (any_exceptions && is_exception(packet, adjacency)) continue;
      const std::uint32_t position = waiting.position[i];
      taken |= Positions{1} << position;
      leave(position,
            rewrite_for_tx<kMostlyEncapsulated>(packet, adjacency, compiled_.pushers, link_header,
                                                identification_),
            adjacency);
    }
    return taken;
  }

  static std::uint32_t behind_link_header(const Frame& frame) {
    return frame.bytes - static_cast<std::uint32_t>(wire::kEthernetBytes);
  }

  bool is_exception(const ParsedPacket& packet, const Adjacency& adjacency) const {
    const Ipv4Address source{packet.source()};
    const Ipv4Address destination{packet.destination()};
    return packet.protocol() == wire::kIcmp || exceptions_.has_pair(source, destination) ||
           exceptions_.has_destination(destination) ||
           (adjacency.encapsulation != Encapsulation::None &&
            exceptions_.has_destination(adjacency.outer_destination));
  }

  const Compiled& compiled_;
  const LinkHeaders& links_;
  const Finder& finder_;
  const PuntFilter& exceptions_;
  node::IdentificationCounters& identification_;
};

}  // namespace overlane::adjacency
