#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/model/run_report.h"

namespace overlane::pages {

// The page of a run, and the bars that compare its variants: the picture that a reader sees first,
// in the page and as an SVG file of its own.

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

/// The simulated network, as the page of a run draws it: zones with their nodes.
struct TopologyPicture {
  struct Node {
    std::string name;
    std::string address;
    std::string pod_cidr;
  };
  struct Zone {
    std::string name;
    std::string subnet;
    std::vector<Node> nodes;
  };
  std::string network;  ///< "aws, MTU 9001".
  std::vector<Zone> zones;
};

/// A run as a page, for `overlane run`. It has all sections of the run's document
/// (report::run_document). Behind the first one are pictures: the variants side by side as bars,
/// with intervals if the run was repeated, and changes with their ranges; latency distributions;
/// throughput over time if the report has series. The topology and the environment are at the end.
std::string run_page(const model::RunReport& report, const TopologyPicture& topology);

}  // namespace overlane::pages
