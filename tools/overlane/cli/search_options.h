#pragma once

#include <cstdint>
#include <optional>

#include "results/search/search.h"

namespace CLI {
class App;
}

namespace overlane::command {

/// Options of a load search that do not depend on what is searched.
struct SearchOptions {
  search::GoalSet goals;
  std::optional<std::int64_t> min, max;  ///< Packets per second.
};

/// Adds --loss, --exceed, --width, --trial, --min and --max to a verb; what `options` has is their
/// default. Ranges of percentages are checked by search::check().
void add_search_options(CLI::App& verb, SearchOptions& options);

}  // namespace overlane::command
