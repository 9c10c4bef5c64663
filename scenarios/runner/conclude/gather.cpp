#include "scenarios/runner/conclude/gather.h"

#include <algorithm>
#include <cstdlib>
#include <span>

#include <fmt/format.h>

#include "results/model/run_report.h"

namespace overlane::runner {

namespace {

using Steady = std::optional<model::SteadyState>;

/// The worse state of two repetitions; an unknown state is ignored.
const Steady& worse(const Steady& a, const Steady& b) {
  if (!a || !b) return a ? a : b;
  if (a->reached != b->reached) return a->reached ? b : a;
  if (!a->reached) return std::abs(a->drift_ppm) < std::abs(b->drift_ppm) ? b : a;
  return a->from < b->from ? b : a;
}

}  // namespace

model::TrafficResult pool(const std::vector<model::TrafficResult>& repetitions) {
  model::TrafficResult all = repetitions.front();
  if (repetitions.size() == 1) return all;
  const auto count = static_cast<std::int64_t>(repetitions.size());
  for (const model::TrafficFigure& metric : model::kTrafficFigures) {
    if (!metric.is_of(all)) continue;
    model::RepeatedFigure& figure =
        all.repeated.emplace_back(model::RepeatedFigure{std::string(metric.name), {}});
    for (const model::TrafficResult& one : repetitions)
      figure.values.push_back(metric.value(one));
  }
  for (std::size_t i = 1; i < repetitions.size(); ++i) {
    const model::TrafficResult& one = repetitions[i];
    all.throughput_bps += one.throughput_bps;
    all.goodput_bps += one.goodput_bps;
    all.packets += one.packets;
    all.latency_ns += one.latency_ns;
    all.completion_ns += one.completion_ns;
    if (all.interruptions && one.interruptions) *all.interruptions += *one.interruptions;
    all.transactions += one.transactions;
    if (all.connections_per_second)
      *all.connections_per_second += one.connections_per_second.value_or(0);
    all.steady_state = worse(all.steady_state, one.steady_state);
    all.latency_steady_state = worse(all.latency_steady_state, one.latency_steady_state);
    for (const DropFacts& facts : kDrops)
      all.drops[facts.drop] += one.drops[facts.drop];
  }
  all.throughput_bps /= count;
  all.goodput_bps /= count;
  if (all.connections_per_second) *all.connections_per_second /= count;
  return all;
}

namespace {

/// Number of bars that fit a terminal.
constexpr std::int64_t kDefaultIntervals = 50;

/// Number of values per interval in all variants.
std::int64_t values_of_interval(const Prepared& prepared, bool each_node) {
  constexpr std::size_t kOfGroup = 4;
  constexpr std::size_t kOfNode = 5;
  const std::size_t groups = prepared.traffic.size();
  const std::size_t rounds = prepared.scenario.concurrent ? 1 : groups;
  const std::size_t nodes = each_node ? prepared.subject.topology.nodes().size() : 0;
  return static_cast<std::int64_t>(prepared.scenario.variants.size() *
                                   (groups * kOfGroup + rounds * (nodes + 1) * kOfNode));
}

}  // namespace

Outcome<std::optional<run::SeriesOptions>> series_options(const Prepared& prepared,
                                                          const Request& request) {
  if (!request.series) return std::optional<run::SeriesOptions>{};
  const Picos duration = prepared.scenario.duration;
  const Picos usual = {std::max<std::int64_t>(duration.count / kDefaultIntervals, 1)};
  const run::SeriesOptions options{.interval = request.series->interval.value_or(usual),
                                   .each_node = request.series->each_node};
  const std::int64_t values = values_of_interval(prepared, options.each_node);
  const std::int64_t most = std::max<std::int64_t>(kMaxSeriesValues / values, 1);
  const std::int64_t intervals = duration.count / options.interval.count + 1;
  if (intervals <= most) return options;
  return fail(Failure{
      Failure::Kind::Usage,
      {{.rule = "series-too-long",
        .severity = Severity::Error,
        .message = fmt::format("--series would count {} values in each of {} intervals; at most {} "
                               "are kept",
                               values, intervals, kMaxSeriesValues),
        .object = {"Scenario", "", prepared.scenario.name},
        .hint = fmt::format("intervals of {}us or more fit",
                            duration.whole_nanoseconds() / most / 1000 + 1)}}});
}

namespace {

std::optional<std::int64_t> ratio_ppm(const model::TrafficFigure& metric, std::int64_t value,
                                      std::int64_t baseline) {
  if (baseline == 0 || (value == 0 && metric.zero_is_none)) return std::nullopt;
  __extension__ using Wide = __int128;
  return static_cast<std::int64_t>(Wide{value} * 1'000'000 / baseline);
}

const std::vector<std::int64_t>* repeated(const model::TrafficResult& traffic,
                                          std::string_view metric) {
  const auto figure = std::ranges::find(traffic.repeated, metric, &model::RepeatedFigure::metric);
  return figure == traffic.repeated.end() ? nullptr : &figure->values;
}

/// The ratio in each repetition. Repetitions with the same number have the same seed.
std::vector<std::int64_t> repeated_ppm(const model::TrafficResult& traffic,
                                       const model::TrafficResult& reference,
                                       const model::TrafficFigure& metric) {
  std::vector<std::int64_t> ratios;
  const auto* values = repeated(traffic, metric.name);
  const auto* baselines = repeated(reference, metric.name);
  if (values == nullptr || baselines == nullptr) return ratios;
  for (std::size_t i = 0; i < std::min(values->size(), baselines->size()); ++i) {
    const auto ratio = ratio_ppm(metric, (*values)[i], (*baselines)[i]);
    if (!ratio) return {};
    ratios.push_back(*ratio);
  }
  return ratios;
}

}  // namespace

std::vector<model::Comparison> compare(const std::vector<model::VariantResult>& variants,
                                       const std::string& baseline) {
  std::vector<model::Comparison> rows;
  const auto base = std::ranges::find(variants, baseline, &model::VariantResult::name);
  if (base == variants.end() || base->ending != model::Ending::Complete) return rows;
  for (const model::TrafficResult& reference : base->traffic) {
    for (const model::TrafficFigure& metric : model::kTrafficFigures) {
      if (!metric.is_of(reference)) continue;
      for (const model::VariantResult& variant : variants) {
        const auto traffic =
            std::ranges::find(variant.traffic, reference.name, &model::TrafficResult::name);
        if (variant.name == baseline || traffic == variant.traffic.end()) continue;
        if (variant.ending != model::Ending::Complete) continue;
        rows.push_back(
            {.traffic = reference.name,
             .metric = std::string(metric.name),
             .variant = variant.name,
             .baseline = baseline,
             .ratio_ppm = ratio_ppm(metric, metric.value(*traffic), metric.value(reference)),
             .repeated_ppm = repeated_ppm(*traffic, reference, metric)});
      }
    }
  }
  return rows;
}

namespace {

using model::Ending;
using model::VariantStatus;
using Measured = std::optional<Parsed<run::Measurement>>;

Finding internal(const std::string& variant, std::string what) {
  return {.rule = "internal-error",
          .severity = Severity::Error,
          .message = fmt::format("variant {}: {}", variant, what),
          .hint = "this is a defect of overlane; please report it with the input"};
}

std::string time_text(Picos time) {
  const double seconds = static_cast<double>(time.count) / 1e12;
  return seconds < 1 ? fmt::format("{:.3f} ms", seconds * 1e3) : fmt::format("{:.3f} s", seconds);
}

/// Text that says where a run ended early, and why.
std::string cut_text(const Plan& plan, const run::Measurement& cut, const std::string& traffic) {
  const std::string why = cut.ending == Ending::Interrupted
                              ? "interrupted"
                              : fmt::format("ended behind {} events", cut.engine.events);
  return fmt::format("{}: {} {} into {}{}", traffic, why, time_text(cut.ended_at),
                     time_text(plan.options.duration),
                     cut.ended_at <= plan.options.warm_up ? ", before any rate was measured" : "");
}

/// The runs of one variant and their measurements.
class Gathering {
 public:
  Gathering(const Plan& plan, const Measurements& measured, std::size_t first, std::size_t end)
      : plan_(plan),
        runs_(std::span(plan.runs).subspan(first, end - first)),
        measured_(std::span(measured).subspan(first, end - first)) {}

  Result<void> into(model::VariantResult& variant) const {
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (!measured_[i]) continue;
      if (!*measured_[i]) return fail(internal(variant.name, measured_[i]->error()));
      const run::Measurement& run = **measured_[i];
      if (run.byte_path.mismatched > 0)
        return fail(internal(variant.name, "the byte path disagrees: " + run.first_mismatch));
    }
    add_repetitions(variant, used());
    const bool any_sent = std::ranges::any_of(
        variant.traffic, [](const auto& traffic) { return traffic.packets.sent > 0; });
    if (any_sent && variant.byte_path.checked == 0)
      return fail(internal(variant.name, "no packet went through the byte path"));
    say_what_is_missing(variant);
    return {};
  }

 private:
  std::size_t rounds() const { return plan_.rounds.front().size(); }
  const Measured& of(std::size_t repetition, std::size_t round) const {
    return measured_[repetition * rounds() + round];
  }
  bool is_complete(std::size_t repetition) const {
    return std::ranges::all_of(
        measured_.subspan(repetition * rounds(), rounds()),
        [](const Measured& m) { return m.has_value() && (*m)->ending == Ending::Complete; });
  }
  std::vector<std::size_t> complete() const {
    std::vector<std::size_t> repetitions;
    for (std::size_t i = 0; i < plan_.seeds.size(); ++i)
      if (is_complete(i)) repetitions.push_back(i);
    return repetitions;
  }
  /// The repetitions whose figures are used: all complete ones, or else the measured part of the
  /// first.
  std::vector<std::size_t> used() const {
    std::vector<std::size_t> repetitions = complete();
    if (repetitions.empty()) repetitions.push_back(0);
    return repetitions;
  }

  void add_repetitions(model::VariantResult& variant,
                       const std::vector<std::size_t>& repetitions) const {
    for (std::size_t round = 0; round < rounds(); ++round) {
      if (!of(repetitions.front(), round)) continue;
      const run::Measurement& first = **of(repetitions.front(), round);
      std::ranges::copy(first.limits, std::back_inserter(variant.limits));
      if (first.series) variant.series.push_back(*first.series);
      for (std::size_t group = 0; group < first.traffic.size(); ++group) {
        std::vector<model::TrafficResult> results;
        for (const std::size_t repetition : repetitions)
          results.push_back((*of(repetition, round))->traffic[group]);
        variant.traffic.push_back(pool(results));
      }
    }
    for (const std::size_t repetition : repetitions)
      add_totals(variant, repetition);
    variant.cpu_utilisation.mean_ppm /= static_cast<std::int64_t>(repetitions.size());
  }
  /// The CPU utilisation is that of the busiest round.
  void add_totals(model::VariantResult& variant, std::size_t repetition) const {
    std::int64_t mean_ppm = 0;
    for (std::size_t round = 0; round < rounds(); ++round) {
      if (!of(repetition, round)) continue;
      const run::Measurement& run = **of(repetition, round);
      variant.engine += run.engine;
      variant.byte_path += run.byte_path;
      mean_ppm = std::max(mean_ppm, run.cpu_utilisation.mean_ppm);
      auto& max_ppm = variant.cpu_utilisation.max_ppm;
      max_ppm = std::max(max_ppm, run.cpu_utilisation.max_ppm);
    }
    variant.cpu_utilisation.mean_ppm += mean_ppm;
  }

  void say_what_is_missing(model::VariantResult& variant) const {
    std::string missing;
    std::string cut;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const Ending ending = measured_[i] ? (*measured_[i])->ending : Ending::Interrupted;
      variant.ending = std::max(variant.ending, ending);
      if (runs_[i].repetition > 0 || ending == Ending::Complete) continue;
      const std::string traffic = name_of(plan_.traffic(runs_[i]));
      if (!measured_[i]) {
        missing += (missing.empty() ? "not run: " : ", ") + traffic;
      } else {
        cut += (cut.empty() ? "" : "; ") + cut_text(plan_, **measured_[i], traffic);
      }
    }
    if (variant.ending == Ending::Complete) return;
    const bool none =
        std::ranges::none_of(measured_, [](const Measured& m) { return m.has_value(); });
    variant.status = none ? VariantStatus::NotRun : VariantStatus::Partial;
    if (none) missing = "the run was interrupted before";
    if (const std::size_t done = complete().size(); done > 0) {
      cut = fmt::format("{} of {} repetitions are complete, and the figures are theirs", done,
                        plan_.seeds.size());
      missing.clear();
    }
    for (const std::string& part : {cut, missing}) {
      if (!part.empty()) variant.reason += (variant.reason.empty() ? "" : "; ") + part;
    }
  }

  const Plan& plan_;
  std::span<const PlannedRun> runs_;
  std::span<const Measured> measured_;
};

}  // namespace

Result<std::vector<model::VariantResult>> gather(const Plan& plan, const Measurements& measured) {
  std::vector<model::VariantResult> variants;
  std::size_t next = 0;
  for (std::size_t v = 0; v < plan.variants.size(); ++v) {
    const std::size_t first = next;
    while (next < plan.runs.size() && plan.runs[next].variant == v)
      ++next;
    model::VariantResult& variant = variants.emplace_back(plan.variants[v].variant);
    if (next == first) continue;  // The variant is not runnable.
    if (auto done = Gathering(plan, measured, first, next).into(variant); !done)
      return fail(std::move(done.error()));
  }
  return variants;
}

}  // namespace overlane::runner
