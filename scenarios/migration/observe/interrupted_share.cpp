#include "scenarios/migration/observe/interrupted_share.h"

#include <algorithm>
#include <array>
#include <map>

namespace overlane::migration {
namespace {

/// Pairs that become interrupted at a time, less those that recover.
using Steps = std::map<Picos, std::int64_t>;

std::array<std::uint64_t, 2> ordered_pairs(const std::vector<std::uint32_t>& zones) {
  std::map<std::uint32_t, std::uint64_t> nodes_in;
  for (const std::uint32_t zone : zones)
    ++nodes_in[zone];
  std::uint64_t within = 0;
  for (const auto& [zone, nodes] : nodes_in)
    within += nodes * (nodes - 1);
  return {within, zones.size() * (zones.size() - 1) - within};
}

InterruptedShare share_of(PairClass which, const Steps& steps, std::uint64_t pairs, Picos begin,
                          Picos column, std::uint32_t columns) {
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
    share.ppm.push_back(static_cast<std::uint32_t>(static_cast<std::uint64_t>(most) * 1'000'000 /
                                                   std::max<std::uint64_t>(pairs, 1)));
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
    Steps& of = steps[zones[outage.from] == zones[outage.to] ? 0 : 1];
    ++of[outage.begin];
    if (outage.end) --of[*outage.end];
  }
  const auto pairs = ordered_pairs(zones);
  std::vector<InterruptedShare> shares;
  for (const PairClass which : {PairClass::WithinZone, PairClass::AcrossZones}) {
    const auto index = static_cast<std::size_t>(which);
    if (pairs[index] > 0)
      shares.push_back(share_of(which, steps[index], pairs[index], begin, column, columns));
  }
  return shares;
}

}  // namespace overlane::migration
