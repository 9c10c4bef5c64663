#include "scenarios/runner/plan/plan.h"

#include <algorithm>

#include <fmt/format.h>

#include "scenarios/runner/plan/parallel.h"
#include "scenarios/traffic/expand.h"
#include "sim/random/stream.h"
#include "sim/run/estimate/estimates.h"

namespace overlane::runner {
namespace {

using Rounds = Plan::Rounds;

Rounds rounds_of(const std::vector<run::TrafficGroup>& traffic, bool concurrent) {
  if (concurrent) return {traffic};
  Rounds rounds;
  for (const run::TrafficGroup& group : traffic)
    rounds.push_back({group});
  return rounds;
}

/// The traffic of each repetition. The seed changes only the pairs, so an expansion that succeeded
/// with the first seed succeeds with all.
std::vector<Rounds> rounds_of(const Prepared& prepared, const std::vector<std::uint64_t>& seeds,
                              const Plan::Manner& manner) {
  const auto [family, mtu_probing] = manner;
  const bool concurrent = prepared.scenario.concurrent;
  std::vector<Rounds> all = {rounds_of(traffic_in(prepared, family), concurrent)};
  for (std::size_t i = 1; i < seeds.size(); ++i) {
    Findings said_before;
    const auto traffic = traffic::expand(prepared.scenario.traffic, prepared.subject.topology,
                                         family, seeds[i], said_before);
    all.push_back(traffic ? rounds_of(*traffic, concurrent) : all.front());
  }
  if (!mtu_probing) return all;
  for (Rounds& rounds : all)
    for (auto& round : rounds)
      for (run::TrafficGroup& group : round)
        group.mtu_probing = *mtu_probing;
  return all;
}

std::vector<LaidOut> lay_out_all(const Prepared& prepared, std::uint32_t threads) {
  const auto& asked = prepared.scenario.variants;
  std::vector<LaidOut> variants(asked.size());
  in_parallel(asked.size(), threads,
              [&](std::size_t i) { variants[i] = lay_out(prepared, asked[i]); });
  return variants;
}

}  // namespace

std::vector<std::uint64_t> repetition_seeds(std::uint64_t seed, std::uint32_t repetitions) {
  std::vector<std::uint64_t> seeds = {seed};
  for (std::uint32_t i = 1; i < repetitions; ++i)
    seeds.push_back(RandomStream(seed, StreamUse::Repetition, i).next() >> 1);
  return seeds;
}

Plan make_plan(const Prepared& prepared, const RunOverrides& overrides) {
  const spec::Scenario& scenario = prepared.scenario;
  Plan plan{.variants = lay_out_all(prepared, overrides.threads),
            .rounds = {},
            .seeds = repetition_seeds(overrides.seed, overrides.repetitions),
            .options = {.duration = scenario.duration,
                        .warm_up = scenario.warm_up,
                        .start_spread = scenario.start_spread,
                        .max_events = overrides.max_events,
                        .fast = overrides.fast},
            .series = overrides.series,
            .runs = {}};
  const Plan::Manner usual{prepared.subject.as_written.primary_family(), std::nullopt};
  plan.rounds = rounds_of(prepared, plan.seeds, usual);
  for (const LaidOut& variant : plan.variants) {
    const Plan::Manner manner = Plan::manner(variant);
    if (variant.network && manner != usual && !plan.other_rounds.contains(manner))
      plan.other_rounds[manner] = rounds_of(prepared, plan.seeds, manner);
  }
  for (std::size_t variant = 0; variant < plan.variants.size(); ++variant) {
    if (!plan.variants[variant].network) continue;
    for (std::size_t repetition = 0; repetition < plan.seeds.size(); ++repetition) {
      for (std::size_t round = 0; round < plan.rounds.front().size(); ++round)
        plan.runs.push_back({variant, repetition, round});
    }
  }
  return plan;
}

std::string name_of(const std::vector<run::TrafficGroup>& round) {
  std::string names;
  for (const run::TrafficGroup& group : round)
    names += (names.empty() ? "" : ", ") + group.name;
  return names;
}

namespace {

/// The program and its input files.
constexpr Bytes kProgram{12'000'000};

std::string size_text(Bytes size) {
  const auto bytes = static_cast<double>(size.count);
  if (bytes < 1e9) return fmt::format("{:.0f} MB", bytes / 1e6);
  return fmt::format("{:.1f} GB", bytes / 1e9);
}

/// The run that needs the most memory.
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

/// Memory that does not depend on the number of parallel runs.
Bytes always(const Plan& plan) {
  Bytes bytes = kProgram;
  for (const LaidOut& variant : plan.variants) {
    if (variant.network) bytes += run::estimate_memory(*variant.network);
  }
  return bytes;
}

Finding too_large(const Plan& plan, Bytes states, const Largest& largest,
                  const std::string& allowed) {
  const LaidOut& variant = plan.variants[largest.run->variant];
  return {.rule = "memory-limit",
          .severity = Severity::Error,
          .message = fmt::format("the run would take about {}: {} for the states of all variants, "
                                 "and {} while variant {} sends {}; {}",
                                 size_text(states + largest.bytes), size_text(states),
                                 size_text(largest.bytes), variant.variant.name,
                                 name_of(plan.traffic(*largest.run)), allowed),
          .hint = "fewer flows or nodes take less, and so does concurrent: false"};
}

}  // namespace

Result<std::uint32_t> threads_that_fit(const Plan& plan, std::uint32_t threads,
                                       const MemoryLimits& limits) {
  constexpr std::int64_t kUncertainty =
      3;  // Factor by which the estimate of run::estimate_memory() may be wrong.
  const Largest largest = largest_run(plan);
  const auto limit = limits.requested ? limits.requested : limits.available;
  if (!limit || largest.run == nullptr) return threads;
  const Bytes states = always(plan);
  const std::int64_t fit = (*limit - states).count / largest.bytes.count;
  if (fit >= 1) return static_cast<std::uint32_t>(std::min<std::int64_t>(fit, threads));
  if (limits.requested)
    return fail(too_large(plan, states, largest, "--max-memory allows " + size_text(*limit)));
  if ((states + largest.bytes).count / kUncertainty <= limit->count) return 1;
  return fail(
      too_large(plan, states, largest, "the machine has " + size_text(*limit) + " available"));
}

Bytes memory_of(const Plan& plan, std::uint32_t threads) {
  const auto at_once = std::min<std::int64_t>(threads, static_cast<std::int64_t>(plan.runs.size()));
  return always(plan) + Bytes{largest_run(plan).bytes.count * at_once};
}

Forecast forecast(const Plan& plan, std::uint32_t threads) {
  Forecast all{.runs = plan.runs.size(),
               .threads = std::min(threads, static_cast<std::uint32_t>(plan.runs.size())),
               .memory = memory_of(plan, threads)};
  for (const PlannedRun& run : plan.runs)
    all.packets += run::estimate_work(*plan.variants[run.variant].network, plan.traffic(run),
                                      plan.options.duration)
                       .packets;
  return all;
}

Result<void> check_events(const Plan& plan) {
  const Picos sending = plan.options.warm_up - plan.options.start_spread;
  if (plan.options.max_events == INT64_MAX || sending <= Picos{}) return {};
  for (const PlannedRun& run : plan.runs) {
    const LaidOut& variant = plan.variants[run.variant];
    const run::Work work = run::estimate_work(*variant.network, plan.traffic(run), sending);
    const double events = work.sure_packets * run::kMinEventsOfPacket;
    if (events <= static_cast<double>(plan.options.max_events)) continue;
    return fail(Finding{
        .rule = "event-limit",
        .severity = Severity::Error,
        .message = fmt::format("variant {} would take {:.0f} events or more for {} during its "
                               "warm-up alone, so that nothing would be measured; --max-events "
                               "allows {}",
                               variant.variant.name, events, name_of(plan.traffic(run)),
                               plan.options.max_events),
        .hint = "lower rates, fewer flows or a shorter warmup take fewer"});
  }
  return {};
}

}  // namespace overlane::runner
