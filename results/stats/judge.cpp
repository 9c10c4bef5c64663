#include "results/stats/judge.h"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "results/stats/estimate.h"

namespace overlane::stats {

namespace {

using model::Better;
using model::CaseRun;
using model::CaseStatus;
using model::Figure;
using model::MeasuredMetric;
using model::SuiteRun;
using model::Tolerance;

/// The best positive number of each round.
std::map<std::int64_t, double> best_of_rounds(const MeasuredMetric& metric) {
  std::map<std::int64_t, double> rounds;
  for (const model::Sample& sample : metric.samples) {
    const auto number = model::number_of(sample.value);
    if (!number || *number <= 0) continue;
    const auto [best, is_first] = rounds.emplace(sample.round, *number);
    if (is_first) continue;
    best->second = metric.metric.better == Better::Higher ? std::max(best->second, *number)
                                                          : std::min(best->second, *number);
  }
  return rounds;
}

/// The ratio by which the changed figure is worse: above 1 is worse, for Better::Lower and
/// Better::Higher.
double worsening(double ratio, Better better) {
  return better == Better::Higher ? 1 / ratio : ratio;
}

/// Whether an exact metric has different values in the rounds of one build, which must not happen.
bool varies(const MeasuredMetric& measured) {
  return std::ranges::any_of(measured.samples, [&](const model::Sample& sample) {
    return sample.value != measured.samples.front().value;
  });
}

void judge_exact(const MeasuredMetric& base, const MeasuredMetric& changed,
                 MetricJudgement& judged) {
  if (varies(changed)) {
    judged.verdict = MetricVerdict::Changed;
    judged.reason = "the changed build has several values of it: it is not deterministic";
    return;
  }
  if (varies(base)) {
    judged.verdict = MetricVerdict::NotJudged;
    judged.reason = "the base has several values of it: it was not deterministic";
    return;
  }
  if (judged.base == judged.changed) return;
  const auto before = model::number_of(*judged.base), after = model::number_of(*judged.changed);
  if (judged.metric.better == Better::Neither || !before || !after) {
    judged.verdict = MetricVerdict::Changed;
    return;
  }
  const bool is_worse = judged.metric.better == Better::Lower ? *after > *before : *after < *before;
  judged.verdict = is_worse ? MetricVerdict::Worse : MetricVerdict::Better;
}

void judge_instructions(const SuiteRun& base, const SuiteRun& changed, MetricJudgement& judged) {
  const auto& before = base.environment;
  const auto& after = changed.environment;
  if (before.compiler != after.compiler || before.flags != after.flags) {
    judged.verdict = MetricVerdict::NotJudged;
    judged.reason =
        fmt::format("the base was compiled by {} with {}, the changed build by {} with {}",
                    before.compiler, before.flags, after.compiler, after.flags);
    return;
  }
  if (!judged.ratio) return;
  const double worse = worsening(judged.ratio->value, judged.metric.better);
  if (worse > 1 + judged.limit) judged.verdict = MetricVerdict::Worse;
  if (worse < 1 - judged.limit) judged.verdict = MetricVerdict::Better;
}

void judge_time(const MeasuredMetric& base, const MeasuredMetric& changed,
                MetricJudgement& judged) {
  const std::vector<double> ratios = round_ratios(base, changed);
  if (ratios.empty()) {
    judged.verdict = MetricVerdict::NotJudged;
    judged.reason = "no round has both figures";
    return;
  }
  judged.ratio = median_estimate(ratios);
  const bool higher = judged.metric.better == Better::Higher;
  const double worse = worsening(judged.ratio->value, judged.metric.better);
  const double worst =
      worsening(higher ? judged.ratio->low : judged.ratio->high, judged.metric.better);
  if (worse > 1 + judged.limit && !judged.ratio->contains(1)) {
    judged.verdict = MetricVerdict::Worse;
  } else if (worse < 1 - judged.limit && !judged.ratio->contains(1)) {
    judged.verdict = MetricVerdict::Better;
  } else if (worst > 1 + judged.limit) {
    judged.verdict = MetricVerdict::Unclear;
    judged.reason = fmt::format("{} rounds are too few for this noise", ratios.size());
  }
}

/// Times of runs that did not alternate. They have a ratio if they ran on the same class of
/// machine, but no verdict.
void relate_times(const CaseRun& base_case, const MeasuredMetric& base, const CaseRun& changed_case,
                  const MeasuredMetric& changed, bool is_same_machine, MetricJudgement& judged) {
  judged.verdict = MetricVerdict::NotJudged;
  judged.reason = "the builds were not measured in alternation";
  if (!is_same_machine) {
    judged.reason += ", and on different classes of machine";
    return;
  }
  const auto before = yardstick_ratios(base_case, base);
  const auto after = yardstick_ratios(changed_case, changed);
  if (!before.empty() && !after.empty()) judged.ratio = median_ratio_estimate(before, after);
}

class Judge {
 public:
  Judge(const SuiteRun& base, const SuiteRun& changed, const JudgementLimits& limits)
      : base_(base), changed_(changed), limits_(limits) {}

  Judgement run() {
    for (const CaseRun& after : changed_.cases) {
      const CaseRun* before = find_case(base_, after.name);
      note_problems(before, after);
      for (const MeasuredMetric& metric : after.metrics)
        judge_metric(before, after, metric);
      if (before != nullptr) find_missing_metrics(*before, after);
    }
    for (const CaseRun& before : base_.cases)
      if (find_case(changed_, before.name) == nullptr)
        find_missing_metrics(before, CaseRun{.name = before.name});
    return std::move(result_);
  }

 private:
  bool alternated() const {
    return (!changed_.beside.empty() && changed_.beside == base_.id) ||
           (!base_.beside.empty() && base_.beside == changed_.id);
  }

  void note_problems(const CaseRun* before, const CaseRun& after) {
    const bool base_failed = before != nullptr && before->status != CaseStatus::Complete;
    if (base_failed)
      result_.problems.push_back({.case_name = before->name,
                                  .owner = before->owner,
                                  .in_base = true,
                                  .status = before->status,
                                  .reason = before->reason});
    if (after.status != CaseStatus::Complete)
      result_.problems.push_back({.case_name = after.name,
                                  .owner = after.owner,
                                  .status = after.status,
                                  .reason = after.reason,
                                  .is_regression = !base_failed});
  }

  void judge_metric(const CaseRun* before, const CaseRun& after, const MeasuredMetric& changed) {
    MetricJudgement judged{.case_name = after.name,
                           .owner = after.owner,
                           .metric = changed.metric,
                           .changed = middle_of(changed),
                           .limit = limits_.of(after.name, changed.metric)};
    const MeasuredMetric* base =
        before == nullptr ? nullptr : find_metric(*before, changed.metric.name);
    if (base == nullptr || base->samples.empty()) {
      judged.verdict = MetricVerdict::New;
    } else {
      judged.base = middle_of(*base);
      compare(*before, *base, after, changed, judged);
    }
    add(std::move(judged));
  }

  void compare(const CaseRun& before, const MeasuredMetric& base, const CaseRun& after,
               const MeasuredMetric& changed, MetricJudgement& judged) const {
    const auto from = model::number_of(*judged.base), to = model::number_of(*judged.changed);
    if (from && to && *from != 0) judged.ratio = Estimate{*to / *from, *to / *from, *to / *from};
    switch (changed.metric.tolerance) {
      case Tolerance::Exact:
        return judge_exact(base, changed, judged);
      case Tolerance::Instructions:
        return judge_instructions(base_, changed_, judged);
      case Tolerance::Time:
      case Tolerance::MemoryBoundTime:
        if (alternated()) return judge_time(base, changed, judged);
        judged.ratio.reset();
        return relate_times(before, base, after, changed, is_same_machine(base_, changed_), judged);
    }
  }

  void add(MetricJudgement judged) {
    const auto* accepted =
        find_accepted(changed_, judged.case_name, judged.metric.name, base_.environment.commit);
    // A metric with a reason is not deterministic, and cannot be accepted.
    if (is_regression(judged.verdict) && judged.reason.empty() && accepted != nullptr) {
      judged.reason =
          fmt::format("it is {}, and accepted: {}", to_string(judged.verdict), accepted->reason);
      judged.verdict = MetricVerdict::Accepted;
    }
    result_.metrics.push_back(std::move(judged));
  }

  /// A failed case is one problem: its metrics are not reported as missing.
  void find_missing_metrics(const CaseRun& before, const CaseRun& after) {
    if (after.status != CaseStatus::Complete) return;
    for (const MeasuredMetric& base : before.metrics) {
      if (find_metric(after, base.metric.name) != nullptr) continue;
      add({.case_name = before.name,
           .owner = before.owner,
           .metric = base.metric,
           .verdict = MetricVerdict::Missing,
           .base = middle_of(base)});
    }
  }

  const SuiteRun& base_;
  const SuiteRun& changed_;
  const JudgementLimits& limits_;
  Judgement result_;
};

}  // namespace

std::string_view to_string(MetricVerdict verdict) {
  switch (verdict) {
    case MetricVerdict::Same:
      return "same";
    case MetricVerdict::Better:
      return "better";
    case MetricVerdict::Worse:
      return "worse";
    case MetricVerdict::Changed:
      return "changed";
    case MetricVerdict::Missing:
      return "missing";
    case MetricVerdict::New:
      return "new";
    case MetricVerdict::Accepted:
      return "accepted";
    case MetricVerdict::Unclear:
      return "unclear";
    case MetricVerdict::NotJudged:
      return "not-judged";
  }
  return "not-judged";
}

bool Judgement::any_regression() const {
  return std::ranges::any_of(metrics, [](const auto& m) { return is_regression(m.verdict); }) ||
         std::ranges::any_of(problems, &CaseProblem::is_regression);
}

double JudgementLimits::of(const std::string& case_name, const model::Metric& metric) const {
  const auto other = requested.find(metric.tolerance);
  const double limit = other == requested.end() ? limit_of(metric.tolerance) : other->second;
  if (!is_time(metric.tolerance)) return limit;
  const auto floor = noise.find({case_name, metric.name});
  return floor == noise.end() ? limit : std::max(limit, floor->second);
}

Judgement judge(const SuiteRun& base, const SuiteRun& changed, const JudgementLimits& limits) {
  return Judge(base, changed, limits).run();
}

std::optional<Figure> middle_of(const MeasuredMetric& measured) {
  if (measured.samples.empty()) return std::nullopt;
  std::vector<double> numbers;
  for (const model::Sample& sample : measured.samples)
    if (const auto number = model::number_of(sample.value)) numbers.push_back(*number);
  const bool is_single = std::ranges::all_of(measured.samples, [&](const model::Sample& sample) {
    return sample.value == measured.samples.front().value;
  });
  if (is_single || numbers.empty()) return measured.samples.front().value;
  return median(std::move(numbers));
}

std::vector<double> round_ratios(const MeasuredMetric& base, const MeasuredMetric& changed) {
  std::vector<double> ratios;
  const auto before = best_of_rounds(base);
  for (const auto& [round, value] : best_of_rounds(changed))
    if (const auto found = before.find(round); found != before.end())
      ratios.push_back(value / found->second);
  return ratios;
}

std::vector<double> yardstick_ratios(const CaseRun& one, const MeasuredMetric& metric) {
  std::vector<double> ratios;
  for (const auto& [round, value] : best_of_rounds(metric)) {
    if (round < 0 || round >= static_cast<std::int64_t>(one.rounds.size())) continue;
    const model::Yardsticks& yardsticks = one.rounds[static_cast<std::size_t>(round)];
    const double yardstick = metric.metric.tolerance == Tolerance::MemoryBoundTime
                                 ? yardsticks.memory_ns
                                 : yardsticks.compute_ns;
    if (yardstick <= 0) continue;
    // A rate grows as the yardstick's time shrinks.
    ratios.push_back(metric.metric.better == Better::Higher ? value * yardstick
                                                            : value / yardstick);
  }
  return ratios;
}

std::optional<model::Yardsticks> yardsticks_of(const model::SuiteRun& run) {
  std::vector<double> compute, memory;
  for (const model::CaseRun& one : run.cases) {
    for (const model::Yardsticks& round : one.rounds) {
      compute.push_back(round.compute_ns);
      memory.push_back(round.memory_ns);
    }
  }
  if (compute.empty()) return std::nullopt;
  return model::Yardsticks{.compute_ns = median(std::move(compute)),
                           .memory_ns = median(std::move(memory))};
}

bool is_same_machine(const model::Yardsticks& a, const model::Yardsticks& b) {
  const auto are_close = [](double one, double other) {
    return one <= other * kSameMachine && other <= one * kSameMachine;
  };
  return are_close(a.compute_ns, b.compute_ns) && are_close(a.memory_ns, b.memory_ns);
}

bool is_same_machine(const model::SuiteRun& a, const model::SuiteRun& b) {
  const auto one = yardsticks_of(a), other = yardsticks_of(b);
  return one && other && is_same_machine(*one, *other);
}

}  // namespace overlane::stats
