#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "dataplane/dpdk/bench/load_tester.h"
#include "results/load_search/search.h"

namespace overlane::dpdk {

/// Trials at a load that is a share of PDR; of 0, at the smallest load of the search.
struct LatencyAt {
  double share_of_pdr = 0;
  std::int64_t packets_per_second = 0;
  LoadTrial trial;
};

/// What FD.io CSIT reports of a node.
struct LoadFigures {
  bool takes_turns = false;  ///< LoadTester::takes_turns()
  search::LoadRange range;
  search::SearchResult found;
  LoadLosses losses;                      ///< Losses in the trials of the search.
  std::uint64_t interruptions = 0;        ///< Interruptions in the trials of the search.
  std::vector<double> max_receive_rates;  ///< MRR: of each trial at the maximum load.
  std::vector<LatencyAt> latency;         ///< Empty if there is no PDR.

  double max_receive_rate() const;  ///< The mean; 0 without trials.
};

struct LoadPlan {
  std::vector<search::Goal> goals;  ///< All of the same trial and width.
  search::LoadRange range;
  bool all_figures = false;  ///< Also MRR, and latency at 0, 10, 50 and 90 % of PDR.
};

/// Trials of MRR, as CSIT's.
inline constexpr int kMaxReceiveRateTrials = 10;

/// Measures. A first trial at the maximum load is a warm-up and not used.
Parsed<LoadFigures> load_figures(LoadTester& tester, const Generation& generation,
                                 std::span<const LoadPath> paths, const LoadPlan& plan);

/// Parts of a case of a report.
nlohmann::ordered_json encode(const LoadFigures& figures);

/// The lines of a table under load_heading(): one for each goal, for MRR and for each latency.
std::string load_heading();
std::string load_lines(const std::string& name, const LoadFigures& figures);

}  // namespace overlane::dpdk
