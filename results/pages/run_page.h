#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/model/run_report.h"

namespace overlane::pages {

// The HTML page of a run, and the bars that compare its variants. The bars are the first picture of
// the page, and also a separate SVG file.

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

/// A figure of one traffic group, with a bar for each variant that has it.
struct VariantBars {
  std::string traffic;
  std::string figure;  ///< "goodput".
  std::string metric;  ///< Comparison::metric: "goodput_bps".
  double longest = 0;  ///< Largest value of any bar, interval or prediction; > 0.
  std::vector<VariantBar> bars;
};

/// Goodput, new connections, median and 99th percentile of the latency of each traffic group, in
/// order of first occurrence. Figures that are 0 for all variants are omitted.
std::vector<VariantBars> variant_bars(const model::RunReport& report);

/// The figures as one SVG document: a bar for each variant, with the interval as a line at its end
/// and a mark for the predicted value.
std::string variant_bars_svg(const model::RunReport& report);

/// The simulated network for the picture on a run's page: zones with their nodes.
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
/// (report::run_document). Pictures follow the first section: the variants side by side as bars,
/// with intervals if the run was repeated, and changes with their ranges; latency distributions;
/// throughput over time if the report has series. The topology and the environment are at the end.
std::string run_page(const model::RunReport& report, const TopologyPicture& topology);

}  // namespace overlane::pages
