#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "results/model/suite_run.h"
#include "results/stats/estimate.h"

namespace overlane::stats {

// The comparison of two builds by the runs of a suite: is the changed build worse than the base?
// Metrics that the program computes deterministically (hashes, counts, instructions) are compared
// directly. Times are compared only if the rounds of both builds alternated on one machine, by the
// ratios of their rounds, since a machine's speed changes from hour to hour. A change counts if it
// is larger than the limit of the metric and larger than the noise. docs/explanation/nightly.md has
// the reasons. All functions are pure.

/// The largest difference of a ratio from 1 that counts as no change.
constexpr double limit_of(model::Tolerance tolerance) {
  switch (tolerance) {
    case model::Tolerance::Exact:
      return 0;
    case model::Tolerance::Instructions:
      return 0.001;
    case model::Tolerance::Time:
      return 0.05;
    case model::Tolerance::MemoryBoundTime:
      return 0.12;
  }
  return 0;
}

enum class MetricVerdict {
  Same,
  Better,
  Worse,
  Changed,   ///< An exact metric that is neither better nor worse: a hash.
  Missing,   ///< Only the base has the metric.
  New,       ///< Only the changed build has the metric.
  Accepted,  ///< Worse, changed or missing, and the changed run's suite accepts it.
  Unclear,   ///< The interval contains both "no change" and changes beyond the limit.
  NotJudged  ///< The two figures cannot be compared.
};

std::string_view to_string(MetricVerdict verdict);

/// Whether this verdict makes the changed build fail the comparison.
constexpr bool is_regression(MetricVerdict verdict) {
  return verdict == MetricVerdict::Worse || verdict == MetricVerdict::Changed ||
         verdict == MetricVerdict::Missing;
}

/// One metric of two builds.
struct MetricJudgement {
  std::string case_name;
  std::string owner;
  model::Metric metric;
  MetricVerdict verdict = MetricVerdict::Same;
  std::optional<model::Figure> base;  ///< The median of the base's samples, or their only value.
  std::optional<model::Figure> changed;
  /// `changed` divided by `base`, with the 95 % interval for times; other metrics have low = value
  /// = high.
  std::optional<Estimate> ratio;
  double limit = 0;
  /// Explanation of the verdict, for example why the metric is not judged; may be empty.
  std::string reason;
};

/// A case that one of the builds did not complete.
struct CaseProblem {
  std::string case_name;
  std::string owner;
  bool in_base = false;  ///< True: in the base; false: in the changed build.
  model::CaseStatus status = model::CaseStatus::Failed;
  std::string reason;

  /// Whether the problem makes the changed build fail the comparison: the case failed in it, but
  /// not in the base.
  bool is_regression = false;
};

struct Judgement {
  std::vector<MetricJudgement> metrics;  ///< By case, in the order of the changed run.
  std::vector<CaseProblem> problems;

  bool any_regression() const;
};

/// The limits of times: the requested limit or else limit_of() the tolerance, but at least the
/// noise of the machine.
struct JudgementLimits {
  std::map<model::Tolerance, double> requested;
  /// Power::noise_floor by the names of case and metric.
  std::map<std::pair<std::string, std::string>, double> noise;

  double of(const std::string& case_name, const model::Metric& metric) const;
};

/// Compares a changed build with the base.
///
/// - `exact` metrics must be equal in every round, except that a number may improve.
/// - `instructions` must be within the limit. They are compared only if compilers and flags are
/// equal.
/// - times are judged only if the runs alternated (SuiteRun::beside), by the median of the ratios
/// of their rounds: worse if the median is beyond the limit and the interval does not contain 1.
/// For other runs on the same class of machine (is_same_machine()), the result has the ratio of
/// their yardstick_ratios(), without a verdict.
Judgement judge(const model::SuiteRun& base, const model::SuiteRun& changed,
                const JudgementLimits& limits = {});

/// The only value of a metric, or the median of its samples; nothing without samples.
std::optional<model::Figure> middle_of(const model::MeasuredMetric& measured);

/// The ratios of a time, changed divided by base, in the rounds that both runs have. Each ratio
/// uses the best samples of the round, since disturbances only make a program slower. Rounds
/// without positive numbers are omitted.
std::vector<double> round_ratios(const model::MeasuredMetric& base,
                                 const model::MeasuredMetric& changed);

/// For each round of a case with the metric: the best sample of the round divided by the yardstick
/// of the metric's tolerance.
std::vector<double> yardstick_ratios(const model::CaseRun& one,
                                     const model::MeasuredMetric& metric);

/// The largest ratio of two yardsticks of one class of machine. The names of the CPUs are ignored.
inline constexpr double kSameMachine = 1.25;

/// The medians of a run's yardsticks over all its rounds; nothing without rounds.
std::optional<model::Yardsticks> yardsticks_of(const model::SuiteRun& run);

/// Whether the yardsticks belong to the same class of machine.
bool is_same_machine(const model::Yardsticks& a, const model::Yardsticks& b);
/// Whether two runs used the same class of machine; false if one has no yardsticks.
bool is_same_machine(const model::SuiteRun& a, const model::SuiteRun& b);

}  // namespace overlane::stats
