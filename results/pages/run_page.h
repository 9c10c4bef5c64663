#pragma once

#include <string>
#include <vector>

#include "results/model/run_report.h"

namespace overlane::pages {

/// What a run ran on, as it is drawn.
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

/// A run as a page: whether it was simulated, for which shoot and when, and what it shows; the
/// variants side by side as bars, with intervals if it was repeated and changes with their ranges;
/// latency distributions; throughput over time with the events, if the report has series;
/// bottlenecks with their reasons; assumptions; topology; environment.
std::string run_page(const model::RunReport& report, const TopologyPicture& topology);

}  // namespace overlane::pages
