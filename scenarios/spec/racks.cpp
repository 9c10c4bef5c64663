#include "scenarios/spec/racks.h"

#include "scenarios/spec/ranges.h"

namespace overlane::spec {
namespace {

constexpr std::uint32_t kMaxNodesPerRack = 100'000;
constexpr std::uint32_t kMaxQueue = 1'000'000;
/// With a slower link, a full queue would take longer than a run.
constexpr BitsPerSecond kSlowestUplink{1'000'000};

}  // namespace

std::optional<RacksSpec> decode_racks(document::Fields& vpc) {
  document::Fields fields(vpc.mapping("racks"), vpc.problems());
  for (const char* key : {"nodesPerRack", "spines", "uplink"})
    fields.required(key);
  const auto nodes = count_between(fields, "nodesPerRack", 1, kMaxNodesPerRack);
  const auto spines = count_between(fields, "spines", 1, fabric::Racks::kMaxSpines);
  const auto uplink = rate(fields, "uplink");
  if (uplink && *uplink < kSlowestUplink) {
    fields.problems().error(fields.value()["uplink"], "out-of-range", "uplink is below 1 Mbit/s");
  }
  const auto queue = count_between(fields, "queue", 1, kMaxQueue);
  fields.no_others();
  if (!nodes || !spines || !uplink) return std::nullopt;
  RacksSpec spec{{.nodes_per_rack = *nodes, .spines = *spines, .uplink = *uplink},
                 queue.has_value(),
                 fields.value().place()};
  if (queue) spec.racks.queue_packets = *queue;
  return spec;
}

}  // namespace overlane::spec
