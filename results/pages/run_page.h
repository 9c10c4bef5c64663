#pragma once

#include <string>
#include <vector>

#include "results/model/run_report.h"

namespace overlane::pages {

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
