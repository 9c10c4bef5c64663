#include "scenarios/runner/why.h"

#include <algorithm>
#include <functional>
#include <span>

#include "scenarios/runner/parallel.h"
#include "scenarios/runner/progress.h"
#include "sim/run/setting.h"

namespace overlane::runner {
namespace {

using run::Constant;

/// A run of the plan, once more with a constant moved.
struct Again {
  std::size_t run = 0;  ///< Of Plan::runs.
  Constant constant;
  run::Setting setting;
  std::optional<run::Measurement> measured;
};

bool is_complete(const Plan& plan, const std::vector<model::Variant>& variants,
                 const PlannedRun& run) {
  return run.repetition == 0 && variants[run.variant].ending == model::Ending::Complete &&
         plan.variants[run.variant].network.has_value();
}

/// One for each constant that is behind any limit of a run.
std::vector<Again> all_again(const Plan& plan, const Measurements& measured,
                             const std::vector<model::Variant>& variants) {
  std::vector<Again> all;
  for (std::size_t i = 0; i < plan.runs.size(); ++i) {
    if (!is_complete(plan, variants, plan.runs[i])) continue;
    std::vector<Constant> constants;
    for (const auto& behind : (*measured[i])->behind_limits)
      constants.insert(constants.end(), behind.begin(), behind.end());
    std::ranges::sort(constants);
    constants.erase(std::ranges::unique(constants).begin(), constants.end());
    for (const Constant& constant : constants)
      all.push_back({.run = i, .constant = constant, .setting = {}, .measured = {}});
  }
  return all;
}

void begin(const Plan& plan, const std::vector<Again>& all, std::uint32_t threads,
           const Steering& steering) {
  if (steering.progress == nullptr) return;
  std::vector<Progress::Run> runs;
  for (const Again& again : all) {
    const PlannedRun& run = plan.runs[again.run];
    runs.push_back({.variant = "why " + plan.variants[run.variant].variant.name,
                    .traffic = name_of(plan.traffic(run)),
                    .round = run.round,
                    .duration = plan.options.duration});
  }
  steering.progress->begin(std::move(runs), threads);
}

run::Setting setting_of(const Plan& plan, const PlannedRun& run) {
  return {*plan.variants[run.variant].network, plan.traffic(run)};
}

void run_again(const Plan& plan, Again& again, run::Watch& watch) {
  run::RunOptions options = plan.options;
  options.seed = plan.seeds.front();
  options.watch = &watch;
  again.setting = setting_of(plan, plan.runs[again.run]);
  run::move(again.setting, again.constant);
  auto measured = run::run(again.setting.network, again.setting.traffic, options);
  if (measured && measured->ending == model::Ending::Complete)
    again.measured = *std::move(measured);
}

/// Where the report says that a constant's value comes from.
std::string source_of(const Prepared& prepared, const Constant& constant, const std::string& name,
                      const std::string& value) {
  if (constant.kind == Constant::Kind::StageCost) {
    const auto source = prepared.cost_sources.find(name);
    return source == prepared.cost_sources.end() ? "" : source->second;
  }
  const bool usual_window = constant.kind == Constant::Kind::Window &&
                            value == std::to_string(run::TrafficGroup{}.window_bytes) + " bytes";
  const std::string parameter = usual_window ? "tcp.window" : name;
  for (const model::Assumption& assumption : prepared.subject.assumptions) {
    if (parameter.starts_with(assumption.parameter)) return assumption.source;
  }
  return name.starts_with("traffic ") ? "the scenario" : "the topology";
}

/// Latency and drops, as far as they are others.
std::vector<model::MovedFigure> moved(const model::TrafficResult& before,
                                      const model::TrafficResult& after) {
  const auto p99 = [](const model::TrafficResult& result) {
    return result.latency_ns.quantile(99, 100);
  };
  std::vector<model::MovedFigure> figures = {
      {"latency_ns.p99", p99(before), p99(after)},
      {"packets.dropped", before.packets.dropped, after.packets.dropped}};
  std::erase_if(figures, [](const auto& figure) { return figure.before == figure.after; });
  return figures;
}

model::Movement movement(const Prepared& prepared, const Plan& plan, const Again& again,
                         const model::TrafficResult& before) {
  const run::Setting unmoved = setting_of(plan, plan.runs[again.run]);
  const auto& traffic = again.measured->traffic;
  const auto after = std::ranges::find(traffic, before.name, &model::TrafficResult::name);
  const std::string name = run::name_of(again.constant, unmoved);
  const std::string value = run::value_of(again.constant, unmoved);
  return {.constant = name,
          .value = value,
          .moved_to = run::value_of(again.constant, again.setting),
          .source = source_of(prepared, again.constant, name, value),
          .metric = "goodput_bps",
          .before = before.goodput_bps,
          .after = after->goodput_bps,
          .also = moved(before, *after)};
}

/// More goodput first, then less latency.
bool is_better(const model::Movement& a, const model::Movement& b) {
  if (a.after != b.after) return a.after > b.after;
  const auto longer = [](const model::Movement& movement) {
    const auto latency =
        std::ranges::find(movement.also, "latency_ns.p99", &model::MovedFigure::metric);
    return latency == movement.also.end() ? 0 : latency->after - latency->before;
  };
  return longer(a) < longer(b);
}

/// Adds the movements of one run to its limits, which stand in `variant` from `first` on.
void add(const Prepared& prepared, const Plan& plan, const run::Measurement& measured,
         std::size_t run, const std::vector<Again>& all, std::span<model::Limit> limits) {
  for (std::size_t i = 0; i < limits.size(); ++i) {
    const auto before =
        std::ranges::find(measured.traffic, limits[i].traffic, &model::TrafficResult::name);
    for (const Constant& constant : measured.behind_limits[i]) {
      const auto again = std::ranges::find_if(all, [&](const Again& one) {
        return one.run == run && one.constant == constant && one.measured;
      });
      if (again != all.end())
        limits[i].movements.push_back(movement(prepared, plan, *again, *before));
    }
    std::ranges::stable_sort(limits[i].movements, is_better);
  }
}

}  // namespace

bool explain_limits(const Prepared& prepared, const Plan& plan, const Measurements& measured,
                    std::uint32_t threads, const Steering& steering,
                    std::vector<model::Variant>& variants) {
  std::vector<Again> all = all_again(plan, measured, variants);
  begin(plan, all, threads, steering);
  in_parallel(all.size(), threads, [&](std::size_t i) {
    run::Watch unseen;
    run::Watch& watch = steering.progress != nullptr ? steering.progress->start(i) : unseen;
    watch.stop = steering.stop;
    if (!watch.asks_to_stop()) run_again(plan, all[i], watch);
    if (steering.progress != nullptr) steering.progress->finish(i);
  });
  std::vector<std::size_t> next(variants.size());
  for (std::size_t i = 0; i < plan.runs.size(); ++i) {
    const PlannedRun& run = plan.runs[i];
    if (!is_complete(plan, variants, run)) continue;
    const run::Measurement& first = **measured[i];
    add(prepared, plan, first, i, all,
        std::span(variants[run.variant].limits).subspan(next[run.variant], first.limits.size()));
    next[run.variant] += first.limits.size();
  }
  return std::ranges::all_of(all, [](const Again& again) { return again.measured.has_value(); });
}

}  // namespace overlane::runner
