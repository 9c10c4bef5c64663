#include "scenarios/runner/memory.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/run/memory.h"

namespace overlane::runner {
namespace {

/// The program itself, and what it has read.
constexpr Bytes kProgram{12'000'000};

std::string size_text(Bytes size) {
  const auto bytes = static_cast<double>(size.count);
  if (bytes < 1e9) return fmt::format("{:.0f} MB", bytes / 1e6);
  return fmt::format("{:.1f} GB", bytes / 1e9);
}

/// The run that takes most.
struct Largest {
  Bytes bytes{};
  const PlannedRun* run = nullptr;
};

Largest largest_run(const Plan& plan) {
  Largest largest;
  for (const PlannedRun& run : plan.runs) {
    if (run.repetition > 0) continue;
    const Bytes bytes = run::estimate_memory(*plan.variants[run.variant].network, plan.traffic(run),
                                             plan.options.duration);
    if (bytes > largest.bytes) largest = {bytes, &run};
  }
  return largest;
}

}  // namespace

Result<std::uint32_t> threads_that_fit(const Plan& plan, std::uint32_t threads,
                                       std::optional<Bytes> limit) {
  const Largest largest = largest_run(plan);
  if (!limit || largest.run == nullptr) return threads;
  Bytes always = kProgram;
  for (const LaidOut& variant : plan.variants) {
    if (variant.network) always += run::estimate_memory(*variant.network);
  }
  const std::int64_t fit = (*limit - always).count / largest.bytes.count;
  if (fit >= 1) return static_cast<std::uint32_t>(std::min<std::int64_t>(fit, threads));
  const LaidOut& variant = plan.variants[largest.run->variant];
  return fail(Finding{
      .rule = "memory-limit",
      .severity = Severity::Error,
      .message = fmt::format("the run would take about {}: {} for the states of all variants, and "
                             "{} while variant {} sends {}; --max-memory allows {}",
                             size_text(always + largest.bytes), size_text(always),
                             size_text(largest.bytes), variant.variant.name,
                             name_of(plan.traffic(*largest.run)), size_text(*limit)),
      .hint = "fewer flows or nodes take less, and so does concurrent: false"});
}

}  // namespace overlane::runner
