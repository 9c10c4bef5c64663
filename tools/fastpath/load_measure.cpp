#include "tools/fastpath/load_measure.h"

#include <algorithm>
#include <cmath>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "results/report/text.h"
#include "results/search/search_json.h"

namespace overlane::fastpath {

void add_load_options(CLI::App& verb, command::SearchOptions& options) {
  command::add_search_options(verb, options);
  verb.add_option("--trials", options.goals.trials, "Trials at one load at most")
      ->check(CLI::Range(1u, 1000u));
}

Parsed<std::unique_ptr<dpdk::LoadTester>> make_tester(const BenchSubject& subject,
                                                      const dpdk::EalOptions& eal) {
  std::optional<unsigned> node_core;
  if (eal.cores.size() > 1) node_core = eal.cores[1];
  return dpdk::LoadTester::make("load", subject.buffers, static_cast<std::uint16_t>(subject.burst),
                                node_core);
}

Parsed<dpdk::LoadPlan> load_plan(const command::SearchOptions& options, bool all_figures) {
  dpdk::LoadPlan plan{.goals = options.goals.goals(), .range = {}, .all_figures = all_figures};
  if (auto valid = search::check(plan.goals); !valid) return fail(valid.error());
  const double trial_seconds = static_cast<double>(options.goals.trial.count) / 1e12;
  const auto one_packet = static_cast<std::int64_t>(std::ceil(1 / trial_seconds));
  const std::int64_t max = options.max.value_or(kUnreachableLoad);
  plan.range = {options.min.value_or(std::min(std::max(kMinLoad, one_packet), max)), max};
  if (auto valid = search::check(plan.range); !valid) return fail(valid.error());
  if (plan.range.min < one_packet) {
    return fail(
        fmt::format("a trial at {} packets/s offers no packet; lengthen --trial", plan.range.min));
  }
  return plan;
}

Parsed<dpdk::LoadFigures> measure_load(dpdk::LoadTester& tester, const BenchSubject& subject,
                                       const BenchedCase& one, const dpdk::LoadPlan& plan) {
  know_next_hops(one, tester.pods(), tester.uplink());
  const auto out = traffic_of(subject, one, false, tester.pods());
  if (!out) return fail(out.error());
  const auto in = traffic_of(subject, one, true, tester.uplink());
  if (!in) return fail(in.error());
  std::vector<dpdk::LoadPath> paths;
  if (one.way != Way::Decap) paths.push_back({forward::Ingress::Pod, &*out});
  if (one.way != Way::Encap) paths.push_back({forward::Ingress::Uplink, &*in});
  return dpdk::load_figures(tester, one.generation, paths, plan);
}

std::string load_note(bool takes_turns) {
  return report::wrapped(
      "  ",
      takes_turns ? "Tester and node take turns on one core; time is the node's own: loads are "
                    "per second of its work, without what else the machine does."
                  : "Tester and node each have a core; time is the machine's.",
      report::terminal_width());
}

std::string irregular_lines(const std::string& name, const dpdk::LoadFigures& figures) {
  std::string text;
  if (figures.losses.punted > 0) {
    text += report::wrapped_line(
        "  " + name + ": ",
        fmt::format("{} packets need the full path, which is not measured, and count as lost",
                    figures.losses.punted));
  }
  for (const search::GoalResult& result : figures.found.goals) {
    const std::string why = search::irregularity(result, figures.range);
    if (!why.empty())
      text +=
          report::wrapped_line(fmt::format("  {}, {} (irregular): ", name, result.goal.name), why);
  }
  return text;
}

}  // namespace overlane::fastpath
