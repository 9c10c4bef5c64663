#include "scenarios/migration/assumptions.h"

#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "scenarios/migration/inputs/timing.h"

namespace overlane::migration {
namespace {

/// Number of runs with another value of a fact or a duration: those of a strategy, so that a value
/// given by `--set` has the same result.
std::uint32_t runs_per_value(const Loaded& loaded) {
  return has_many_nodes(loaded) ? 1 : loaded.runs;
}

/// Whether a strategy is not simulated with other durations: no verdict is worse than its no-go,
/// and with many nodes each run takes seconds.
bool is_settled(const Loaded& loaded, const StrategyResult& of) {
  return has_many_nodes(loaded) && of.verdict == MigrationVerdict::NoGo;
}

/// Adds the condition if the fact changes the verdict. The conditions with the worst verdict come
/// first.
void add_condition(StrategyResult& result, Condition condition) {
  const auto is_known = std::ranges::find(result.conditions, condition.parameter,
                                          &Condition::parameter) != result.conditions.end();
  if (is_known || condition.if_so == condition.otherwise) return;
  const auto behind = std::ranges::find_if(
      result.conditions, [&](const Condition& one) { return one.worst() < condition.worst(); });
  result.conditions.insert(behind, std::move(condition));
}

/// `otherwise` is the result if the fact does not hold; null: then no packet arrives.
Condition condition_of(const UncertainFact& fact, MigrationVerdict if_so,
                       const StrategyResult* otherwise) {
  return {.parameter = fact.assumption.parameter,
          .holds = fact.holds,
          .if_so = if_so,
          .otherwise = otherwise != nullptr ? otherwise->verdict : MigrationVerdict::NoGo,
          .otherwise_reason =
              otherwise != nullptr ? otherwise->reason : "pods never reach pods of other nodes",
          .otherwise_longest = otherwise != nullptr ? otherwise->longest_or_never() : kNever,
          .check = fact.check,
          .command = fact.command,
          .reading = fact.reading,
          .setting = fact.setting,
          .setting_otherwise = fact.setting_otherwise};
}

std::vector<const TimingFact*> uncertain_durations(const Loaded& loaded) {
  std::vector<const TimingFact*> facts;
  for (const TimingFact& fact : timing_facts())
    if (fact.min != fact.max && !loaded.answers.durations.contains(fact.name) &&
        (fact.concerns == nullptr || fact.concerns(loaded.transition)))
      facts.push_back(&fact);
  return facts;
}

/// The longest outage of traffic other than that of pods, if assumptions do not hold.
Picos longest_of_traffic(const StrategyResult& result) {
  Picos longest;
  for (const TrafficResult& of : result.other_traffic)
    if (!of.ends) longest = std::max(longest, of.longest_at_worst);
  return longest;
}

/// Whether `a` is worse than `b`: by verdict, then by the longest outage of pods, then of other
/// traffic.
bool is_worse(const StrategyResult& a, const StrategyResult& b) {
  const auto badness = [](const StrategyResult& result) {
    return std::tuple(result.verdict, result.longest_or_never(), longest_of_traffic(result));
  };
  return badness(a) > badness(b);
}

/// Whether `a` has a longer outage than `b`, of pods, then of other traffic.
bool has_longer_outage(const StrategyResult& a, const StrategyResult& b) {
  return std::pair(a.longest_or_never(), longest_of_traffic(a)) >
         std::pair(b.longest_or_never(), longest_of_traffic(b));
}

/// Keeps the longer outages of `other`, which has other values of facts or durations.
void keep_longer_outages(const StrategyResult& other, StrategyResult& of) {
  for (ClassResult& one : of.classes) {
    const auto found = std::ranges::find(other.classes, one.which, &ClassResult::which);
    if (found != other.classes.end())
      one.longest_at_worst = std::max(one.longest_at_worst, found->longest_at_worst);
  }
  for (TrafficResult& one : of.other_traffic) {
    const auto found = std::ranges::find(other.other_traffic, one.name, &TrafficResult::name);
    if (found == other.other_traffic.end() || found->affected == 0) continue;
    const bool ends_now = one.ends && one.affected == 0;  // None ends as assumed.
    one.longest_at_worst =
        std::max(one.longest_at_worst, ends_now ? kNever : found->longest_at_worst);
  }
}

/// Keeps `other`, which has other values of facts or durations, as the worst case of `of` if it is
/// worse than all that is known of the strategy.
void keep_if_worse(const StrategyResult& other, StrategyResult& of) {
  const WorstCase found{other.verdict, other.reason, other.longest_or_never()};
  if (std::tuple(found.verdict, found.longest, longest_of_traffic(other)) >
      std::tuple(of.worst(), of.worst_longest(), longest_of_traffic(of)))
    of.worst_case = found;
  keep_longer_outages(other, of);
}

/// Writes the texts again that contain outages at worst, and adds the impacts that occur only if
/// assumptions do not hold: of each kind the longest.
void describe_worst(const Loaded& loaded, StrategyResult& result) {
  std::erase_if(result.impacts, &ImpactResult::is_at_worst_only);
  std::map<Impact, const TrafficResult*> longest;
  for (const TrafficResult& of : result.other_traffic) {
    const auto known = std::ranges::find(result.impacts, of.name, &ImpactResult::traffic);
    if (known != result.impacts.end()) {
      known->what = impact_text(of);
      known->accepted_at_worst = loaded.accepted.contains(of.impact) ||
                                 (!of.ends && of.longest_at_worst <= loaded.max_outage);
    } else if (of.affected == 0 && of.longest_at_worst > Picos{}) {
      const TrafficResult*& one = longest[of.impact];
      if (one == nullptr || of.longest_at_worst > one->longest_at_worst) one = &of;
    }
  }
  for (const auto& [impact, of] : longest) {
    const bool accepted =
        loaded.accepted.contains(impact) || of->longest_at_worst <= loaded.max_outage;
    result.impacts.push_back({.impact = impact,
                              .what = impact_text(*of),
                              .accepted = accepted,
                              .accepted_at_worst = accepted,
                              .traffic = of->name,
                              .is_at_worst_only = true});
  }
  result.reason = reason_of(result);
}

/// All durations at the same end of their ranges.
Timing durations_at(Picos TimingFact::*end, const Loaded& loaded) {
  Timing timing = loaded.timing;
  for (const TimingFact* fact : uncertain_durations(loaded))
    timing.*fact->value = fact->*end;
  return timing;
}

/// Adds a case at both ends of the range of a duration, the shorter first. The other durations are
/// those of `timing`.
void add_ends(const Timing& timing, const TimingFact& fact, SimulationCase one,
              std::vector<SimulationCase>& cases) {
  for (const Picos end : {fact.min, fact.max}) {
    one.timing = timing;
    one.timing.*fact.value = end;
    cases.push_back(one);
  }
}

/// A strategy with either value of one fact.
struct Variation {
  const Loaded* value = nullptr;
  StrategyResult* strategy = nullptr;
  bool (*is_worse)(const StrategyResult& a, const StrategyResult& b) = nullptr;
  Timing worse;  ///< Each duration at its worse end; those without effect as assumed.
};

/// Finds the worse end of each duration, by one run at each end, while the others are those of
/// Variation::worse: at first as assumed, then at the worse ends that are found. Keeps the longest
/// outages.
void find_worse_durations(std::span<Variation> variations, const EvaluationOptions& options) {
  std::vector<std::vector<const TimingFact*>> facts;
  for (const Variation& one : variations)
    facts.push_back(uncertain_durations(*one.value));
  const std::size_t most =
      facts.empty() ? 0 : std::ranges::max(facts, {}, &std::vector<const TimingFact*>::size).size();
  for (std::size_t k = 0; k < most; ++k) {
    std::vector<SimulationCase> cases;
    for (std::size_t i = 0; i < variations.size(); ++i) {
      if (k >= facts[i].size()) continue;
      const Variation& one = variations[i];
      add_ends(one.worse, *facts[i][k], {.loaded = one.value, .strategy = one.strategy->strategy},
               cases);
    }
    const std::vector<StrategyResult> results = simulate_cases(cases, options);
    auto result = results.begin();
    for (std::size_t i = 0; i < variations.size(); ++i) {
      if (k >= facts[i].size()) continue;
      const TimingFact& fact = *facts[i][k];
      const StrategyResult& low = *result++;
      const StrategyResult& high = *result++;
      Variation& one = variations[i];
      if (one.is_worse(low, high)) one.worse.*fact.value = fact.min;
      if (one.is_worse(high, low)) one.worse.*fact.value = fact.max;
      keep_longer_outages(low, *one.strategy);
      keep_longer_outages(high, *one.strategy);
    }
  }
}

/// The condition that a duration is not on the side of its assumed value that is worse.
Condition condition_of(const Loaded& loaded, const TimingFact& fact, MigrationVerdict if_so,
                       const StrategyResult& low, const StrategyResult& high) {
  const Picos assumed = loaded.timing.*fact.value;
  const bool is_low_worse = is_worse(low, high);
  const StrategyResult& worse = is_low_worse ? low : high;
  const auto setting = [&](Picos value) {
    return fmt::format("migration.{}={}", fact.name, setting_text(value));
  };
  return {.parameter = std::string(fact.name),
          .holds = fmt::format("{} takes {} {}", fact.name, is_low_worse ? "at least" : "at most",
                               duration_text(assumed)),
          .if_so = if_so,
          .otherwise = std::max(if_so, worse.verdict),
          .otherwise_reason = worse.reason,
          .otherwise_longest = worse.longest_or_never(),
          .check = std::string(fact.check),
          .command = command_of(fact, loaded.transition),
          .reading = std::string(fact.meaning),
          .setting = setting(assumed),
          .setting_otherwise = setting(is_low_worse ? fact.min : fact.max)};
}

Sensitivity sensitivity_of(const Loaded& loaded, const TimingFact& fact, const StrategyResult& low,
                           const StrategyResult& high) {
  return {.assumption = {std::string(fact.name), duration_text(loaded.timing.*fact.value),
                         fmt::format("{} to {}", duration_text(fact.min), duration_text(fact.max)),
                         fmt::format("{} ({})", fact.meaning, fact.source.text()),
                         std::string(fact.tag)},
          .at_least = low.longest_or_never(),
          .at_most = high.longest_or_never()};
}

}  // namespace

void vary_facts(const Loaded& loaded, const std::vector<UncertainFact>& facts,
                const EvaluationOptions& options, std::vector<StrategyResult>& strategies) {
  std::vector<SimulationCase> cases;
  for (const UncertainFact& fact : facts)
    if (fact.otherwise)
      for (const StrategyResult& of : strategies)
        cases.push_back(
            {&*fact.otherwise, of.strategy, fact.otherwise->timing, runs_per_value(loaded)});
  const std::vector<StrategyResult> results = simulate_cases(cases, options);
  auto result = results.begin();
  for (const UncertainFact& fact : facts)
    for (StrategyResult& of : strategies) {
      const StrategyResult* otherwise = fact.otherwise ? &*result++ : nullptr;
      const Picos assumed = of.longest_or_never();
      const Picos other = otherwise != nullptr ? otherwise->longest_or_never() : kNever;
      of.sensitivities.push_back({.assumption = fact.assumption,
                                  .at_least = fact.assumes_first ? assumed : other,
                                  .at_most = fact.assumes_first ? other : assumed});
      add_condition(of, condition_of(fact, of.verdict, otherwise));
      if (otherwise != nullptr)
        keep_longer_outages(*otherwise, of);
      else
        for (ClassResult& one : of.classes)
          one.longest_at_worst = kNever;
    }
  for (StrategyResult& of : strategies)
    describe_worst(loaded, of);
}

void vary_durations(const Loaded& loaded, const std::vector<UncertainFact>& facts,
                    const EvaluationOptions& options, std::vector<StrategyResult>& strategies) {
  std::vector<const Loaded*> values{&loaded};
  for (const UncertainFact& fact : facts)
    if (fact.otherwise) values.push_back(&*fact.otherwise);
  std::vector<StrategyResult*> varied;
  for (StrategyResult& of : strategies)
    if (!is_settled(loaded, of)) varied.push_back(&of);
  std::ranges::stable_sort(  // The best strategy comes first.
      varied, [](const auto* a, const auto* b) { return compare(*a, *b) < 0; });
  std::vector<Variation> variations;
  for (StrategyResult* of : varied)
    for (const Loaded* value : values) {
      variations.push_back({value, of, &is_worse, value->timing});
      if (has_few_nodes(loaded))
        variations.push_back({value, of, &has_longer_outage, value->timing});
    }
  const std::size_t own =
      has_many_nodes(loaded) ? std::min(values.size(), variations.size()) : variations.size();
  for (int sweep = 0; sweep < (has_few_nodes(loaded) ? 2 : 1); ++sweep)
    find_worse_durations(std::span(variations).first(own), options);
  for (std::size_t i = own; i < variations.size(); ++i)
    variations[i].worse = variations[i % values.size()].worse;

  std::vector<SimulationCase> cases;
  std::vector<StrategyResult*> of_case;
  const auto add = [&](const Variation& one, const Timing& durations) {
    cases.push_back({one.value, one.strategy->strategy, durations, runs_per_value(loaded)});
    of_case.push_back(one.strategy);
  };
  for (const Variation& one : variations) {
    add(one, one.worse);
    if (one.is_worse != &is_worse) continue;  // The variation before it has the same two.
    add(one, durations_at(&TimingFact::min, *one.value));
    add(one, durations_at(&TimingFact::max, *one.value));
  }
  const std::vector<StrategyResult> results = simulate_cases(cases, options);
  for (StrategyResult* of : varied)
    of->window = MaintenanceWindow{of->duration.min, of->duration.median, of->duration.max};
  for (std::size_t i = 0; i < results.size(); ++i) {
    keep_if_worse(results[i], *of_case[i]);
    MaintenanceWindow& window = *of_case[i]->window;
    window.shortest = std::min(window.shortest, results[i].duration.min);
    window.longest = std::max(window.longest, results[i].duration.max);
  }
  for (StrategyResult& of : strategies)
    describe_worst(loaded, of);
}

void vary_each_duration(const Loaded& loaded, const EvaluationOptions& options,
                        std::span<StrategyResult> strategies) {
  const std::vector<const TimingFact*> facts = uncertain_durations(loaded);
  std::vector<SimulationCase> cases;
  for (StrategyResult& of : strategies) {
    of.is_each_duration_varied = true;
    if (is_settled(loaded, of)) continue;
    for (const TimingFact* fact : facts)
      add_ends(loaded.timing, *fact,
               {.loaded = &loaded, .strategy = of.strategy, .runs = runs_per_value(loaded)}, cases);
  }
  const std::vector<StrategyResult> results = simulate_cases(cases, options);
  auto result = results.begin();
  for (StrategyResult& of : strategies) {
    if (is_settled(loaded, of)) continue;
    for (const TimingFact* fact : facts) {
      const StrategyResult& low = *result++;
      const StrategyResult& high = *result++;
      of.sensitivities.push_back(sensitivity_of(loaded, *fact, low, high));
      add_condition(of, condition_of(loaded, *fact, of.verdict, low, high));
      keep_longer_outages(low, of);
      keep_longer_outages(high, of);
    }
    describe_worst(loaded, of);
  }
}

}  // namespace overlane::migration
