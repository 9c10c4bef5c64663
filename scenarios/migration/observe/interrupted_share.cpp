#include "scenarios/migration/observe/interrupted_share.h"

#include <algorithm>
#include <array>
#include <map>

namespace overlane::migration {
namespace {

/// Pairs that become interrupted at a time, less those that recover.
using Steps = std::map<Picos, std::int64_t>;

void add(const Outage& outage, Steps& steps) {
  ++steps[outage.begin];
  if (outage.end) --steps[*outage.end];
}

InterruptedShare share_of(const Steps& steps, std::uint64_t pairs, const TimeColumns& columns) {
  InterruptedShare share;
  std::int64_t interrupted = 0;
  auto step = steps.begin();
  for (std::uint32_t i = 0; i < columns.count; ++i) {
    const Picos from = columns.begin + columns.column * i;
    for (; step != steps.end() && step->first <= from; ++step)
      interrupted += step->second;
    std::int64_t most = interrupted;
    for (; step != steps.end() && step->first < from + columns.column; ++step) {
      interrupted += step->second;
      most = std::max(most, interrupted);
    }
    share.push_back(
        static_cast<std::uint32_t>(static_cast<std::uint64_t>(most) * 1'000'000 / pairs));
  }
  return share;
}

}  // namespace

TimeColumns columns_between(Picos begin, Picos end, std::uint32_t count) {
  const Picos column{std::max<std::int64_t>(((end - begin).count + count - 1) / count, 1)};
  return {begin, column, count};
}

TimeColumns time_columns(const std::vector<Outage>& outages, std::uint32_t count) {
  Picos begin = outages.front().begin;
  Picos end = begin;
  for (const Outage& outage : outages) {
    begin = std::min(begin, outage.begin);
    end = std::max(end, outage.end.value_or(outage.begin));
  }
  const bool lasts = std::ranges::any_of(outages, [](const Outage& o) { return !o.end; });
  if (lasts) end += std::max((end - begin) / 10, seconds(1));
  return columns_between(begin, end, count);
}

std::vector<std::pair<PairClass, InterruptedShare>> share_by_class(
    const std::vector<Outage>& outages, const std::vector<std::uint32_t>& zones,
    const TimeColumns& columns, const Presence& presence) {
  std::array<Steps, 2> steps;
  for (const Outage& outage : outages)
    add(outage, steps[static_cast<std::size_t>(class_of(zones, outage.from, outage.to))]);
  const auto pairs = pairs_by_class(zones, presence);
  std::vector<std::pair<PairClass, InterruptedShare>> shares;
  for (const PairClass which : {PairClass::WithinZone, PairClass::AcrossZones}) {
    const auto index = static_cast<std::size_t>(which);
    if (pairs[index] > 0)
      shares.emplace_back(which, share_of(steps[index], 2 * pairs[index], columns));
  }
  return shares;
}

std::vector<InterruptedShare> share_by_node(const std::vector<Outage>& outages, std::uint32_t nodes,
                                            const TimeColumns& columns) {
  std::vector<Steps> steps(nodes);
  for (const Outage& outage : outages) {
    add(outage, steps[outage.from]);
    add(outage, steps[outage.to]);
  }
  std::vector<InterruptedShare> shares;
  for (const Steps& of_node : steps)
    shares.push_back(share_of(of_node, 2 * (std::uint64_t{nodes} - 1), columns));
  return shares;
}

}  // namespace overlane::migration
