#include "scenarios/runner/conclude/sensitivity.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "scenarios/runner/conclude/gather.h"
#include "scenarios/runner/measure/measure.h"
#include "scenarios/runner/plan/parallel.h"
#include "scenarios/runner/plan/plan.h"
#include "sim/run/limits/run_inputs.h"

namespace overlane::runner {
namespace {

using run::Parameter;

/// A run of the plan, repeated with one constant changed.
struct Again {
  std::size_t run = 0;  ///< Index in Plan::runs.
  std::size_t variant = 0;
  Parameter constant;
  std::string name;  ///< Name of the constant.
  std::string value;
  std::string moved_to;
  std::optional<run::Measurement> measured;
};

bool is_complete(const Plan& plan, const std::vector<model::VariantResult>& variants,
                 const PlannedRun& run) {
  return run.repetition == 0 && variants[run.variant].ending == model::Ending::Complete &&
         plan.variants[run.variant].network.has_value();
}

bool asks_for(Why asked, Why what) {
  return asked == what || asked == Why::All;
}

/// All repeated runs: one for each constant behind a limit of a run and, if requested, for each
/// constant that may affect its latency or CPU use.
std::vector<Again> all_again(const Plan& plan, const Measurements& measured, Why why,
                             const std::vector<model::VariantResult>& variants) {
  std::vector<Again> all;
  for (std::size_t i = 0; i < plan.runs.size(); ++i) {
    if (!is_complete(plan, variants, plan.runs[i])) continue;
    std::vector<Parameter> constants;
    for (const auto& behind : (*measured[i])->behind_limits)
      constants.insert(constants.end(), behind.begin(), behind.end());
    const PlannedRun& run = plan.runs[i];
    const run::Network& network = *plan.variants[run.variant].network;
    if (asks_for(why, Why::Latency))
      std::ranges::copy(run::all_constants(network, plan.traffic(run)),
                        std::back_inserter(constants));
    if (asks_for(why, Why::Cpu))
      std::ranges::copy(run::stage_costs(network), std::back_inserter(constants));
    std::ranges::sort(constants);
    constants.erase(std::ranges::unique(constants).begin(), constants.end());
    for (const Parameter& constant : constants)
      all.push_back({.run = i, .variant = run.variant, .constant = constant});
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

void run_again(const Plan& plan, Again& again, std::uint32_t threads, run::Watch& watch) {
  run::RunOptions options = plan.options;
  options.seed = plan.seeds.front();
  options.watch = &watch;
  options.threads = threads;
  const PlannedRun& planned = plan.runs[again.run];
  options.changes = plan.variants[planned.variant].changes;
  options.joins = plan.variants[planned.variant].joins;
  run::RunInputs setting{*plan.variants[planned.variant].network, plan.traffic(planned)};
  again.name = run::name_of(again.constant, setting);
  again.value = run::value_of(again.constant, setting);
  run::perturb(setting, again.constant);
  again.moved_to = run::value_of(again.constant, setting);
  auto measured = run::run(setting.network, setting.traffic, options);
  if (measured && measured->ending == model::Ending::Complete)
    again.measured = *std::move(measured);
}

/// The source of a constant's value, for the report.
std::string source_of(const Prepared& prepared, const Again& again) {
  const Parameter::Kind kind = again.constant.kind;
  if (kind == Parameter::Kind::StageCost) {
    const auto source = prepared.cost_sources.find(again.name);
    return source == prepared.cost_sources.end() ? "" : source->second;
  }
  const bool usual_window =
      kind == Parameter::Kind::Window &&
      again.value == std::to_string(run::TrafficGroup{}.window_bytes) + " bytes";
  const std::string parameter = usual_window ? "tcp.window" : again.name;
  for (const model::Assumption& assumption : prepared.subject.assumptions) {
    if (parameter.starts_with(assumption.parameter)) return assumption.source;
  }
  const spec::FabricSpec& fabric = prepared.scenario.variants[again.variant].fabric;
  const bool asked = again.name.starts_with("traffic ") || kind == Parameter::Kind::Loss ||
                     (kind == Parameter::Kind::PathMtu && fabric.path_mtu) ||
                     (kind == Parameter::Kind::Deny && fabric.denied);
  return asked ? "the scenario" : "the topology";
}

/// A figure before and after a constant was changed.
struct Figure {
  const char* metric;
  std::int64_t before;
  std::int64_t after;
};

std::vector<Figure> figures_of(const model::TrafficResult& before,
                               const model::TrafficResult& after) {
  const auto p99 = [](const model::TrafficResult& result) {
    return result.latency_ns.quantile(99, 100);
  };
  return {{"goodput_bps", before.goodput_bps, after.goodput_bps},
          {"latency_ns.p99", p99(before), p99(after)},
          {"packets.dropped", before.packets.dropped, after.packets.dropped}};
}

/// The movement of the first figure, and of all other figures that changed.
model::Movement movement(const Prepared& prepared, const Again& again,
                         const std::vector<Figure>& figures) {
  model::Movement result{.constant = again.name,
                         .value = again.value,
                         .moved_to = again.moved_to,
                         .source = source_of(prepared, again),
                         .metric = figures.front().metric,
                         .before = figures.front().before,
                         .after = figures.front().after,
                         .also = {}};
  for (const Figure& figure : std::span(figures).subspan(1)) {
    if (figure.before != figure.after)
      result.also.push_back({figure.metric, figure.before, figure.after});
  }
  return result;
}

const model::TrafficResult& result_of(const run::Measurement& measured, const std::string& name) {
  return *std::ranges::find(measured.traffic, name, &model::TrafficResult::name);
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

/// Adds the movements of run `run` to its limits.
void add(const Prepared& prepared, const run::Measurement& measured, std::size_t run,
         const std::vector<Again>& all, std::span<model::Limit> limits) {
  for (std::size_t i = 0; i < limits.size(); ++i) {
    const model::TrafficResult& before = result_of(measured, limits[i].traffic);
    for (const Parameter& constant : measured.behind_limits[i]) {
      const auto again = std::ranges::find_if(all, [&](const Again& one) {
        return one.run == run && one.constant == constant && one.measured;
      });
      if (again == all.end()) continue;
      const auto& after = result_of(*again->measured, limits[i].traffic);
      limits[i].movements.push_back(movement(prepared, *again, figures_of(before, after)));
    }
    std::ranges::stable_sort(limits[i].movements, is_better);
  }
}

/// Adds the movements that changed the figure, largest first.
void add(model::Sensitivity explained, model::VariantResult& variant) {
  std::erase_if(explained.movements,
                [](const model::Movement& one) { return one.before == one.after; });
  std::ranges::stable_sort(explained.movements, std::greater<>{}, [](const model::Movement& one) {
    return std::abs(one.after - one.before);
  });
  variant.explained.push_back(std::move(explained));
}

/// Adds the effect of the constants of one run on the latency of each of its traffic groups.
void explain_latency(const Prepared& prepared, const run::Measurement& measured, std::size_t run,
                     const std::vector<Again>& all, model::VariantResult& variant) {
  for (const model::TrafficResult& before : measured.traffic) {
    model::Sensitivity explained{
        .traffic = before.name, .metric = "latency_ns.p99", .movements = {}};
    for (const Again& again : all) {
      if (again.run != run || !again.measured) continue;
      auto figures = figures_of(before, result_of(*again.measured, before.name));
      std::swap(figures[0], figures[1]);
      explained.movements.push_back(movement(prepared, again, figures));
    }
    add(std::move(explained), variant);
  }
}

/// Adds the effect on the nodes' CPU use, in millionths, and on the goodput of all traffic.
void explain_cpu(const Prepared& prepared, const run::Measurement& measured, std::size_t run,
                 const std::vector<Again>& all, model::VariantResult& variant) {
  const auto goodput = [](const run::Measurement& measurement) {
    std::int64_t sum = 0;
    for (const model::TrafficResult& traffic : measurement.traffic)
      sum += traffic.goodput_bps;
    return sum;
  };
  const bool all_at_once = prepared.scenario.concurrent;
  model::Sensitivity explained{.traffic = all_at_once ? "" : measured.traffic.front().name,
                               .metric = "nodes.cpu_utilisation.mean",
                               .movements = {}};
  for (const Again& again : all) {
    if (again.run != run || !again.measured) continue;
    explained.movements.push_back(
        movement(prepared, again,
                 {{"nodes.cpu_utilisation.mean", measured.cpu_utilisation.mean_ppm,
                   again.measured->cpu_utilisation.mean_ppm},
                  {"goodput_bps", goodput(measured), goodput(*again.measured)}}));
  }
  add(std::move(explained), variant);
}

}  // namespace

bool explain(const Prepared& prepared, const Plan& plan, const Measurements& measured, Why why,
             std::uint32_t threads, const Steering& steering,
             std::vector<model::VariantResult>& variants) {
  std::vector<Again> all = all_again(plan, measured, why, variants);
  begin(plan, all, threads, steering);
  in_parallel(all.size(), threads, [&](std::size_t i) {
    run::Watch unseen;
    run::Watch& watch = steering.progress != nullptr ? steering.progress->start(i) : unseen;
    watch.stop = steering.stop;
    if (!watch.asks_to_stop()) run_again(plan, all[i], threads_of_each(all.size(), threads), watch);
    if (steering.progress != nullptr) steering.progress->finish(i);
  });
  std::vector<std::size_t> next(variants.size());
  for (std::size_t i = 0; i < plan.runs.size(); ++i) {
    const PlannedRun& run = plan.runs[i];
    if (!is_complete(plan, variants, run)) continue;
    const run::Measurement& first = **measured[i];
    add(prepared, first, i, all,
        std::span(variants[run.variant].limits).subspan(next[run.variant], first.limits.size()));
    next[run.variant] += first.limits.size();
    model::VariantResult& variant = variants[run.variant];
    if (asks_for(why, Why::Latency)) explain_latency(prepared, first, i, all, variant);
    if (asks_for(why, Why::Cpu)) explain_cpu(prepared, first, i, all, variant);
  }
  return std::ranges::all_of(all, [](const Again& again) { return again.measured.has_value(); });
}

namespace {

/// Returns a plan with the first repetition of `plan` for each host, with its costs.
Plan plan_of_hosts(const Prepared& prepared, const Plan& plan) {
  Plan hosts = plan;
  hosts.variants.clear();
  hosts.runs.clear();
  hosts.series.reset();
  hosts.seeds.resize(1);
  hosts.rounds.resize(1);
  for (auto& [manner, rounds] : hosts.other_rounds)
    rounds.resize(1);
  for (const cost::CostProfile& costs : prepared.cost_hosts) {
    const std::size_t first = hosts.variants.size();
    for (LaidOut variant : plan.variants) {
      if (variant.network) variant.network->costs = costs;
      hosts.variants.push_back(std::move(variant));
    }
    for (const PlannedRun& run : plan.runs)
      if (run.repetition == 0) hosts.runs.push_back({first + run.variant, 0, run.round});
  }
  return hosts;
}

bool all_complete(const Measurements& measured) {
  return std::ranges::all_of(measured, [](const auto& one) {
    return one && *one && (*one)->ending == model::Ending::Complete;
  });
}

/// Extends the range of each comparison by the ratio of the same row in `host`. If a host has no
/// such ratio, there is no range.
void extend(std::vector<std::optional<model::RatioRange>>& ranges,
            const std::vector<model::Comparison>& rows,
            const std::vector<model::Comparison>& host) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto same = std::ranges::find_if(host, [&](const model::Comparison& one) {
      return one.traffic == rows[i].traffic && one.metric == rows[i].metric &&
             one.variant == rows[i].variant;
    });
    if (!ranges[i]) continue;
    if (same == host.end() || !same->ratio_ppm) {
      ranges[i].reset();
      continue;
    }
    ranges[i]->low_ppm = std::min(ranges[i]->low_ppm, *same->ratio_ppm);
    ranges[i]->high_ppm = std::max(ranges[i]->high_ppm, *same->ratio_ppm);
  }
}

}  // namespace

bool add_ranges(const Prepared& prepared, const Plan& plan, std::uint32_t threads,
                const Steering& steering, std::vector<model::Comparison>& comparison) {
  const Plan hosts = plan_of_hosts(prepared, plan);
  const Measurements measured = carry_out(hosts, threads, steering);
  if (!all_complete(measured)) return false;
  const auto variants = gather(hosts, measured);
  if (!variants) return false;
  std::vector<std::optional<model::RatioRange>> ranges;
  for (const model::Comparison& row : comparison)
    ranges.push_back(row.ratio_ppm
                         ? std::optional(model::RatioRange{*row.ratio_ppm, *row.ratio_ppm})
                         : std::nullopt);
  const auto count = static_cast<std::ptrdiff_t>(plan.variants.size());
  for (auto first = variants->begin(); first != variants->end(); first += count)
    extend(ranges, comparison,
           compare(std::vector(first, first + count), prepared.scenario.baseline));
  for (std::size_t i = 0; i < comparison.size(); ++i)
    comparison[i].range = ranges[i];
  return true;
}

double packets_of_ranges(const Prepared& prepared, const Plan& plan) {
  const double once =
      forecast(plan, 1).packets / static_cast<double>(std::max<std::size_t>(plan.seeds.size(), 1));
  return once * static_cast<double>(prepared.cost_hosts.size());
}

}  // namespace overlane::runner
