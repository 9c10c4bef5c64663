#include "scenarios/search/search_loads.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "results/finding/finding.h"
#include "results/load_search/search.h"
#include "results/model/run_environment.h"
#include "results/model/run_report_json.h"
#include "results/report/text.h"
#include "scenarios/runner/plan/parallel.h"
#include "scenarios/runner/plan/plan.h"
#include "sim/run/run.h"

namespace overlane::search {
namespace {

using load_search::GoalResult;
using Json = nlohmann::ordered_json;

constexpr int kLoadReportVersion = 1;

/// The result of a variant for a goal; null if it was not searched.
const GoalResult* result_of(const VariantLoads& variant, std::size_t goal) {
  return variant.found ? &variant.found->goals[goal] : nullptr;
}

const VariantLoads* baseline_of(const LoadReport& report) {
  const auto found = std::ranges::find(report.variants, report.baseline, &VariantLoads::name);
  return found == report.variants.end() ? nullptr : &*found;
}

Json encode_variant(const VariantLoads& variant) {
  Json json{{"name", variant.name}, {"status", to_string(variant.status)}};
  if (!variant.reason.empty()) json["reason"] = variant.reason;
  if (variant.found) json.update(load_search::encode(*variant.found));
  return json;
}

Json encode_comparison(const LoadReport& report) {
  Json all = Json::array();
  for (std::size_t goal = 0; goal < report.goals.size(); ++goal) {
    for (const VariantLoads& variant : report.variants) {
      if (variant.name == report.baseline) continue;
      const auto ratio = report.ratio_ppm(variant, goal);
      Json one{{"goal", report.goals[goal].name},
               {"variant", variant.name},
               {"baseline", report.baseline},
               {"ratio", nullptr}};
      if (ratio) one["ratio"] = static_cast<double>(*ratio) / 1e6;
      all.push_back(std::move(one));
    }
  }
  return all;
}

/// A cell of a variant and goal, or an empty one.
template <typename Text>
std::vector<std::string> cells(const LoadReport& report, std::size_t goal, const Text& text) {
  std::vector<std::string> row;
  for (const VariantLoads& variant : report.variants) {
    const GoalResult* result = result_of(variant, goal);
    row.push_back(result == nullptr ? std::string() : text(variant, *result));
  }
  return row;
}

std::string load_text(std::optional<std::int64_t> load) {
  return load ? report::count_text(*load) : "";
}

void add_goal(report::ColumnTable& table, const LoadReport& report, std::size_t goal) {
  const auto row = [&](std::string label, const auto& text) {
    table.row(std::move(label), cells(report, goal, text));
  };
  table.heading(fmt::format("{}: at most {:.4g} % of the datagrams lost", report.goals[goal].name,
                            report.goals[goal].loss_ratio * 100));
  row("packets/s", [](const VariantLoads&, const GoalResult& result) {
    if (!result.conditional_throughput) return std::string();
    // An irregular result is marked: it is no more than a hint.
    return (result.ending == load_search::Ending::Regular ? "" : "? ") +
           report::count_text(std::llround(*result.conditional_throughput));
  });
  row("payload", [&](const VariantLoads&, const GoalResult& result) {
    if (!result.conditional_throughput) return std::string();
    return report::rate_text(report.payload_bps(*result.conditional_throughput));
  });
  if (report.variants.size() > 1) {
    row("against " + report.baseline, [&](const VariantLoads& variant, const GoalResult&) {
      if (variant.name == report.baseline) return std::string("baseline");
      const auto ratio = report.ratio_ppm(variant, goal);
      return ratio ? report::change_text(*ratio) : std::string();
    });
  }
  row("lower bound",
      [](const VariantLoads&, const GoalResult& result) { return load_text(result.lower_bound); });
  row("upper bound",
      [](const VariantLoads&, const GoalResult& result) { return load_text(result.upper_bound); });
}

/// Variants without a result, and the reasons for irregular results, each reason once.
std::string notes(const LoadReport& report) {
  std::string text;
  std::vector<std::pair<std::string, std::string>> irregular;  // The reason and its results.
  for (const VariantLoads& variant : report.variants) {
    if (!variant.found) {
      text += report::wrapped_line(
          fmt::format("  {} ({}): ", variant.name, to_string(variant.status)), variant.reason);
      continue;
    }
    for (const GoalResult& result : variant.found->goals) {
      const std::string why = load_search::irregularity(result, report.range);
      if (why.empty()) continue;
      const std::string name = fmt::format("{} of {}", result.goal.name, variant.name);
      const auto same =
          std::ranges::find(irregular, why, &std::pair<std::string, std::string>::first);
      if (same == irregular.end()) {
        irregular.emplace_back(why, name);
      } else {
        same->second += ", " + name;
      }
    }
  }
  for (const auto& [why, names] : irregular)
    text += report::wrapped_line("  irregular: ", names + ": " + why);
  return text;
}

}  // namespace

std::optional<std::int64_t> LoadReport::ratio_ppm(const VariantLoads& variant,
                                                  std::size_t goal) const {
  const VariantLoads* reference = baseline_of(*this);
  if (reference == nullptr) return std::nullopt;
  const GoalResult* before = result_of(*reference, goal);
  const GoalResult* after = result_of(variant, goal);
  for (const GoalResult* one : {before, after})
    if (one == nullptr || one->ending != load_search::Ending::Regular) return std::nullopt;
  if (*before->conditional_throughput <= 0) return std::nullopt;
  return std::llround(1e6 * *after->conditional_throughput / *before->conditional_throughput);
}

std::int64_t LoadReport::payload_bps(double packets_per_second) const {
  return std::llround(packets_per_second * static_cast<double>(payload_bytes * 8));
}

nlohmann::ordered_json encode(const LoadReport& report) {
  Json json{{"schema_version", kLoadReportVersion},
            {"kind", "LoadReport"},
            {"scenario", report.scenario},
            {"traffic", report.traffic},
            {"flows", report.flows},
            {"payload_bytes", report.payload_bytes},
            {"seeds", report.seeds},
            {"min_pps", report.range.min},
            {"max_pps", report.range.max},
            {"baseline", report.baseline},
            {"variants", Json::array()},
            {"comparison", encode_comparison(report)},
            {"assumptions", Json::array()},
            {"cost_profile", report.cost_profile},
            {"environment", model::encode(report.environment)},
            {"findings", overlane::encode(report.findings)}};
  for (const VariantLoads& variant : report.variants)
    json["variants"].push_back(encode_variant(variant));
  for (const model::Assumption& assumption : report.assumptions)
    json["assumptions"].push_back(model::encode(assumption));
  return json;
}

std::string load_table(const LoadReport& report, report::Style style) {
  std::vector<std::string> names;
  for (const VariantLoads& variant : report.variants)
    names.push_back(variant.name);
  report::ColumnTable table(names);
  for (std::size_t goal = 0; goal < report.goals.size(); ++goal)
    add_goal(table, report, goal);
  table.heading("search");
  table.row("trials", [&] {
    std::vector<std::string> row;
    for (const VariantLoads& variant : report.variants)
      row.push_back(variant.found ? report::count_text(
                                        static_cast<std::int64_t>(variant.found->trial_count()))
                                  : "");
    return row;
  }());
  std::string text = table.to_string(style);
  if (const std::string irregular = notes(report); !irregular.empty()) text += "\n" + irregular;
  const load_search::Goal& goal = report.goals.front();
  text += "\n" +
          report::wrapped(
              "  ",
              fmt::format("{} of {}: {}, datagrams of {} bytes; up to {} of {} at a load, one for "
                          "each seed from {}; loads from {} to {} packets/s; cost profile {}.",
                          report.traffic, report.scenario,
                          report::counted_text(static_cast<std::uint64_t>(report.flows), "flow"),
                          report.payload_bytes, report::counted_text(report.seeds.size(), "trial"),
                          report::duration_text(goal.trial.whole_nanoseconds()),
                          report.seeds.front(), report::count_text(report.range.min),
                          report::count_text(report.range.max), report.cost_profile),
              report::terminal_width());
  return text;
}

namespace {

using run::TrafficGroup;
using runner::Failure;
using runner::Plan;

/// Time that a trial without load waits for packets in flight (RFC 2544, section 23 d).
constexpr Picos kUnloadedResidual = seconds(2);
/// Minimum number of datagrams per flow and trial for a meaningful loss ratio.
constexpr std::int64_t kMinDatagrams = 10;

Failure usage(std::string_view rule, std::string message, std::string hint) {
  return {Failure::Kind::Usage,
          {{.rule = std::string(rule),
            .severity = Severity::Error,
            .message = std::move(message),
            .hint = std::move(hint)}}};
}

bool is_paced(const spec::Traffic& traffic) {
  return traffic.kind == model::TrafficKind::Udp && !traffic.poisson && !traffic.on;
}

/// Why a group cannot be loaded at an even rate.
std::string_view why_not_paced(const spec::Traffic& traffic) {
  if (traffic.kind != model::TrafficKind::Udp) return "it is not udp";
  return traffic.poisson ? "its datagrams leave at random (poisson)"
                         : "it is silent at times (on, off)";
}

std::string quoted_names(const std::vector<std::string>& names) {
  return fmt::format("\"{}\"", fmt::join(names, "\", \""));
}

/// The position of the group to be searched in the scenario.
runner::Outcome<std::size_t> chosen_group(const spec::Scenario& scenario, const std::string& name) {
  const auto& traffic = scenario.traffic;
  std::vector<std::string> paced;
  for (const spec::Traffic& group : traffic)
    if (is_paced(group)) paced.push_back(group.name);
  const std::string choice =
      paced.empty() ? "add a group of kind udp with a rate" : "choose from " + quoted_names(paced);
  if (!name.empty()) {
    const auto found = std::ranges::find(traffic, name, &spec::Traffic::name);
    if (found == traffic.end()) {
      return fail(usage("unknown-traffic",
                        fmt::format("there is no traffic \"{}\" in {}", name, scenario.name),
                        choice));
    }
    if (!is_paced(*found)) {
      return fail(usage(
          "not-paced",
          fmt::format("traffic \"{}\" is not paced UDP: {}", name, why_not_paced(*found)), choice));
    }
    return static_cast<std::size_t>(found - traffic.begin());
  }
  if (paced.empty()) {
    return runner::unusable(Finding{.rule = "not-paced",
                                    .severity = Severity::Error,
                                    .message = "the scenario has no paced UDP traffic",
                                    .place = scenario.place,
                                    .hint = choice});
  }
  if (paced.size() > 1) {
    return fail(usage("choose-traffic", "the scenario has several groups of paced UDP traffic",
                      "name one with --traffic: " + quoted_names(paced)));
  }
  return static_cast<std::size_t>(std::ranges::find(traffic, paced.front(), &spec::Traffic::name) -
                                  traffic.begin());
}

std::int64_t flows_of(const TrafficGroup& group) {
  return static_cast<std::int64_t>(group.pairs.size()) * group.flows_per_pair;
}

/// A load that no path can carry: its payload alone fills the NICs of the senders or, if there are
/// fewer, of the receivers. In packets per second.
std::int64_t unreachable_load(const TrafficGroup& group, BitsPerSecond nic_rate) {
  std::set<std::uint32_t> senders;
  std::set<std::uint32_t> receivers;
  for (const run::PodPair& pair : group.pairs) {
    senders.insert(pair.source.node);
    receivers.insert(pair.destination.node);
  }
  const auto nics = static_cast<std::int64_t>(std::min(senders.size(), receivers.size()));
  return nic_rate.count / (8 * std::int64_t{group.payload_bytes}) * nics;
}

/// The trials of one variant.
class Trials {
 public:
  Trials(const Plan& plan, std::size_t variant, std::size_t group, bool concurrent,
         const load_search::LoadRange& range, double width, std::uint32_t threads,
         const runner::Steering& steering)
      : plan_(plan),
        variant_(variant),
        group_(group),
        concurrent_(concurrent),
        range_(range),
        width_(width),
        threads_(threads),
        steering_(steering),
        unloaded_(plan.seeds.size()) {}

  /// The next trial at this load, with the next seed.
  Parsed<load_search::Trial> measure(std::int64_t load, Picos duration) {
    const std::size_t seed = counts_[load]++ % plan_.seeds.size();
    const auto residual = residual_of(seed, duration);
    if (!residual) return fail(residual.error());
    const TrafficGroup group = group_at(load, seed);
    const auto measured = run(group, seed, duration, *residual);
    if (!measured) return fail(measured.error());
    // Datagrams that a sender could not send for lack of time or buffer count as lost (RFC 9971,
    // "Measurer"). Two per flow are exempt: they may fall on the end of the trial.
    const auto intended = static_cast<std::int64_t>(static_cast<double>(load) *
                                                    static_cast<double>(duration.count) / 1e12);
    const std::int64_t sent = measured->datagrams[0];
    const std::int64_t unsent = std::max<std::int64_t>(0, intended - sent - 2 * flows_of(group));
    return load_search::Trial{.duration = duration,
                              .offered = std::max<std::int64_t>(1, sent + unsent),
                              .forwarded = received(*measured)};
  }

 private:
  /// Without a warm-up each datagram that an application reads has a latency.
  static std::int64_t received(const run::Measurement& measured) {
    return measured.traffic[0].latency_ns.count();
  }

  /// The traffic group at this load, in the run with seed number `seed`.
  TrafficGroup group_at(std::int64_t load, std::size_t seed) const {
    // Concurrent groups share one round; otherwise each group has its own round.
    const runner::PlannedRun run{variant_, seed, concurrent_ ? 0 : group_};
    TrafficGroup group = plan_.traffic(run)[concurrent_ ? group_ : 0];
    const double bits = static_cast<double>(load) * group.payload_bytes * 8;
    const auto flows = static_cast<double>(flows_of(group));
    group.rate = {std::max<std::int64_t>(1, std::llround(bits / flows))};
    return group;
  }

  /// Time to wait for datagrams after a trial: the longest latency without load, plus the goals'
  /// width as a share of the trial. A queue that grows faster is an overload, even if it is not
  /// full before the trial ends.
  Parsed<Picos> residual_of(std::size_t seed, Picos duration) {
    std::optional<Picos>& latency = unloaded_[seed];
    if (!latency) {
      const auto measured = run(group_at(range_.min, seed), seed, duration, kUnloadedResidual);
      if (!measured) return fail(measured.error());
      latency = nanoseconds(measured->traffic[0].latency_ns.max() + 1);
    }
    const double share = width_ * static_cast<double>(duration.count);
    return *latency + Picos{static_cast<std::int64_t>(share)};
  }

  Parsed<run::Measurement> run(const TrafficGroup& group, std::size_t seed, Picos duration,
                               Picos residual) const {
    run::Watch watch;
    watch.stop = steering_.stop;
    run::RunOptions options{.duration = duration + residual,
                            .seed = plan_.seeds[seed],
                            .datagrams_end = duration,
                            .watch = &watch,
                            .threads = threads_};
    // Flows begin anywhere within their first interval, as if they had always been sending.
    options.start_spread = serialization_time(Bytes{std::int64_t{group.payload_bytes}}, group.rate);
    auto measured = run::run(*plan_.variants[variant_].network, {group}, options);
    if (!measured) return measured;
    if (measured->ending != model::Ending::Complete) return fail("interrupted");
    if (measured->byte_path.mismatched > 0)
      return fail("the byte path disagrees: " + measured->first_mismatch);
    return measured;
  }

  const Plan& plan_;
  std::size_t variant_;
  std::size_t group_;
  bool concurrent_;
  const load_search::LoadRange& range_;
  double width_;
  std::uint32_t threads_;  ///< Threads of each trial.
  const runner::Steering& steering_;
  std::map<std::int64_t, std::size_t> counts_;  ///< Number of trials, by load.
  std::vector<std::optional<Picos>> unloaded_;  ///< The longest latency without load, by seed.
};

/// The range of loads to search. Fails if the minimum is too low for meaningful trials.
runner::Outcome<load_search::LoadRange> range_of(const LoadRequest& asked,
                                                 const TrafficGroup& group,
                                                 BitsPerSecond nic_rate) {
  const double least = static_cast<double>(flows_of(group) * kMinDatagrams) * 1e12 /
                       static_cast<double>(std::max<std::int64_t>(1, asked.goals.trial.count));
  const auto measurable = static_cast<std::int64_t>(std::ceil(least));
  const std::int64_t max = asked.max.value_or(unreachable_load(group, nic_rate));
  const load_search::LoadRange range{asked.min.value_or(std::min(measurable, max)), max};
  if (range.min < measurable) {
    return fail(usage("bad-value",
                      fmt::format("at {} packets/s a flow sends less than {} datagrams in a trial",
                                  range.min, kMinDatagrams),
                      fmt::format("search from {} packets/s on (--min, --max), or lengthen --trial",
                                  measurable)));
  }
  return range;
}

template <typename T>
void append_new(std::vector<T>& all, const std::vector<T>& more) {
  for (const T& item : more)
    if (std::ranges::find(all, item) == all.end()) all.push_back(item);
}

}  // namespace

runner::Outcome<LoadReport> search_loads(const runner::Prepared& prepared,
                                         const runner::Request& request, const LoadRequest& asked) {
  const spec::Scenario& scenario = prepared.scenario;
  if (!scenario.events.empty()) {
    return runner::unusable(Finding{.rule = "not-steady",
                                    .severity = Severity::Error,
                                    .message = "a load search needs a steady network; the scenario "
                                               "has events",
                                    .place = scenario.place,
                                    .hint = "remove spec.events"});
  }
  const auto group = chosen_group(scenario, asked.traffic);
  if (!group) return fail(group.error());
  const std::vector<load_search::Goal> goals = asked.goals.goals();
  if (auto valid = load_search::check(goals); !valid)
    return fail(usage("bad-value", std::move(valid.error()), ""));
  const std::uint32_t threads = runner::thread_count(request.threads);
  const Plan plan = runner::make_plan(prepared, {.seed = runner::seed_of(request, scenario),
                                                 .threads = threads,
                                                 .repetitions = asked.goals.trials});
  const TrafficGroup& as_written =
      plan.rounds.front()[scenario.concurrent ? 0 : *group][scenario.concurrent ? *group : 0];
  const auto range = range_of(asked, as_written, prepared.subject.machine.nic_rate);
  if (!range) return fail(range.error());
  if (auto valid = load_search::check(*range); !valid)
    return fail(usage("bad-value", std::move(valid.error()), ""));

  LoadReport report{.scenario = scenario.name,
                    .traffic = as_written.name,
                    .flows = flows_of(as_written),
                    .payload_bytes = as_written.payload_bytes,
                    .seeds = plan.seeds,
                    .range = *range,
                    .goals = goals,
                    .baseline = scenario.baseline,
                    .assumptions = prepared.subject.assumptions,
                    .cost_profile = prepared.costs ? prepared.costs->name : "none",
                    .environment = request.environment,
                    .findings = prepared.subject.findings};
  std::vector<std::optional<Parsed<load_search::SearchResult>>> found(plan.variants.size());
  std::mutex telling;
  runner::in_parallel(plan.variants.size(), threads, [&](std::size_t i) {
    if (!plan.variants[i].network) return;
    Trials trials(plan, i, *group, scenario.concurrent, *range, asked.goals.width,
                  runner::threads_of_each(plan.variants.size(), threads), request.steering);
    found[i] = load_search::find_loads({.goals = goals, .range = *range},
                                       [&](std::int64_t load, Picos duration) {
                                         if (asked.on_trial) {
                                           const std::lock_guard lock(telling);
                                           asked.on_trial(plan.variants[i].variant.name, load);
                                         }
                                         return trials.measure(load, duration);
                                       });
  });
  const bool stopped = request.steering.stop != nullptr && *request.steering.stop;
  for (std::size_t i = 0; i < plan.variants.size(); ++i) {
    const runner::LaidOut& laid_out = plan.variants[i];
    VariantLoads& variant = report.variants.emplace_back(
        laid_out.variant.name, laid_out.variant.status, laid_out.variant.reason);
    append_new(report.assumptions, laid_out.assumptions);
    append_new(report.findings, laid_out.findings);
    if (!found[i]) continue;
    if (*found[i]) {
      variant.found = **std::move(found[i]);
    } else if (stopped) {
      variant.status = model::VariantStatus::NotRun;
      variant.reason = "the search was interrupted";
    } else {
      return fail(
          Failure{Failure::Kind::Internal,
                  {{.rule = "internal-error",
                    .severity = Severity::Error,
                    .message = fmt::format("variant {}: {}", variant.name, found[i]->error()),
                    .hint = "this is a defect of overlane; please report it with the input"}}});
    }
  }
  return report;
}

}  // namespace overlane::search
