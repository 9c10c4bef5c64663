#include "results/model/suite_run.h"

#include <algorithm>

#include <fmt/format.h>
#include <xxhash.h>

#include "results/base/text.h"

namespace overlane::model {

std::string_view to_string(Tolerance tolerance) {
  switch (tolerance) {
    case Tolerance::Exact:
      return "exact";
    case Tolerance::Instructions:
      return "instructions";
    case Tolerance::Time:
      return "time";
    case Tolerance::MemoryBoundTime:
      return "memory-bound-time";
  }
  return "exact";
}

std::string_view to_string(Better better) {
  switch (better) {
    case Better::Lower:
      return "lower";
    case Better::Higher:
      return "higher";
    case Better::Neither:
      return "neither";
  }
  return "neither";
}

std::string_view to_string(CaseStatus status) {
  switch (status) {
    case CaseStatus::Complete:
      return "complete";
    case CaseStatus::Failed:
      return "failed";
    case CaseStatus::TimedOut:
      return "timed-out";
    case CaseStatus::Missing:
      return "missing";
  }
  return "failed";
}

std::string_view to_string(RunState state) {
  switch (state) {
    case RunState::Running:
      return "running";
    case RunState::Complete:
      return "complete";
    case RunState::Interrupted:
      return "interrupted";
  }
  return "interrupted";
}

std::string_view to_string(RunPurpose purpose) {
  switch (purpose) {
    case RunPurpose::Judged:
      return "judged";
    case RunPurpose::Base:
      return "base";
    case RunPurpose::Noise:
      return "noise";
  }
  return "judged";
}

std::optional<double> number_of(const Figure& figure) {
  if (const auto* whole = std::get_if<std::int64_t>(&figure)) return static_cast<double>(*whole);
  if (const auto* number = std::get_if<double>(&figure)) return *number;
  return std::nullopt;
}

bool AcceptedChange::covers(const std::string& name_of_case, const std::string& name_of_metric,
                            std::string_view base_commit) const {
  return !base.empty() && base_commit.starts_with(base) &&
         matches_pattern(name_of_case, case_name) && matches_pattern(name_of_metric, metric);
}

const SuiteRun* latest_judged(const std::vector<SuiteRun>& runs) {
  const auto found =
      std::ranges::find(runs.rbegin(), runs.rend(), RunPurpose::Judged, &SuiteRun::purpose);
  return found == runs.rend() ? nullptr : &*found;
}

const SuiteRun* find_run(const std::vector<SuiteRun>& runs, std::string_view id) {
  const auto found = std::ranges::find(runs, id, &SuiteRun::id);
  return found == runs.end() ? nullptr : &*found;
}

const CaseRun* find_case(const SuiteRun& run, std::string_view name) {
  const auto found = std::ranges::find(run.cases, name, &CaseRun::name);
  return found == run.cases.end() ? nullptr : &*found;
}

const MeasuredMetric* find_metric(const CaseRun& one, std::string_view name) {
  const auto found =
      std::ranges::find(one.metrics, name, [](const MeasuredMetric& m) { return m.metric.name; });
  return found == one.metrics.end() ? nullptr : &*found;
}

const AcceptedChange* find_accepted(const SuiteRun& run, const std::string& case_name,
                                    const std::string& metric, std::string_view base_commit) {
  const auto found = std::ranges::find_if(run.accepted, [&](const AcceptedChange& change) {
    return change.covers(case_name, metric, base_commit);
  });
  return found == run.accepted.end() ? nullptr : &*found;
}

std::string digest_of(std::string_view text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace overlane::model
