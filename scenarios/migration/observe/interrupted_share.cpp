#include "scenarios/migration/observe/interrupted_share.h"

#include <algorithm>
#include <array>
#include <map>

namespace overlane::migration {
namespace {

/// Pairs that become interrupted at a time, less those that recover.
using Steps = std::map<Picos, std::int64_t>;

InterruptedShare share_of(PairClass which, const Steps& steps, std::uint64_t ordered_pairs,
                          Picos begin, Picos column, std::uint32_t columns) {
  InterruptedShare share{.which = which, .begin = begin, .column = column, .ppm = {}};
  std::int64_t interrupted = 0;
  auto step = steps.begin();
  for (std::uint32_t i = 0; i < columns; ++i) {
    const Picos from = begin + column * i;
    for (; step != steps.end() && step->first <= from; ++step)
      interrupted += step->second;
    std::int64_t most = interrupted;
    for (; step != steps.end() && step->first < from + column; ++step) {
      interrupted += step->second;
      most = std::max(most, interrupted);
    }
    share.ppm.push_back(
        static_cast<std::uint32_t>(static_cast<std::uint64_t>(most) * 1'000'000 / ordered_pairs));
  }
  return share;
}

}  // namespace

std::vector<InterruptedShare> interrupted_share(const std::vector<Outage>& outages,
                                                const std::vector<std::uint32_t>& zones,
                                                std::uint32_t columns) {
  if (outages.empty()) return {};
  Picos begin = outages.front().begin;
  Picos end = begin;
  for (const Outage& outage : outages) {
    begin = std::min(begin, outage.begin);
    end = std::max(end, outage.end.value_or(outage.begin));
  }
  const bool lasts = std::ranges::any_of(outages, [](const Outage& o) { return !o.end; });
  if (lasts) end += std::max((end - begin) / 10, seconds(1));
  const Picos column{std::max<std::int64_t>(((end - begin).count + columns - 1) / columns, 1)};
  std::array<Steps, 2> steps;
  for (const Outage& outage : outages) {
    Steps& of = steps[static_cast<std::size_t>(class_of(zones, outage.from, outage.to))];
    ++of[outage.begin];
    if (outage.end) --of[*outage.end];
  }
  const auto pairs = pairs_by_class(zones);
  std::vector<InterruptedShare> shares;
  for (const PairClass which : {PairClass::WithinZone, PairClass::AcrossZones}) {
    const auto index = static_cast<std::size_t>(which);
    if (pairs[index] > 0)
      shares.push_back(share_of(which, steps[index], 2 * pairs[index], begin, column, columns));
  }
  return shares;
}

}  // namespace overlane::migration
