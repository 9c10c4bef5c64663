#pragma once

#include <optional>

#include "scenarios/runner/load/prepare.h"
#include "scenarios/runner/load/request.h"
#include "sim/run/inputs/run_options.h"

namespace overlane::runner {

/// The series options of each first repetition, as requested. More than kMaxSeriesValues values in
/// total are an error (`series-too-long`).
Outcome<std::optional<run::SeriesOptions>> series_options(const Prepared& prepared,
                                                          const Request& request);

inline constexpr std::int64_t kMaxSeriesValues = 10'000'000;

}  // namespace overlane::runner
