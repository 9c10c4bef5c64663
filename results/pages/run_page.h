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

/// A run as a page: all of its document (report::run_document), between its first section and the
/// others the variants side by side as bars, with intervals if it was repeated and changes with
/// their ranges, latency distributions, and throughput over time if the report has series; then the
/// topology and the environment.
std::string run_page(const model::RunReport& report, const TopologyPicture& topology);

}  // namespace overlane::pages
