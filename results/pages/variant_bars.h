#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/model/run_report.h"

namespace overlane::pages {

// Bars that compare the variants of a run: the picture that a reader sees first, in pages and as an
// SVG file of its own.

/// One bar: a figure of one variant.
struct VariantBar {
  std::string variant;
  double value = 0;
  /// 95 % confidence interval of the mean of repetitions.
  std::optional<model::MeanInterval> interval;
  std::optional<double> predicted;
  std::string text;  ///< The value, with its unit.
  std::string predicted_text;
};

/// A figure of one traffic group, of all variants that have it.
struct VariantBars {
  std::string traffic;
  std::string figure;  ///< "goodput".
  std::string metric;  ///< Comparison::metric: "goodput_bps".
  double longest = 0;  ///< Largest value of any bar, interval or prediction; > 0.
  std::vector<VariantBar> bars;
};

/// Goodput, new connections, median and 99th percentile of the latency of each traffic group, in
/// order of first occurrence. Figures that are 0 for all variants are left out.
std::vector<VariantBars> variant_bars(const model::RunReport& report);

/// The figures as one SVG document: a bar for each variant, the interval as a line at its end, a
/// mark for what was predicted.
std::string variant_bars_svg(const model::RunReport& report);

}  // namespace overlane::pages
