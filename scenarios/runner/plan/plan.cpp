#include "scenarios/runner/plan/plan.h"

#include "scenarios/runner/plan/parallel.h"
#include "scenarios/traffic/expand.h"
#include "sim/random/stream.h"

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

Plan make_plan(const Prepared& prepared, const Course& course) {
  const spec::Scenario& scenario = prepared.scenario;
  Plan plan{.variants = lay_out_all(prepared, course.threads),
            .rounds = {},
            .seeds = repetition_seeds(course.seed, course.repetitions),
            .options = {.duration = scenario.duration,
                        .warm_up = scenario.warm_up,
                        .start_spread = scenario.start_spread,
                        .max_events = course.max_events},
            .series = course.series,
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

}  // namespace overlane::runner
