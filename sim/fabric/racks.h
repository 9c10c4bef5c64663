#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "dataplane/net/flow_hash.h"
#include "dataplane/net/units.h"
#include "dataplane/node/state/fabric_state.h"

namespace overlane::fabric {

/// A leaf-spine fabric (a two-stage folded Clos network). The nodes of a rack share a leaf, a
/// switch with one link to every spine of its zone. Spine i of a zone is connected to spine i of
/// every other zone, without a bottleneck.
struct Racks {
  static constexpr std::uint32_t kMaxSpines = 256;

  std::uint32_t nodes_per_rack = 1;  ///< > 0.
  std::uint32_t spines = 1;          ///< 1…kMaxSpines.
  BitsPerSecond uplink{};  ///< Rate of each link between a leaf and a spine, per direction; > 0.
  std::uint32_t queue_packets = 1000;  ///< Queue of each such link, per direction.

  auto operator<=>(const Racks&) const = default;
};

/// The rack of each node and the spine of each flow.
class RackPlan {
 public:
  /// Fills racks in the order of the instances; no rack spans zones. The leaves' hash keys are
  /// derived from `seed`.
  RackPlan(const Racks& racks, const node::FabricState& fabric, std::uint64_t seed);

  std::uint32_t count() const { return static_cast<std::uint32_t>(keys_.size()); }
  std::uint32_t rack_of(std::uint32_t instance) const { return rack_of_[instance]; }
  bool share_rack(std::uint32_t a, std::uint32_t b) const { return rack_of(a) == rack_of(b); }
  std::uint32_t spines() const { return spines_; }

  /// The spine to which the leaf of `from` sends a flow (as the outermost header shows it):
  /// equal-cost multipath by hash-threshold (RFC 2992), with one key per leaf.
  std::uint8_t spine(std::uint32_t from, const FlowKey& flow) const {
    const std::uint64_t hash = murmur_mix(keys_[rack_of(from)] + flow_hash(flow)) >> 32;
    return static_cast<std::uint8_t>(hash * spines_ >> 32);
  }

 private:
  std::uint32_t spines_;
  std::vector<std::uint32_t> rack_of_;  ///< By instance.
  std::vector<std::uint64_t> keys_;     ///< By rack.
};

}  // namespace overlane::fabric
