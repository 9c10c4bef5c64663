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

/// The largest change that is none: the difference of a ratio from 1.
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

enum class Verdict {
  Same,
  Better,
  Worse,
  Changed,   ///< An exact metric that is neither better nor worse: a hash.
  Missing,   ///< The base has it, the changed build has not.
  New,       ///< The changed build has it, the base has not.
  Accepted,  ///< Worse, changed or missing, and the changed run's suite accepts it.
  Unclear,   ///< The interval reaches beyond the limit, and does not exclude that nothing changed.
  NotJudged  ///< These two figures cannot be compared.
};

std::string_view to_string(Verdict verdict);

/// Whether the changed build is refused for it.
constexpr bool is_regression(Verdict verdict) {
  return verdict == Verdict::Worse || verdict == Verdict::Changed || verdict == Verdict::Missing;
}

/// One metric of two builds.
struct MetricJudgement {
  std::string case_name;
  std::string owner;
  model::Metric metric;
  Verdict verdict = Verdict::Same;
  std::optional<model::Figure> base;  ///< The median of its samples, or its only value.
  std::optional<model::Figure> changed;
  /// Changed over base; of times with the 95 % interval, else the interval is the value alone.
  std::optional<Estimate> ratio;
  double limit = 0;
  /// Why it is unclear, not judged or accepted, or what is wrong; may be empty.
  std::string reason;
};

/// A case that one of the builds did not complete.
struct CaseProblem {
  std::string case_name;
  std::string owner;
  bool in_base = false;  ///< Else in the changed build.
  model::CaseStatus status = model::CaseStatus::Failed;
  std::string reason;

  /// Whether the changed build is refused for it: it failed where the base did not.
  bool is_regression = false;
};

struct Judgement {
  std::vector<MetricJudgement> metrics;  ///< By case, in the order of the changed run.
  std::vector<CaseProblem> problems;

  bool any_regression() const;
};

/// The limits of times: those of their tolerances, or others that were asked for, and never less
/// than the noise of the machine.
struct Limits {
  std::map<model::Tolerance, double> asked;
  /// Of a case and a metric: Power::noise_floor.
  std::map<std::pair<std::string, std::string>, double> noise;

  double of(const std::string& case_name, const model::Metric& metric) const;
};

/// Judges a changed build by the base.
///
/// - `exact` metrics must be equal, in every round; a number may get better.
/// - `instructions` must be within the limit; they are compared between equal compilers and flags
///   only.
/// - times are judged by the medians of the rounds' ratios, only if the runs alternated
///   (SuiteRun::beside): worse if the median is beyond the limit and the interval does not contain
///   1. Of other runs on the same class of machine (machine.h) the ratio of the ratios to the
///   yardsticks is given, and not judged.
Judgement judge(const model::SuiteRun& base, const model::SuiteRun& changed,
                const Limits& limits = {});

/// The only value of a metric, or the median of its samples; nothing without samples.
std::optional<model::Figure> middle_of(const model::MeasuredMetric& measured);

/// The ratios of a time in the rounds that both have, changed over base, of each the best of the
/// round's samples, since what disturbs a program only makes it slower; only rounds with positive
/// numbers.
std::vector<double> round_ratios(const model::MeasuredMetric& base,
                                 const model::MeasuredMetric& changed);

/// For each round of a case that has the metric, the best of the round's samples over the yardstick
/// of its tolerance.
std::vector<double> yardstick_ratios(const model::CaseRun& one,
                                     const model::MeasuredMetric& metric);

/// Yardsticks of two runs that differ by more are of different classes of machine, whatever their
/// names are.
inline constexpr double kSameMachine = 1.25;

/// The medians of a run's yardsticks over all its rounds; nothing without rounds.
std::optional<model::Yardsticks> yardsticks_of(const model::SuiteRun& run);

/// Whether yardsticks are of the same class of machine.
bool is_same_machine(const model::Yardsticks& a, const model::Yardsticks& b);

/// The same of two runs; false if one has no yardsticks.
bool is_same_machine(const model::SuiteRun& a, const model::SuiteRun& b);

}  // namespace overlane::stats
