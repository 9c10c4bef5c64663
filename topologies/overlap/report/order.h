#pragma once

#include "topologies/overlap/report/report.h"

namespace overlane::overlap {

/// Sorts overlaps and groups, the worst first: by severity and urgency; then by domain (the worst
/// overlaps with the most nodes first, then overlaps within single shoots, then local networks);
/// then in the order of rules(). Groups of one domain are adjacent.
void put_in_order(OverlapReport& report);

}  // namespace overlane::overlap
