#pragma once

#include "topologies/overlap/pairs/search.h"
#include "topologies/overlap/report/report.h"

// From a comparison to a report: compares each shoot with itself, searches all scopes, describes
// the listed pairs and sorts the result, the worst first. Scopes are searched on several threads;
// the result does not depend on their number.
namespace overlane::overlap {

struct FindOptions {
  std::size_t most_listed = 1000;  ///< Maximum number of listed pairs per group.
  Severity min_severity =
      Severity::Warning;  ///< Overlaps below this severity are counted, not listed.
  std::string domain;     ///< Key of the only domain to search; empty: all.
  unsigned threads = 0;   ///< 1: only the caller's thread. Results do not depend on it.
};

/// Compares every range of every shoot with all ranges in the same scopes.
OverlapReport find_overlaps(const Comparison& comparison, const FindOptions& options);

/// Sorts overlaps and groups, the worst first: by severity and urgency; then by domain (the worst
/// overlaps with the most nodes first, then overlaps within single shoots, then local networks);
/// then in the order of rules(). Groups of one domain are adjacent.
void put_in_order(OverlapReport& report);

}  // namespace overlane::overlap
