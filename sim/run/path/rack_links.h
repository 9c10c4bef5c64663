#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/fabric/racks.h"
#include "sim/host/frame.h"
#include "sim/run/packet/packet_in_flight.h"
#include "sim/run/path/stations.h"

namespace overlane::run {

/// The links between leaves and spines. A link's number is that of its rack times the spines, plus
/// that of its spine: of uplinks, which lead to the spine, and of downlinks alike.
class RackLinks {
 public:
  /// Keeps a reference to `plan`.
  RackLinks(const fabric::RackPlan& plan, const fabric::Racks& racks, std::size_t ends);

  const fabric::RackPlan& plan() const { return plan_; }
  std::uint32_t number(std::uint32_t instance, std::uint8_t spine) const {
    return plan_.rack_of(instance) * plan_.spines() + spine;
  }
  std::uint8_t spine_of(std::uint32_t number) const {
    return static_cast<std::uint8_t>(number % plan_.spines());
  }
  Station& up(std::uint32_t number) { return up_[number]; }
  Station& down(std::uint32_t number) { return down_[number]; }
  const Station& up(std::uint32_t number) const { return up_[number]; }
  const Station& down(std::uint32_t number) const { return down_[number]; }
  /// How long an IP packet takes on each of them.
  Picos frame_time(std::uint32_t bytes) const { return link_.frame_time(bytes); }

  /// An end's packet goes by that spine. Ends of connections that were opened since are new.
  void note_spine(EndId end, std::uint8_t spine) {
    if (end >= last_spine_.size()) last_spine_.resize(end + std::size_t{1});
    last_spine_[end] = spine;
  }
  /// The last packet of an end that left its rack did so by this spine.
  std::uint8_t last_spine(EndId end) const { return last_spine_[end]; }

  /// So many packets are at a link.
  void note_present(std::uint32_t packets) { fullest_ = std::max(fullest_, packets); }
  /// Most of them at any link since the last call.
  std::uint32_t take_fullest(Picos now) { return std::exchange(fullest_, most_present(now)); }

  void begin_measuring(Picos now);

 private:
  std::uint32_t most_present(Picos now) const;

  const fabric::RackPlan& plan_;
  host::Link link_;
  std::vector<Station> up_;
  std::vector<Station> down_;
  std::vector<std::uint8_t> last_spine_;
  std::uint32_t fullest_ = 0;
};

}  // namespace overlane::run
