#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "results/model/run_report.h"

namespace overlane::report {

/// What a variant does to the traffic, against the baseline: the changes of the figures by which
/// traffic is judged (model::judged_figure). With ranges over hosts (model::Comparison::range) an
/// effect counts by its larger end, since any of the hosts may be the reader's.

/// Differences below one percent do not make a variant better or worse.
inline constexpr std::int64_t kNoticeablePpm = 10'000;

/// The digits of a range: "-9.5 to -12.3 %" is "-9 to -13 %" in whole percent, rounded outwards.
enum class RangeDigits : std::uint8_t { Tenths, Whole };

/// The change of a comparison: "-1.4 %", or its range if that shows: "-18.3 to -32.2 %". Empty
/// without a ratio.
std::string change_text(const model::Comparison& comparison,
                        RangeDigits digits = RangeDigits::Tenths);

/// "goodput_bps" → "goodput", "latency_ns.p50" → "latency p50", "connections_per_second" →
/// "connections/s".
std::string metric_label(std::string metric);

/// A figure of a traffic group against the baseline's, and how much better or worse it is.
struct Effect {
  const model::Comparison* comparison = nullptr;
  bool is_harm = false;
  std::int64_t change_ppm = 0;  ///< Without its sign; of a range, of the end on this side.
  double factor = 1;            ///< By which the figure is better or worse, at least 1.
  std::string_view what;        ///< "less goodput".
};

/// The noticeable effects on a variant, the largest first; of each kind ("less goodput") only the
/// largest.
std::vector<Effect> largest_effects(const model::RunReport& report, const model::Variant& variant);

/// "ipip is better than vxlan for small-datagrams, and worse for many-flows". Names the two
/// variants and groups of traffic that differ most; empty if one order of the variants holds for
/// all traffic.
std::string order_text(const model::RunReport& report);

}  // namespace overlane::report
