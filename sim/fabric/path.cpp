#include "sim/fabric/path.h"

#include <algorithm>
#include <cassert>
#include <string_view>

#include "sim/random/stream.h"

namespace overlane::fabric {

namespace {

constexpr std::uint64_t kThousand = 1'000;

/// Probability, in units of 10^-9, that a burst begins after a packet that passed: p / (1 − p) / m
/// for a loss ratio p and a mean burst of m packets.
std::uint64_t begins(std::uint64_t ratio, std::uint64_t mean_burst) {
  return ratio * Loss::kAll / (Loss::kAll - ratio) * kThousand / mean_burst;
}

/// Probability that a burst ends after a lost packet.
std::uint64_t ends(std::uint64_t mean_burst) {
  return Loss::kAll * kThousand / mean_burst;
}

}  // namespace

std::uint32_t most_loss(std::uint32_t mean_burst) {
  assert(mean_burst >= kThousand);
  return static_cast<std::uint32_t>(std::uint64_t{Loss::kAll} * mean_burst /
                                    (mean_burst + kThousand));
}

bool LossProcess::loses_next(std::uint32_t sender, bool within) {
  const std::uint32_t ratio = within ? loss_.within_zone : loss_.across_zones;
  if (ratio == 0) return false;
  while (senders_.size() <= sender)
    senders_.push_back({.random = RandomStream(seed_, StreamUse::Loss, senders_.size())});
  auto& [random, began, in_burst] = senders_[sender];
  const std::uint64_t drawn = random.below(Loss::kAll);
  if (loss_.mean_burst == 0 || !began)
    in_burst = drawn < ratio;
  else if (in_burst)
    in_burst = drawn >= ends(loss_.mean_burst);
  else
    in_burst = drawn < begins(ratio, loss_.mean_burst);
  began = true;
  return in_burst;
}

RackPlan::RackPlan(const Racks& racks, const node::FabricState& fabric, std::uint64_t seed)
    : spines_(racks.spines), rack_of_(fabric.instances.size()) {
  assert(racks.nodes_per_rack > 0 && racks.spines > 0 && racks.spines <= Racks::kMaxSpines);
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
