#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/fabric/path.h"
#include "sim/host/machine.h"
#include "sim/run/path/packets.h"

namespace overlane::run {

/// From rack to rack: the leaf's link to the spine that the packet's flow hashes to, and the
/// spine's link to the other leaf. A link's number is that of its rack times the spines, plus that
/// of its spine: of uplinks, which lead to the spine, and of downlinks alike.
class RackLinks {
 public:
  /// Referenced arguments must outlive this object.
  RackLinks(const fabric::RackPlan& plan, const fabric::Racks& racks, std::size_t ends,
            Packets& packets);

  const fabric::RackPlan& plan() const { return plan_; }
  std::uint32_t number(std::uint32_t instance, std::uint8_t spine) const {
    return plan_.rack_of(instance) * plan_.spines() + spine;
  }
  std::uint8_t spine_of(std::uint32_t number) const {
    return static_cast<std::uint8_t>(number % plan_.spines());
  }
  const Station& up(std::uint32_t number) const { return up_[number]; }
  const Station& down(std::uint32_t number) const { return down_[number]; }

  /// A packet goes by this spine. Ends of connections that were opened since are new.
  void choose_spine(Packet& packet, std::uint8_t spine) {
    packet.spine = spine;
    if (packet.sender >= last_spine_.size()) last_spine_.resize(packet.sender + std::size_t{1});
    last_spine_[packet.sender] = spine;
  }
  /// The last packet of an end that left its rack did so by this spine.
  std::uint8_t last_spine(EndpointId end) const { return last_spine_[end]; }

  /// A packet from `from` has reached the leaf of its rack.
  void enter(PacketId id, std::uint32_t from) {
    const std::uint32_t up = number(from, packets_[id].spine);
    accept(up_[up], id, {EventKind::LeafDone, up});
  }
  /// A packet has left its leaf: it enters the spine's link. The answer is the node that it is for.
  std::uint32_t leaf_done(std::uint32_t number);
  /// The packet that has left the spine for the other leaf.
  PacketId spine_done(std::uint32_t number) {
    return leave(down_[number], {EventKind::SpineDone, number});
  }

  /// Most packets at any link since the last call.
  std::uint32_t take_fullest(Picos now) { return std::exchange(fullest_, most_present(now)); }
  void begin_measuring(Picos now);

 private:
  void accept(Station& link, PacketId id, StationEvent event);
  PacketId leave(Station& link, StationEvent event);
  std::uint32_t most_present(Picos now) const;

  const fabric::RackPlan& plan_;
  Packets& packets_;
  host::Link link_;
  std::vector<Station> up_;
  std::vector<Station> down_;
  std::vector<std::uint8_t> last_spine_;
  std::uint32_t fullest_ = 0;
};

}  // namespace overlane::run
