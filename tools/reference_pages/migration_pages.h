#pragma once

#include <string>

#include "scenarios/migration/inputs/transition.h"

// Reference pages about `overlane migrate`: the durations that it assumes, and which packets arrive
// between nodes of which only one is switched. docs/reference/ holds the committed output.
namespace overlane::reference_pages {

/// docs/reference/migration-timing.md: every duration with its range and source.
std::string timing_page();

/// docs/reference/mixed-nodes.md: the outcome of every case of migration::mixed_cases().
/// `transition`: as for migration::mixed_world().
std::string mixed_nodes_page(const migration::Transition& transition);

}  // namespace overlane::reference_pages
