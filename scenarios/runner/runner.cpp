#include "scenarios/runner/runner.h"

#include <algorithm>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "results/model/run_report_json.h"
#include "scenarios/runner/conclude/gather.h"
#include "scenarios/runner/conclude/sensitivity.h"
#include "scenarios/runner/conclude/shared_core.h"
#include "scenarios/runner/conclude/steady.h"
#include "scenarios/runner/measure/measure.h"
#include "scenarios/runner/measure/observation.h"
#include "scenarios/runner/plan/events.h"
#include "scenarios/runner/plan/parallel.h"
#include "scenarios/runner/plan/plan.h"

namespace overlane::runner {

namespace {

RunOverrides overrides_of(const spec::Scenario& scenario, const Request& request) {
  return {.seed = seed_of(request, scenario),
          .threads = thread_count(request.threads),
          .repetitions = request.repetitions.value_or(scenario.repetitions),
          .max_events = request.max_events,
          .fast = request.fast || scenario.fast};
}

/// Appends the assumptions or findings of a variant that others do not have.
template <typename T>
void append_new(std::vector<T>& all, const std::vector<T>& more) {
  for (const T& item : more) {
    if (std::ranges::find(all, item) == all.end()) all.push_back(item);
  }
}

/// Adds one finding for all variants if runs ended early.
void report_early_end(model::RunReport& report) {
  const model::Ending ending = ending_of(report);
  if (ending == model::Ending::Complete) return;
  const bool interrupted = ending == model::Ending::Interrupted;
  const auto complete =
      std::ranges::count_if(report.variants, [](const model::VariantResult& variant) {
        return variant.ending == model::Ending::Complete;
      });
  report.findings.push_back(
      {.rule = interrupted ? "interrupted" : "event-limit",
       .severity = Severity::Error,
       .message =
           fmt::format("{}: {} of {} variants are complete; the others say how far they got",
                       interrupted ? "the run was interrupted" : "the run took all its events",
                       complete, report.variants.size()),
       .object = {"Scenario", "", report.scenario}});
}

/// Sets the warm-up that a pilot run of all variants shows to be sufficient.
model::Assumption find_warm_up(Plan& plan, std::uint32_t threads, const Steering& steering) {
  plan.options.warm_up = found_warm_up(plan, carry_out(plan, threads, steering));
  return {.parameter = "warmup",
          .value = fmt::format("{:.6g}ms", static_cast<double>(plan.options.warm_up.count) / 1e9),
          .range = "",
          .source = "found by MSER-5 in a run of all variants before",
          .tag = "derived"};
}

/// The name of the first variant with the dataplane of the shoot as written; empty without one.
std::string present_variant(const effective::EffectiveDataplane& as_written,
                            const std::vector<model::VariantResult>& variants) {
  const auto present = model::decode_variant_dataplane(encode(as_written.dataplane));
  const auto found = std::ranges::find_if(
      variants, [&](const model::VariantResult& one) { return one.dataplane == present; });
  return found == variants.end() ? "" : found->name;
}

Finding unexplained() {
  return {.rule = "not-explained",
          .severity = Severity::Warning,
          .message = "the sensitivity analysis of the bottlenecks is incomplete",
          .hint = "the run was interrupted, or its variants are not complete"};
}

Finding no_ranges(const spec::Scenario& scenario, std::string why, std::string hint) {
  return {.rule = "no-ranges",
          .severity = Severity::Note,
          .message =
              "the comparison has no ranges over the hosts that its cost profile is the "
              "mean of: " +
              std::move(why),
          .object = {"Scenario", "", scenario.name},
          .path = "spec.costProfile",
          .place = scenario.place,
          .hint = std::move(hint)};
}

/// Adds ranges to the report's comparison if the cost profile is a mean over hosts.
void range_comparison(const Prepared& prepared, const Plan& plan, const Request& request,
                      std::uint32_t threads, model::RunReport& report) {
  if (request.ranges == CostRanges::None || prepared.cost_hosts.empty() ||
      report.comparison.empty())
    return;
  if (ending_of(report) != model::Ending::Complete) return;
  const double packets = packets_of_ranges(prepared, plan);
  if (request.ranges == CostRanges::IfShort && packets > kMaxPacketsOfShortRanges) {
    report.findings.push_back(
        no_ranges(prepared.scenario,
                  fmt::format("about {:.0f} million more packets to simulate", packets / 1e6),
                  "--ranges computes them"));
    return;
  }
  if (!add_ranges(prepared, plan, threads, request.steering, report.comparison)) {
    report.findings.push_back(
        no_ranges(prepared.scenario, "their runs are not complete", "let the run end"));
    return;
  }
  for (const cost::CostProfile& host : prepared.cost_hosts)
    report.cost_hosts.push_back(host.name);
}

}  // namespace

Outcome<model::RunReport> run(const Prepared& prepared, const Request& request) {
  const spec::Scenario& scenario = prepared.scenario;
  RunOverrides overrides = overrides_of(scenario, request);
  auto series = series_options(prepared, request);
  if (!series) return fail(std::move(series.error()));
  overrides.series = *series;
  Plan plan = make_plan(prepared, overrides);
  if (prepared.subject.no_states && plan.runs.empty()) return unusable(*prepared.subject.no_states);
  const auto threads =
      threads_that_fit(plan, overrides.threads, {request.max_memory, request.available_memory});
  if (!threads) return fail(Failure{Failure::Kind::TooLarge, {threads.error()}});
  if (auto fits = check_events(plan); !fits)
    return fail(Failure{Failure::Kind::TooLarge, {std::move(fits.error())}});
  if (request.steering.forecast) request.steering.forecast(forecast(plan, *threads));
  std::vector<model::Assumption> assumptions = prepared.subject.assumptions;
  if (scenario.warm_up_is_found)
    assumptions.push_back(find_warm_up(plan, *threads, request.steering));
  auto observation = Observation::create(plan, request.packets);
  if (!observation) return fail(std::move(observation.error()));
  const Measurements measured = carry_out(plan, *threads, request.steering, observation->get());
  auto variants = gather(plan, measured);
  if (!variants) return fail(Failure{Failure::Kind::Internal, {variants.error()}});

  const bool explained =
      request.why == Why::Nothing ||
      explain(prepared, plan, measured, request.why, *threads, request.steering, *variants);

  model::RunReport report{
      .scenario = scenario.name,
      .seed = overrides.seed,
      .seeds = plan.seeds,
      .assumptions = std::move(assumptions),
      .machine = prepared.subject.machine_facts,
      .variants = *std::move(variants),
      .cost_profile = prepared.costs ? prepared.costs->name : "none",
      .shoot = prepared.subject.as_written.namespace_ + "/" + prepared.subject.as_written.name,
      .environment = request.environment,
      .events = describe(scenario.events),
      .findings = prepared.subject.findings};
  for (const LaidOut& variant : plan.variants) {
    append_new(report.assumptions, variant.assumptions);
    append_new(report.findings, variant.findings);
  }
  report.present_variant = present_variant(prepared.subject.as_written, report.variants);
  report.comparison = compare(report.variants, scenario.baseline);
  range_comparison(prepared, plan, request, *threads, report);
  if (scenario.events.empty())  // Events disturb the steady state.
    append_new(report.findings, unsteady(scenario, report.variants));
  append_new(report.findings, shared_cores(scenario, plan, measured));
  append_new(report.findings, requests_behind_streams(scenario, plan, measured));
  report_early_end(report);
  auto traces = (*observation)->finish(report.findings);
  if (!traces) return fail(std::move(traces.error()));
  report.traces = *std::move(traces);
  if (!explained) report.findings.push_back(unexplained());
  return report;
}

}  // namespace overlane::runner
