#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "results/model/run_report.h"

namespace overlane::report {

// Effects of a variant on the traffic, compared with the baseline. An effect is a noticeable change
// of the figure that judges the traffic (model::judged_figure()). If the comparison has a range
// over hosts (model::Comparison::range), the end with the larger change decides, since the reader's
// host may be any of these hosts. The verdicts of run_summary.h and run_document.h are sentences
// about effects.

/// The smallest difference that makes a variant better or worse: one percent.
inline constexpr std::int64_t kNoticeablePpm = 10'000;

/// Digits of the ends of a range. Whole rounds to the nearest, "-9.6 to -12.3 %" becomes "-10 to
/// -12 %", unless both ends would be the same.
enum class RangeDigits : std::uint8_t { Tenths, Whole };

/// The change of a comparison as text: "-1.4 %". If the comparison has a range whose ends differ in
/// these digits: "-18.3 to -32.2 %". Empty without a ratio.
std::string change_text(const model::Comparison& comparison,
                        RangeDigits digits = RangeDigits::Tenths);

/// "goodput_bps" → "goodput", "latency_ns.p50" → "latency p50", "connections_per_second" →
/// "connections/s".
std::string metric_label(std::string metric);

/// A figure of a traffic group against the baseline's, and how much better or worse it is.
struct Effect {
  const model::Comparison* comparison = nullptr;
  bool is_harm = false;
  std::int64_t change_ppm = 0;  ///< Absolute change; for a range, at its end on this side.
  double factor = 1;            ///< How many times better or worse the figure is; at least 1.
  std::string_view what;        ///< "less goodput".
};

/// The noticeable effects of a variant, the largest first, with only the largest effect of each
/// kind ("less goodput"). Effects point into `report`, which must outlive them.
std::vector<Effect> largest_effects(const model::RunReport& report,
                                    const model::VariantResult& variant);

/// "up to 10.3 times the median latency where TCP keeps its window full (many-flows)": the largest
/// rise of a latency that does not judge its traffic, because it is the time in the queues that the
/// sender fills. Empty below kQueuedFactor.
std::string queued_latency_text(const model::RunReport& report,
                                const model::VariantResult& variant);
inline constexpr double kQueuedFactor = 2;

/// "ipip is better than vxlan for small-datagrams, and worse for many-flows". Names the two
/// variants and groups of traffic that differ most; empty if one order of the variants holds for
/// all traffic.
std::string order_text(const model::RunReport& report);

}  // namespace overlane::report
