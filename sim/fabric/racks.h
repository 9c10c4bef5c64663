#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "dataplane/net/flow_hash.h"
#include "dataplane/net/units.h"
#include "dataplane/node/state/fabric_state.h"

namespace overlane::fabric {

/// A leaf-spine fabric, which is a folded Clos network of two stages: the nodes of a rack share its
/// leaf, a switch that has one link to every spine of its zone. Spines of zones are joined by
/// number, each to its like, without a bottleneck between them.
struct Racks {
  static constexpr std::uint32_t kMostSpines = 256;

  std::uint32_t nodes_per_rack = 1;    ///< > 0.
  std::uint32_t spines = 1;            ///< 1…kMostSpines.
  BitsPerSecond uplink{};              ///< Of each link of a leaf to a spine, both ways; > 0.
  std::uint32_t queue_packets = 1000;  ///< That wait for each of them, each way.

  auto operator<=>(const Racks&) const = default;
};

/// Where the nodes stand, and the way that each flow takes.
class RackPlan {
 public:
  /// Racks are filled in the order of the instances, and none spans zones. The leaves' hash keys
  /// are drawn from `seed`.
  RackPlan(const Racks& racks, const node::FabricState& fabric, std::uint64_t seed);

  std::uint32_t count() const { return static_cast<std::uint32_t>(keys_.size()); }
  std::uint32_t rack_of(std::uint32_t instance) const { return rack_of_[instance]; }
  bool share_rack(std::uint32_t a, std::uint32_t b) const { return rack_of(a) == rack_of(b); }
  std::uint32_t spines() const { return spines_; }

  /// The spine to which the leaf of `from` sends a flow, which is what the outermost header shows:
  /// equal-cost multipath by hash-threshold (RFC 2992), each leaf with a key of its own.
  std::uint8_t spine(std::uint32_t from, const FlowKey& flow) const {
    const std::uint64_t hash = murmur_mix(keys_[rack_of(from)] + flow_hash(flow)) >> 32;
    return static_cast<std::uint8_t>(hash * spines_ >> 32);
  }

 private:
  std::uint32_t spines_;
  std::vector<std::uint32_t> rack_of_;  ///< Of each instance.
  std::vector<std::uint64_t> keys_;     ///< Of each rack.
};

}  // namespace overlane::fabric
