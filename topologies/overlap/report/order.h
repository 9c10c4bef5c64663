#pragma once

#include "topologies/overlap/report/report.h"

namespace overlane::overlap {

/// The worst first, in groups and overlaps alike: by severity and urgency; then by domains, those
/// first whose gravest overlaps concern the most nodes, before what shoots do by themselves, and
/// that before a developer's machine; then by rules, in the order of rules(), what costs pods their
/// traffic first. Groups of one domain stand together.
void put_in_order(OverlapReport& report);

}  // namespace overlane::overlap
