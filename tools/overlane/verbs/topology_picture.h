#pragma once

#include "results/pages/run_page.h"
#include "topologies/graph/topology.h"

namespace overlane::command {

/// Network, zones and nodes for a page.
pages::TopologyPicture picture_of(const graph::Topology& topology);

}  // namespace overlane::command
