#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "results/model/run_report.h"

namespace overlane::report {

// Effects: what a variant does to the traffic, compared with the baseline. An effect is a
// noticeable change of a figure by which traffic is judged (model::judged_figure). If the
// comparison has a range over hosts (model::Comparison::range), an effect counts by its larger end,
// since the reader's host may be any of them. The verdicts of run_summary.h and run_document.h are
// sentences about effects.

/// Differences below one percent do not make a variant better or worse.
inline constexpr std::int64_t kNoticeablePpm = 10'000;

/// Digits of a range. Whole: "-9.5 to -12.3 %" is rounded outwards to "-9 to -13 %".
enum class RangeDigits : std::uint8_t { Tenths, Whole };

/// The change of a comparison: "-1.4 %", or "-18.3 to -32.2 %" if it has a range whose ends differ
/// in these digits. Empty without a ratio.
std::string change_text(const model::Comparison& comparison,
                        RangeDigits digits = RangeDigits::Tenths);

/// "goodput_bps" → "goodput", "latency_ns.p50" → "latency p50", "connections_per_second" →
/// "connections/s".
std::string metric_label(std::string metric);

/// A figure of a traffic group against the baseline's, and how much better or worse it is.
struct Effect {
  const model::Comparison* comparison = nullptr;
  bool is_harm = false;
  std::int64_t change_ppm = 0;  ///< Absolute change; that of the range's end on this side.
  double factor = 1;            ///< How many times better or worse the figure is; at least 1.
  std::string_view what;        ///< "less goodput".
};

/// The noticeable effects on a variant, the largest first; only the largest of each kind ("less
/// goodput"). Effects refer to `report`, which must outlive them.
std::vector<Effect> largest_effects(const model::RunReport& report,
                                    const model::VariantResult& variant);

/// "ipip is better than vxlan for small-datagrams, and worse for many-flows". Names the two
/// variants and groups of traffic that differ most; empty if one order of the variants holds for
/// all traffic.
std::string order_text(const model::RunReport& report);

}  // namespace overlane::report
