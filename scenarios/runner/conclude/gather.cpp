#include "scenarios/runner/conclude/gather.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "scenarios/runner/conclude/pool.h"

namespace overlane::runner {
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

/// Where a run ended early, and why.
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

  Result<void> into(model::Variant& variant) const {
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
  /// The repetitions that figures are taken from: the complete ones, or else the first as far as it
  /// ran.
  std::vector<std::size_t> used() const {
    std::vector<std::size_t> repetitions = complete();
    if (repetitions.empty()) repetitions.push_back(0);
    return repetitions;
  }

  void add_repetitions(model::Variant& variant, const std::vector<std::size_t>& repetitions) const {
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
  void add_totals(model::Variant& variant, std::size_t repetition) const {
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

  void say_what_is_missing(model::Variant& variant) const {
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

Result<std::vector<model::Variant>> gather(const Plan& plan, const Measurements& measured) {
  std::vector<model::Variant> variants;
  std::size_t next = 0;
  for (std::size_t v = 0; v < plan.variants.size(); ++v) {
    const std::size_t first = next;
    while (next < plan.runs.size() && plan.runs[next].variant == v)
      ++next;
    model::Variant& variant = variants.emplace_back(plan.variants[v].variant);
    if (next == first) continue;  // The variant is not runnable.
    if (auto done = Gathering(plan, measured, first, next).into(variant); !done)
      return fail(std::move(done.error()));
  }
  return variants;
}

}  // namespace overlane::runner
