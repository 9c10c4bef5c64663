#include "scenarios/runner/conclude/series.h"

#include <algorithm>

#include <fmt/format.h>

namespace overlane::runner {
namespace {

/// Number of bars that fit a terminal.
constexpr std::int64_t kDefaultIntervals = 50;

/// Number of values per interval in all variants.
std::int64_t values_of_interval(const Prepared& prepared, bool each_node) {
  constexpr std::size_t kOfGroup = 4;
  constexpr std::size_t kOfNode = 5;
  const std::size_t groups = prepared.traffic.size();
  const std::size_t rounds = prepared.scenario.concurrent ? 1 : groups;
  const std::size_t nodes = each_node ? prepared.subject.topology.nodes().size() : 0;
  return static_cast<std::int64_t>(prepared.scenario.variants.size() *
                                   (groups * kOfGroup + rounds * (nodes + 1) * kOfNode));
}

}  // namespace

Outcome<std::optional<run::SeriesOptions>> series_options(const Prepared& prepared,
                                                          const Request& request) {
  if (!request.series) return std::optional<run::SeriesOptions>{};
  const Picos duration = prepared.scenario.duration;
  const Picos usual = {std::max<std::int64_t>(duration.count / kDefaultIntervals, 1)};
  const run::SeriesOptions options{.interval = request.series->interval.value_or(usual),
                                   .each_node = request.series->each_node};
  const std::int64_t values = values_of_interval(prepared, options.each_node);
  const std::int64_t most = std::max<std::int64_t>(kMaxSeriesValues / values, 1);
  const std::int64_t intervals = duration.count / options.interval.count + 1;
  if (intervals <= most) return options;
  return fail(Failure{
      Failure::Kind::Usage,
      {{.rule = "series-too-long",
        .severity = Severity::Error,
        .message = fmt::format("--series would count {} values in each of {} intervals; at most {} "
                               "are kept",
                               values, intervals, kMaxSeriesValues),
        .object = {"Scenario", "", prepared.scenario.name},
        .hint = fmt::format("intervals of {}us or more fit",
                            duration.whole_nanoseconds() / most / 1000 + 1)}}});
}

}  // namespace overlane::runner
