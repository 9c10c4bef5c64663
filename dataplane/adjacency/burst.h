#pragma once

#include <array>
#include <span>

#include "dataplane/adjacency/arriving.h"
#include "dataplane/adjacency/compile.h"
#include "dataplane/adjacency/exceptions.h"
#include "dataplane/adjacency/leaving.h"

namespace overlane::adjacency {

/// At most so many frames at once.
inline constexpr std::size_t kBurst = 64;

/// Takes the adjacencies of a compiled state, a burst of frames at a time. `Finder` is a
/// longest-prefix match over the IPv4 classes: `find(addresses, classes, count)`, addresses in host
/// byte order.
///
/// What it takes becomes exactly what `forward` makes of it. What it does not take, or what goes to
/// a next hop whose address is not known, it leaves untouched, for the full path.
template <typename Finder>
class Burst {
 public:
  /// All must outlive it.
  Burst(const Compiled& compiled, const LinkHeaders& links, const Finder& finder,
        const Exceptions& exceptions, node::IdentificationCounters& identification)
      : compiled_(compiled),
        links_(links),
        finder_(finder),
        exceptions_(exceptions),
        identification_(identification) {}

  /// Frames of local pods to `mac`, from the link-layer address of the pod that has the source.
  /// Those taken are changed in place; `taken` gets how each leaves, or null.
  void from_pods(std::span<Frame> frames, const MacAddress& mac,
                 std::span<const Adjacency*> taken) const {
    Waiting waiting;
    for (std::size_t i = 0; i < frames.size(); ++i) {
      taken[i] = nullptr;
      if (!is_to(frames[i], mac)) continue;
      const Arriving packet = bare_packet(frames[i], compiled_.tunnel_ports);
      if (packet.bytes != 0) waiting.add(i, packet);
    }
    take_those(waiting, compiled_.from_pods, frames, taken, [&](std::uint32_t i) {
      const std::uint32_t pod = compiled_.pods[waiting.source_class(i)];
      const std::uint8_t* frame = waiting.packets[i].at - wire::kEthernetBytes;
      return pod != kNobody && links_.is_destination(pod, frame + sizeof(MacAddress));
    });
  }

  /// Frames from the fabric to `mac`, in tunnels or not.
  void from_uplink(std::span<Frame> frames, const MacAddress& mac,
                   std::span<const Adjacency*> taken) const {
    Waiting bare;
    std::array<Waiting, kEntrances> tunnelled;
    const std::span<const Entrance> entrances(compiled_.entrances.data(),
                                              std::min(kEntrances, compiled_.entrances.size()));
    for (std::size_t i = 0; i < frames.size(); ++i) {
      taken[i] = nullptr;
      if (!is_to(frames[i], mac)) continue;
      bool is_inside = false;
      for (std::size_t k = 0; k < entrances.size() && !is_inside; ++k) {
        const Arriving inside = packet_inside(frames[i], entrances[k]);
        is_inside = inside.bytes != 0;
        if (is_inside) tunnelled[k].add(i, inside);
      }
      if (is_inside) continue;
      const Arriving packet = bare_packet(frames[i], compiled_.tunnel_ports);
      if (packet.bytes != 0) bare.add(i, packet);
    }
    take(bare, compiled_.from_uplink, frames, taken);
    for (std::size_t k = 0; k < entrances.size(); ++k)
      take_out(tunnelled[k], entrances[k], frames, taken);
  }

 private:
  static constexpr std::size_t kEntrances = 4;

  /// Packets on their way through the longest-prefix match, and what it says. Nothing is set but
  /// the first `count`.
  struct Waiting {
    Waiting() {}  // NOLINT: the arrays are large, and written before they are read
    std::uint32_t count = 0;
    std::array<std::uint32_t, kBurst> position;
    std::array<Arriving, kBurst> packets;
    /// Sources, behind them destinations, and of tunnel packets behind those the outer sources.
    std::array<std::uint32_t, 3 * kBurst> addresses;
    std::array<std::uint32_t, 3 * kBurst> classes;

    void add(std::size_t at, const Arriving& packet) {
      position[count] = static_cast<std::uint32_t>(at);
      packets[count] = packet;
      addresses[count] = packet.source();
      addresses[kBurst + count] = packet.destination();
      addresses[2 * kBurst + count] = packet.outer_source;
      ++count;
    }
    std::uint32_t source_class(std::uint32_t i) const { return classes[i]; }
    std::uint32_t destination_class(std::uint32_t i) const { return classes[kBurst + i]; }
    std::uint32_t outer_source_class(std::uint32_t i) const { return classes[2 * kBurst + i]; }
  };

  [[gnu::always_inline]] void find(Waiting& waiting, std::size_t which) const {
    finder_.find(waiting.addresses.data() + which * kBurst, waiting.classes.data() + which * kBurst,
                 waiting.count);
  }

  void take(Waiting& waiting, const std::vector<Entry>& entries, std::span<Frame> frames,
            std::span<const Adjacency*> taken) const {
    take_those(waiting, entries, frames, taken, [](std::uint32_t) { return true; });
  }

  void take_out(Waiting& waiting, const Entrance& entrance, std::span<Frame> frames,
                std::span<const Adjacency*> taken) const {
    find(waiting, 2);
    take_those(waiting, entrance.entries, frames, taken, [&](std::uint32_t i) {
      return (entrance.sources >> group(waiting.outer_source_class(i)) & 1u) != 0;
    });
  }

  /// Those of which `may_come(position)` says so.
  template <typename MayCome>
  [[gnu::always_inline]] void take_those(Waiting& waiting, const std::vector<Entry>& entries,
                                         std::span<Frame> frames, std::span<const Adjacency*> taken,
                                         MayCome may_come) const {
    find(waiting, 0);
    find(waiting, 1);
    const bool any_exceptions = exceptions_.has_any();
    for (std::uint32_t i = 0; i < waiting.count; ++i) {
      if (may_come(i)) take_one(waiting, i, entries, any_exceptions, frames, taken);
    }
  }

  [[gnu::always_inline]] void take_one(const Waiting& waiting, std::uint32_t i,
                                       const std::vector<Entry>& entries, bool any_exceptions,
                                       std::span<Frame> frames,
                                       std::span<const Adjacency*> taken) const {
    const Entry entry = entries[waiting.destination_class(i)];
    if ((entry.sources >> group(waiting.source_class(i)) & 1u) == 0) return;
    const Adjacency& adjacency = compiled_.adjacencies[entry.adjacency];
    const Arriving& packet = waiting.packets[i];
    if (packet.bytes > adjacency.largest || !links_.is_known(adjacency.next_hop)) return;
    if (any_exceptions && is_exception(packet, adjacency)) return;
    const std::uint32_t position = waiting.position[i];
    if (leave(packet, adjacency, compiled_.pushers, links_, identification_, frames[position])) {
      taken[position] = &adjacency;
    }
  }

  bool is_exception(const Arriving& packet, const Adjacency& adjacency) const {
    const Ipv4Address source{packet.source()};
    const Ipv4Address destination{packet.destination()};
    return packet.protocol() == wire::kIcmp || exceptions_.has_pair(source, destination) ||
           exceptions_.has_destination(destination) ||
           (adjacency.encapsulation != Encapsulation::None &&
            exceptions_.has_destination(adjacency.outer_destination));
  }

  std::uint8_t group(std::uint32_t position) const { return compiled_.groups[position]; }

  const Compiled& compiled_;
  const LinkHeaders& links_;
  const Finder& finder_;
  const Exceptions& exceptions_;
  node::IdentificationCounters& identification_;
};

}  // namespace overlane::adjacency
