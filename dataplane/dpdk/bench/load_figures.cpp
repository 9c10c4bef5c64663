#include "dataplane/dpdk/bench/load_figures.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "results/load_search/search.h"
#include "results/model/histogram.h"

namespace overlane::dpdk {
namespace {

/// In the machine's time, what a node's core may do in between: some of Linux's time slices. A ring
/// has no more places in that time than in less.
constexpr Picos kMachineResidual = milliseconds(20);

/// How long to wait for what has not left when a trial ends. A queue that grew by more than the
/// width of the goals is an overload.
Picos residual_of(const LoadTester& tester, const search::Goal& goal) {
  const double share = goal.width * static_cast<double>(goal.trial.count);
  const Picos own{static_cast<std::int64_t>(share)};
  return tester.takes_turns() ? own : std::max(own, kMachineResidual);
}

/// The conditional throughput of the goal with PDR's loss ratio.
std::optional<double> pdr_of(const search::SearchResult& found) {
  for (const search::GoalResult& result : found.goals)
    if (result.goal.loss_ratio == search::kPdrLoss) return result.conditional_throughput;
  return std::nullopt;
}

std::string mpps(double packets_per_second) {
  return fmt::format("{:.4f}", packets_per_second / 1e6);
}

std::string mpps(const std::optional<std::int64_t>& load) {
  return load ? mpps(static_cast<double>(*load)) : "-";
}

std::string micros(std::int64_t nanoseconds) {
  return fmt::format("{:.1f}", static_cast<double>(nanoseconds) / 1e3);
}

}  // namespace

double LoadFigures::max_receive_rate() const {
  if (max_receive_rates.empty()) return 0;
  return std::accumulate(max_receive_rates.begin(), max_receive_rates.end(), 0.0) /
         static_cast<double>(max_receive_rates.size());
}

Parsed<LoadFigures> load_figures(LoadTester& tester, const Generation& generation,
                                 std::span<const LoadPath> paths, const LoadPlan& plan) {
  LoadFigures figures{.takes_turns = tester.takes_turns(), .range = plan.range};
  const search::Goal& goal = plan.goals.front();
  const auto measure = [&](std::int64_t load, Picos residual, bool with_latency = false) {
    return tester.measure(generation, paths,
                          {.packets_per_second = load,
                           .duration = goal.trial,
                           .residual = residual,
                           .with_latency = with_latency});
  };
  const Picos residual = residual_of(tester, goal);
  const auto warm_up = measure(plan.range.max, residual);
  if (!warm_up) return fail(warm_up.error());
  for (int i = 0; plan.all_figures && i < kMaxReceiveRateTrials; ++i) {
    // What is received after the trial is not part of its rate.
    const auto trial = measure(plan.range.max, Picos{});
    if (!trial) return fail(trial.error());
    figures.max_receive_rates.push_back(trial->rate());
  }
  auto found = search::find_loads({.goals = plan.goals, .range = plan.range},
                                  [&](std::int64_t load, Picos) -> Parsed<search::Trial> {
                                    const auto trial = measure(load, residual);
                                    if (!trial) return fail(trial.error());
                                    figures.losses += trial->losses;
                                    figures.interruptions += trial->interruptions;
                                    return trial->counts;
                                  });
  if (!found) return fail(std::move(found.error()));
  figures.found = std::move(*found);
  const auto pdr = pdr_of(figures.found);
  if (!plan.all_figures || !pdr) return figures;
  for (const double share : {0.0, 0.1, 0.5, 0.9}) {
    const std::int64_t load = std::max<std::int64_t>(plan.range.min, std::llround(*pdr * share));
    const auto trial = measure(load, residual, true);
    if (!trial) return fail(trial.error());
    figures.latency.push_back({share, load, *trial});
  }
  return figures;
}

nlohmann::ordered_json encode(const LoadFigures& figures) {
  nlohmann::ordered_json json{{"clock", figures.takes_turns ? "node" : "machine"},
                              {"min_pps", figures.range.min},
                              {"max_pps", figures.range.max}};
  if (!figures.max_receive_rates.empty()) {
    json["mrr_pps"] = std::llround(figures.max_receive_rate());
    json["mrr_trials_pps"] = nlohmann::ordered_json::array();
    for (const double rate : figures.max_receive_rates)
      json["mrr_trials_pps"].push_back(std::llround(rate));
  }
  json.update(search::encode(figures.found));
  json["losses"] = {{"unsent", figures.losses.unsent},
                    {"no_room", figures.losses.no_room},
                    {"punted", figures.losses.punted}};
  json["interruptions"] = figures.interruptions;
  if (!figures.latency.empty()) json["latency"] = nlohmann::ordered_json::array();
  for (const LatencyAt& at : figures.latency) {
    json["latency"].push_back({{"of_pdr", at.share_of_pdr},
                               {"pps", at.packets_per_second},
                               {"offered", at.trial.counts.offered},
                               {"forwarded", at.trial.counts.forwarded},
                               {"latency_ns", model::encode_quantiles(at.trial.latency_ns)},
                               {"error_p99_ns", at.trial.looks_ns.quantile(99, 100)}});
  }
  return json;
}

std::string load_heading() {
  return fmt::format("{:<22} {:<12} {:>11} {:>10} {:>10} {:>10}\n", "mode/way/size", "figure",
                     "Mpps", "lower", "upper", "trials");
}

std::string load_lines(const std::string& name, const LoadFigures& figures) {
  std::string text;
  const auto line = [&](const std::string& figure, const std::string& rate,
                        const std::string& lower = "", const std::string& upper = "",
                        const std::string& trials = "") {
    std::string one = fmt::format("{:<22} {:<12} {:>11} {:>10} {:>10} {:>10}", name, figure, rate,
                                  lower, upper, trials);
    one.erase(one.find_last_not_of(' ') + 1);
    text += one + "\n";
  };
  if (!figures.max_receive_rates.empty()) {
    const auto [least, most] = std::ranges::minmax(figures.max_receive_rates);
    line("MRR", mpps(figures.max_receive_rate()), mpps(least), mpps(most),
         std::to_string(figures.max_receive_rates.size()));
  }
  for (const search::GoalResult& result : figures.found.goals) {
    const auto& rate = result.conditional_throughput;
    // An irregular result is marked: it is no more than a hint.
    const char* mark = result.ending == search::Ending::Regular ? "" : "? ";
    line(result.goal.name, rate ? mark + mpps(*rate) : "-", mpps(result.lower_bound),
         mpps(result.upper_bound), std::to_string(figures.found.trial_count()));
  }
  if (!figures.latency.empty()) {
    text += fmt::format("{:<22} {:<12} {:>11} {:>10} {:>10} {:>10}\n", "", "latency, µs", "Mpps",
                        "p50", "p99", "max");
  }
  for (const LatencyAt& at : figures.latency) {
    const model::Histogram& latency = at.trial.latency_ns;
    line(at.share_of_pdr == 0 ? "no load" : fmt::format("{:.0f} % of PDR", at.share_of_pdr * 100),
         mpps(static_cast<double>(at.packets_per_second)), micros(latency.quantile(50, 100)),
         micros(latency.quantile(99, 100)), micros(latency.max()));
  }
  return text;
}

}  // namespace overlane::dpdk
