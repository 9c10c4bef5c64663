#include "results/report/run_names.h"

#include <ctime>

#include <fmt/chrono.h>

namespace overlane::report {
namespace {

std::tm utc_of(std::int64_t unix_ms) {
  return fmt::gmtime(static_cast<std::time_t>(unix_ms / 1000));
}

}  // namespace

std::string commit_text(const model::SuiteRun& run) {
  constexpr std::size_t kShort = 12;
  const std::string& commit = run.environment.commit;
  return commit.substr(0, kShort) + (commit.ends_with("-dirty") ? "-dirty" : "");
}

std::string date_text(const model::SuiteRun& run) {
  return fmt::format("{:%Y-%m-%d}", utc_of(run.started_ms));
}

std::string time_text(const model::SuiteRun& run) {
  return time_text(run.started_ms);
}

std::string time_text(std::int64_t unix_ms) {
  return fmt::format("{:%Y-%m-%d %H:%M}", utc_of(unix_ms));
}

}  // namespace overlane::report
