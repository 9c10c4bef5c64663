#include "sim/fabric/racks.h"

#include <algorithm>
#include <string_view>

#include "sim/random/stream.h"

namespace overlane::fabric {

RackPlan::RackPlan(const Racks& racks, const node::FabricState& fabric, std::uint64_t seed)
    : spines_(racks.spines), rack_of_(fabric.instances.size()) {
  const auto zone_of = [&](std::size_t instance) -> std::string_view {
    return node::zone_of(fabric, fabric.instances[instance]);
  };
  std::vector<std::string_view> zones;
  for (std::size_t i = 0; i < rack_of_.size(); ++i)
    if (std::ranges::find(zones, zone_of(i)) == zones.end()) zones.push_back(zone_of(i));
  for (const std::string_view zone : zones) {
    std::uint32_t placed = 0;
    for (std::size_t i = 0; i < rack_of_.size(); ++i) {
      if (zone_of(i) != zone) continue;
      if (placed++ % racks.nodes_per_rack == 0)
        keys_.push_back(RandomStream(seed, StreamUse::LeafHash, keys_.size()).next());
      rack_of_[i] = count() - 1;
    }
  }
}

}  // namespace overlane::fabric
