#include "results/stats/trend.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "results/stats/estimate.h"
#include "results/stats/judge.h"

namespace overlane::stats {

std::optional<double> drift_of(std::span<const double> values) {
  constexpr std::size_t kMin = 5;
  constexpr double kOnePercent = 2.576;  // Quantile of the normal distribution, two-sided.
  if (values.size() < kMin) return std::nullopt;
  double rises = 0;  // Number of pairs that rise minus number of pairs that fall.
  std::vector<double> slopes, intercepts;
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i + 1; j < values.size(); ++j) {
      const double difference = values[j] - values[i];
      rises += difference > 0 ? 1 : difference < 0 ? -1 : 0;
      slopes.push_back(difference / static_cast<double>(j - i));
    }
  }
  const auto n = static_cast<double>(values.size());
  const double deviation = std::sqrt(n * (n - 1) * (2 * n + 5) / 18);
  if ((std::abs(rises) - 1) / deviation < kOnePercent) return std::nullopt;
  const double slope = median(std::move(slopes));
  for (std::size_t i = 0; i < values.size(); ++i)
    intercepts.push_back(values[i] - slope * static_cast<double>(i));
  const double first = median(std::move(intercepts));
  if (first <= 0) return std::nullopt;
  return (first + slope * (n - 1)) / first;
}

namespace {

using model::Better;
using model::CaseRun;
using model::MeasuredMetric;
using model::RunPurpose;
using model::SuiteRun;

bool is_worse(double ratio, Better better) {
  return better == Better::Higher ? ratio < 1 : ratio > 1;
}

/// The relative size of a change: the same for a ratio and its inverse.
double size_of(double ratio) {
  return ratio > 0 ? std::max(ratio, 1 / ratio) - 1 : 0;
}

/// The values at `kept`, which are indexes of points.
std::vector<double> values_at(const std::vector<TrendPoint>& points,
                              const std::vector<std::size_t>& kept) {
  std::vector<double> values;
  for (const std::size_t index : kept)
    values.push_back(points[index].value);
  return values;
}

class Trends {
 public:
  explicit Trends(const std::vector<SuiteRun>& runs) : runs_(runs) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      by_id_[runs[i].id] = i;
      yardsticks_.push_back(yardsticks_of(runs[i]));
    }
  }

  std::vector<MetricTrend> find() const {
    const SuiteRun* latest = model::latest_judged(runs_);
    std::vector<MetricTrend> trends;
    if (latest == nullptr) return trends;
    for (const CaseRun& one : latest->cases)
      for (const MeasuredMetric& measured : one.metrics)
        trends.push_back(trend_of(*latest, one, measured.metric));
    return trends;
  }

 private:
  MetricTrend trend_of(const SuiteRun& latest, const CaseRun& one,
                       const model::Metric& metric) const {
    MetricTrend trend{.case_name = one.name, .owner = one.owner, .metric = metric};
    if (!is_time(metric.tolerance)) {
      add_points(trend, [&](std::size_t run) { return value_in(run, trend); });
    } else {
      const std::string base = base_commit(latest);
      trend.of = TrendOf::Base;
      if (!base.empty())
        add_points(trend, [&](std::size_t run) { return over_base(run, base, trend); });
      if (trend.points.size() < kMinTimes) {
        trend.points.clear();
        trend.left_out = 0;
        trend.of = TrendOf::Yardstick;
        const auto machine = yardsticks_[by_id_.at(latest.id)];
        add_points(trend, [&](std::size_t run) { return over_yardstick(run, machine, trend); });
      }
    }
    analyse(trend);
    const auto* accepted = find_accepted(latest, one.name, metric.name, base_commit(latest));
    if (is_regression(trend.verdict) && accepted != nullptr)
      trend.verdict = MetricVerdict::Accepted;
    return trend;
  }

  /// Adds the value of each run that has one; counts the other runs with the metric as left out.
  template <typename ValueOf>
  void add_points(MetricTrend& trend, ValueOf value_of) const {
    for (std::size_t run = 0; run < runs_.size(); ++run) {
      if (!is_judged(run) || measured_in(run, trend) == nullptr) continue;
      if (const auto value = value_of(run))
        trend.points.push_back({run, *value});
      else
        ++trend.left_out;
    }
  }

  bool is_judged(std::size_t run) const { return runs_[run].purpose == RunPurpose::Judged; }

  const CaseRun* case_in(std::size_t run, const MetricTrend& trend) const {
    return find_case(runs_[run], trend.case_name);
  }
  const MeasuredMetric* measured_in(std::size_t run, const MetricTrend& trend) const {
    const CaseRun* one = case_in(run, trend);
    const MeasuredMetric* measured =
        one == nullptr ? nullptr : find_metric(*one, trend.metric.name);
    return measured == nullptr || measured->samples.empty() ? nullptr : measured;
  }

  /// The number of a figure. Texts are numbered: equal texts have equal numbers in all runs.
  std::optional<double> value_in(std::size_t run, const MetricTrend& trend) const {
    const model::Figure& figure = measured_in(run, trend)->samples.front().value;
    if (const auto number = model::number_of(figure)) return number;
    for (std::size_t first = 0; first < run; ++first) {
      const MeasuredMetric* other = is_judged(first) ? measured_in(first, trend) : nullptr;
      if (other != nullptr && other->samples.front().value == figure)
        return static_cast<double>(first);
    }
    return static_cast<double>(run);
  }

  std::string base_commit(const SuiteRun& run) const {
    const auto base = by_id_.find(run.beside);
    return base == by_id_.end() ? "" : runs_[base->second].environment.commit;
  }

  std::optional<double> over_base(std::size_t run, const std::string& commit,
                                  const MetricTrend& trend) const {
    if (base_commit(runs_[run]) != commit) return std::nullopt;
    const MeasuredMetric* base = measured_in(by_id_.at(runs_[run].beside), trend);
    if (base == nullptr) return std::nullopt;
    auto ratios = round_ratios(*base, *measured_in(run, trend));
    return ratios.empty() ? std::nullopt : std::optional(median(std::move(ratios)));
  }

  std::optional<double> over_yardstick(std::size_t run,
                                       const std::optional<model::Yardsticks>& machine,
                                       const MetricTrend& trend) const {
    if (!machine || !yardsticks_[run] || !is_same_machine(*machine, *yardsticks_[run]))
      return std::nullopt;
    auto ratios = yardstick_ratios(*case_in(run, trend), *measured_in(run, trend));
    return ratios.empty() ? std::nullopt : std::optional(median(std::move(ratios)));
  }

  const std::vector<SuiteRun>& runs_;
  std::map<std::string, std::size_t> by_id_;
  std::vector<std::optional<model::Yardsticks>> yardsticks_;
};

/// Deterministic values: a new group wherever two neighbours differ by more than the limit.
std::vector<Group> exact_groups(const std::vector<TrendPoint>& points, double limit) {
  std::vector<Group> groups;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double value = points[i].value;
    const bool is_new = groups.empty() ||
                        std::abs(value - groups.back().mean) > limit * std::abs(groups.back().mean);
    if (is_new) groups.push_back({.first = i, .count = 0, .mean = value});
    ++groups.back().count;
  }
  return groups;
}

/// The value at an end of the series: the median of at most kEndPoints points of the first or last
/// group, since a group of a drift has a mean far from its end.
double value_at_end(const MetricTrend& trend, const std::vector<std::size_t>& kept, bool last) {
  constexpr std::size_t kEndPoints = 3;
  const Group& group = last ? trend.groups.back() : trend.groups.front();
  const std::size_t count = std::min(group.count, kEndPoints);
  const std::size_t first = last ? group.end() - count : group.first;
  std::vector<double> values;
  for (std::size_t i = first; i < first + count; ++i)
    values.push_back(trend.points[kept[i]].value);
  return median(std::move(values));
}

void add_steps(MetricTrend& trend, const std::vector<std::size_t>& kept) {
  const double limit = limit_of(trend.metric.tolerance);
  for (std::size_t i = 1; i < trend.groups.size(); ++i) {
    const Group& before = trend.groups[i - 1];
    const Group& after = trend.groups[i];
    const double ratio = before.mean > 0 ? after.mean / before.mean : 1;
    if (is_time(trend.metric.tolerance) && size_of(ratio) < limit / 2) continue;
    trend.steps.push_back({.before = trend.points[kept[before.end() - 1]].run,
                           .after = trend.points[kept[after.first]].run,
                           .ratio = ratio,
                           .is_worse = trend.metric.better != Better::Neither &&
                                       is_worse(ratio, trend.metric.better)});
  }
}

/// Compares the end of a series with its beginning.
void judge_ends(MetricTrend& trend, double first, double last) {
  if (first == last) return;
  if (trend.metric.better == Better::Neither) {
    trend.verdict = MetricVerdict::Changed;
    return;
  }
  bool worse = (last > first) == (trend.metric.better == Better::Lower);
  if (first > 0) {
    trend.ratio = last / first;
    if (size_of(trend.ratio) <= limit_of(trend.metric.tolerance)) return;
    worse = is_worse(trend.ratio, trend.metric.better);
  }
  trend.verdict = worse ? MetricVerdict::Worse : MetricVerdict::Better;
}

/// A drift may be a single group whose deviation is as large as the drift.
void judge_drift(MetricTrend& trend, const std::vector<std::size_t>& kept) {
  if (!is_time(trend.metric.tolerance)) return;
  const auto drift = drift_of(values_at(trend.points, kept));
  if (!drift) return;
  judge_ends(trend, 1, *drift);
  trend.is_drift = trend.verdict != MetricVerdict::Same;
}

/// Splits the kept points into groups. A point that is alone in its group, even the last one,
/// proves nothing: it is a spike and removed, and the others are grouped again.
void set_spikes_aside(MetricTrend& trend, std::vector<std::size_t>& kept) {
  for (;;) {
    trend.groups = find_groups(values_at(trend.points, kept));
    std::vector<std::size_t> left;
    for (const Group& group : trend.groups) {
      const auto first = kept.begin() + static_cast<std::ptrdiff_t>(group.first);
      if (group.count == 1)
        trend.spikes.push_back(*first);
      else
        left.insert(left.end(), first, first + static_cast<std::ptrdiff_t>(group.count));
    }
    if (left.size() == kept.size()) break;
    kept = std::move(left);
  }
  std::ranges::sort(trend.spikes);
}

}  // namespace

std::string_view to_string(TrendOf of) {
  switch (of) {
    case TrendOf::Value:
      return "value";
    case TrendOf::Base:
      return "base";
    case TrendOf::Yardstick:
      return "yardstick";
  }
  return "value";
}

void analyse(MetricTrend& trend) {
  if (is_time(trend.metric.tolerance) && trend.points.size() < kMinTimes) {
    trend.verdict = MetricVerdict::NotJudged;
    return;
  }
  const double limit = limit_of(trend.metric.tolerance);
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < trend.points.size(); ++i)
    kept.push_back(i);
  if (!is_time(trend.metric.tolerance)) {
    trend.groups = exact_groups(trend.points, limit);
  } else {
    set_spikes_aside(trend, kept);
  }
  add_steps(trend, kept);
  if (trend.groups.size() < 2) return judge_drift(trend, kept);
  judge_ends(trend, value_at_end(trend, kept, false), value_at_end(trend, kept, true));
}

std::vector<MetricTrend> find_trends(const std::vector<SuiteRun>& runs) {
  return Trends(runs).find();
}

}  // namespace overlane::stats
