#include "scenarios/spec/loss.h"

#include <fmt/format.h>

#include "scenarios/spec/ranges.h"

namespace overlane::spec {
namespace {

constexpr std::int64_t kMinBurst = 1'000'000;
constexpr std::int64_t kMaxBurst = 1'000'000'000;
constexpr std::int64_t kLossMillionthsInThousandth = 1'000;

/// A loss ratio; `most` is the largest one possible with these bursts.
std::optional<std::uint32_t> lost_share(document::Fields& fields, const char* key,
                                        std::uint32_t most) {
  const auto lost = share(fields, key);
  if (!lost || *lost <= most) return lost;
  fields.problems().error(
      fields.value()[key], "out-of-range",
      fmt::format("{} is {}; with such bursts at most {:.1f}% can be lost, as a packet passes "
                  "between two of them",
                  key, fields.value()[key].text(), most * 100.0 / fabric::Loss::kAll),
      "make meanBurst longer, or leave it out");
  return std::nullopt;
}

}  // namespace

std::optional<fabric::Loss> decode_loss(document::Fields fields) {
  if (!fields.value()) return std::nullopt;
  const auto burst = millionths_between(fields, "meanBurst", kMinBurst, kMaxBurst);
  fabric::Loss loss;
  loss.mean_burst = static_cast<std::uint32_t>(burst.value_or(0) / kLossMillionthsInThousandth);
  const std::uint32_t most = burst ? fabric::most_loss(loss.mean_burst) : fabric::Loss::kAll;
  const std::uint32_t ratio = lost_share(fields, "ratio", most).value_or(0);
  loss.within_zone = lost_share(fields, "withinZone", most).value_or(ratio);
  loss.across_zones = lost_share(fields, "acrossZones", most).value_or(ratio);
  fields.no_others();
  const document::Value& mapping = fields.value();
  for (const char* key : {"withinZone", "acrossZones"}) {
    if (mapping["ratio"].exists() && mapping[key].exists())
      fields.problems().error(mapping[key], "bad-value",
                              fmt::format("ratio and {} both say what is lost there", key),
                              "remove one of them");
  }
  return loss;
}

}  // namespace overlane::spec
