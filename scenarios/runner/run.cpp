#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>

#include "scenarios/runner/comparison.h"
#include "scenarios/runner/runner.h"
#include "scenarios/runner/variant.h"

namespace overlane::runner {
namespace {

/// Runs `count` independent tasks on the given number of threads.
template <typename Task>
void in_parallel(std::size_t count, std::uint32_t threads, const Task& task) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++)
      task(i);
  };
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < std::min<std::size_t>(threads, count); ++i)
    others.emplace_back(work);
  work();
}

/// What several variants assume or found alike is said once.
template <typename T>
void append_new(std::vector<T>& all, const std::vector<T>& more) {
  for (const T& item : more) {
    if (std::ranges::find(all, item) == all.end()) all.push_back(item);
  }
}

}  // namespace

Outcome<model::RunReport> run(const Prepared& prepared, const Request& request) {
  const spec::Scenario& scenario = prepared.scenario;
  const std::uint64_t seed = seed_of(request, scenario);
  const std::uint32_t threads =
      request.threads != 0 ? request.threads : std::max(1u, std::thread::hardware_concurrency());

  std::vector<std::optional<Outcome<VariantRun>>> runs(scenario.variants.size());
  in_parallel(runs.size(), threads,
              [&](std::size_t i) { runs[i] = run_variant(prepared, scenario.variants[i], seed); });

  model::RunReport report{.scenario = scenario.name,
                          .seed = seed,
                          .assumptions = prepared.subject.assumptions,
                          .cost_profile = prepared.costs ? prepared.costs->name : "none",
                          .environment = request.environment,
                          .findings = prepared.subject.findings};
  for (auto& outcome : runs) {
    if (!*outcome) return fail(std::move(outcome->error()));
    VariantRun& done = **outcome;
    append_new(report.assumptions, done.assumptions);
    append_new(report.findings, done.findings);
    report.variants.push_back(std::move(done.variant));
  }
  report.comparison = compare(report.variants, scenario.baseline);
  return report;
}

}  // namespace overlane::runner
