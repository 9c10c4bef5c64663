#pragma once

#include <string>
#include <vector>

#include "results/answer/document.h"
#include "scenarios/migration/assess.h"

namespace overlane::command {

/// Makes the document of a simulated migration, from which text, Markdown and HTML are rendered:
/// the verdict with blockers and warnings, the steps of the recommended strategy, all strategies,
/// interruptions, uncertain parameters, follow-up actions, the way back, and the course of each
/// strategy. Simulates nothing; may be called from any thread.
answer::Document migration_document(const migration::Assessment& assessment);

/// A duration with the digits that matter: "38.8 s", "5 min 3 s".
std::string time_text(Picos time);

/// The switch in a line: "garden-dev/one: ipip to routed, 6 nodes on aws".
std::string switch_text(const migration::Loaded& loaded);

/// A strategy's first run over time: for each node, the share of its pairs with other nodes that is
/// interrupted, and below it the actions of each component. With more than 60 nodes, it shows
/// classes of pairs instead of nodes.
answer::Chart course_chart(const migration::Loaded& loaded,
                           const migration::StrategyResult& result);

/// Adds a lane for each component to the chart, with its steps within the chart's time.
void add_lanes(const std::vector<migration::Step>& steps, answer::Chart& chart);

}  // namespace overlane::command
