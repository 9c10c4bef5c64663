#pragma once

#include "results/answer/document.h"
#include "scenarios/migration/assess.h"

namespace overlane::command {

/// A simulated switch as a document, from which text, Markdown and HTML are rendered: the verdict
/// with its blockers and warnings, the steps of the recommended strategy, all strategies, what is
/// interrupted, uncertain parameters, what to do afterwards, how to go back, and each strategy's
/// course. Builds it without simulating anything; may be called from any thread.
answer::Document migration_document(const migration::Assessment& assessment);

/// A strategy's first run over time: the share of each node's pairs with others that is
/// interrupted, and below what each component does. Of more than 60 nodes, the classes of pairs
/// take the place of the nodes.
answer::Chart course_chart(const migration::Loaded& loaded,
                           const migration::StrategyResult& result);

}  // namespace overlane::command
