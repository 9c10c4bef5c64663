#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/model/run_report.h"

namespace overlane::pages {

/// A figure of one variant, as it is drawn.
struct VariantBar {
  std::string variant;
  double value = 0;
  std::optional<model::MeanInterval> interval;  ///< Of the mean of repetitions; 95 %.
  std::optional<double> predicted;
  std::string text;  ///< The value, with its unit.
  std::string predicted_text;
};

/// A figure of one traffic group, of all variants that have it.
struct VariantBars {
  std::string traffic;
  std::string figure;  ///< "goodput".
  std::string metric;  ///< "goodput_bps", as in model::Comparison.
  double longest = 0;  ///< What any bar, interval or prediction reaches; more than 0.
  std::vector<VariantBar> bars;
};

/// Goodput, new connections, median and 99th percentile of the latency of each traffic group, in
/// order of first occurrence; those that are 0 everywhere are left out.
std::vector<VariantBars> variant_bars(const model::RunReport& report);

/// The figures as one SVG document: a bar for each variant, the interval as a line at its end, a
/// mark for what was predicted.
std::string variant_bars_svg(const model::RunReport& report);

}  // namespace overlane::pages
