#include "scenarios/spec/cost_profile.h"

#include <cmath>

#include <fmt/format.h>

#include "scenarios/spec/ranges.h"
#include "topologies/document/header.h"

namespace overlane::spec {
namespace {

using document::Fields;
using document::Value;

/// A millisecond for one packet: anything above is a slip of units.
constexpr double kMostNanoseconds = 1'000'000;

/// A number of nanoseconds, rounded to whole picoseconds; absent means zero.
Picos cost(Fields& fields, std::string_view key) {
  const auto number = fields.number(key);
  fields.only_between(fields.value()[key], 0, static_cast<std::int64_t>(kMostNanoseconds));
  if (!number) return {};
  if (*number < 0 || *number > kMostNanoseconds) {
    fields.problems().error(
        fields.value()[key], "out-of-range",
        fmt::format("{} is {} ns; it must be between 0 and {}", key, *number, kMostNanoseconds));
    return {};
  }
  return picoseconds(std::llround(*number * 1000));
}

}  // namespace

cost::CostProfile decode_cost_profile(Fields& root) {
  cost::CostProfile profile;
  profile.name = document::decode_header(root, "CostProfile");
  root.required("spec");
  Fields spec = root.fields("spec");
  root.no_others();
  spec.required("description");
  spec.string("description");
  spec.required("stages");
  Fields stages = spec.fields("stages");
  for (const cost::StageFacts& facts : cost::kStages) {
    stages.required(facts.name);
    Fields stage = stages.fields(facts.name);
    cost::StageCost& costs = profile[facts.stage];
    if (facts.per_occasion) {
      costs.per_skb = cost(stage, "nanoseconds");
    } else {
      costs.per_skb = cost(stage, "perSkbNanoseconds");
      costs.per_packet = cost(stage, "perPacketNanoseconds");
      costs.per_byte = cost(stage, "perByteNanoseconds");
    }
    stage.required("source");
    stage.string("source");
    stage.no_others();
  }
  stages.no_others();
  spec.no_others();
  return profile;
}

Result<cost::CostProfile, Findings> decode_cost_profile(const document::Tree& tree) {
  return document::decode_whole(tree, &decode_cost_profile);
}

}  // namespace overlane::spec
