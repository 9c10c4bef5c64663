#include "scenarios/search/search_loads.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <set>

#include <fmt/format.h>

#include "scenarios/runner/plan/parallel.h"
#include "scenarios/runner/plan/plan.h"
#include "sim/run/run.h"

namespace overlane::load_search {
namespace {

using run::TrafficGroup;
using runner::Failure;
using runner::Plan;

/// How long a trial without load waits for what is under way (RFC 2544, section 23 d).
constexpr Picos kUnloadedResidual = seconds(2);
/// Datagrams of each flow in the shortest trial, so that a loss ratio means something.
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

/// A load that cannot be carried: the senders' NICs, or the receivers' if there are fewer, with
/// nothing but payload.
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
         const search::LoadRange& range, double width, std::uint32_t threads,
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
  Parsed<search::Trial> measure(std::int64_t load, Picos duration) {
    const std::size_t seed = counts_[load]++ % plan_.seeds.size();
    const auto residual = residual_of(seed, duration);
    if (!residual) return fail(residual.error());
    const TrafficGroup group = group_at(load, seed);
    const auto measured = run(group, seed, duration, *residual);
    if (!measured) return fail(measured.error());
    // Datagrams that their senders had no time or no buffer for count as lost (RFC 9971,
    // "Measurer"): all but those whose time was just over.
    const auto intended = static_cast<std::int64_t>(static_cast<double>(load) *
                                                    static_cast<double>(duration.count) / 1e12);
    const std::int64_t sent = measured->datagrams[0];
    const std::int64_t unsent = std::max<std::int64_t>(0, intended - sent - 2 * flows_of(group));
    return search::Trial{.duration = duration,
                         .offered = std::max<std::int64_t>(1, sent + unsent),
                         .forwarded = received(*measured)};
  }

 private:
  /// Without a warm-up each datagram that an application reads has a latency.
  static std::int64_t received(const run::Measurement& measured) {
    return measured.traffic[0].latency_ns.count();
  }

  /// The group at this load, as it is with the seed of that number.
  TrafficGroup group_at(std::int64_t load, std::size_t seed) const {
    // Groups at once are one round; else each is a round of its own.
    const runner::PlannedRun run{variant_, seed, concurrent_ ? 0 : group_};
    TrafficGroup group = plan_.traffic(run)[concurrent_ ? group_ : 0];
    const double bits = static_cast<double>(load) * group.payload_bytes * 8;
    const auto flows = static_cast<double>(flows_of(group));
    group.rate = {std::max<std::int64_t>(1, std::llround(bits / flows))};
    return group;
  }

  /// How long to wait at the end of a trial: as long as datagrams take without load, and a share
  /// of the trial that is the goals' width. A queue that grows faster is an overload, although it
  /// may not be full before the trial ends.
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
  const search::LoadRange& range_;
  double width_;
  std::uint32_t threads_;  ///< Threads of each trial.
  const runner::Steering& steering_;
  std::map<std::int64_t, std::size_t> counts_;  ///< Number of trials, by load.
  std::vector<std::optional<Picos>> unloaded_;  ///< The longest latency without load, by seed.
};

/// The loads to search in, and the least one that trials can tell something about.
runner::Outcome<search::LoadRange> range_of(const LoadRequest& asked, const TrafficGroup& group,
                                            BitsPerSecond nic_rate) {
  const double least = static_cast<double>(flows_of(group) * kMinDatagrams) * 1e12 /
                       static_cast<double>(std::max<std::int64_t>(1, asked.goals.trial.count));
  const auto measurable = static_cast<std::int64_t>(std::ceil(least));
  const std::int64_t max = asked.max.value_or(unreachable_load(group, nic_rate));
  const search::LoadRange range{asked.min.value_or(std::min(measurable, max)), max};
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
  const std::vector<search::Goal> goals = asked.goals.goals();
  if (auto valid = search::check(goals); !valid)
    return fail(usage("bad-value", std::move(valid.error()), ""));
  const std::uint32_t threads = runner::thread_count(request.threads);
  const Plan plan = runner::make_plan(prepared, {.seed = runner::seed_of(request, scenario),
                                                 .threads = threads,
                                                 .repetitions = asked.goals.trials});
  const TrafficGroup& as_written =
      plan.rounds.front()[scenario.concurrent ? 0 : *group][scenario.concurrent ? *group : 0];
  const auto range = range_of(asked, as_written, prepared.subject.machine.nic_rate);
  if (!range) return fail(range.error());
  if (auto valid = search::check(*range); !valid)
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
  std::vector<std::optional<Parsed<search::SearchResult>>> found(plan.variants.size());
  std::mutex telling;
  runner::in_parallel(plan.variants.size(), threads, [&](std::size_t i) {
    if (!plan.variants[i].network) return;
    Trials trials(plan, i, *group, scenario.concurrent, *range, asked.goals.width,
                  runner::threads_of_each(plan.variants.size(), threads), request.steering);
    found[i] = search::find_loads({.goals = goals, .range = *range},
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

}  // namespace overlane::load_search
