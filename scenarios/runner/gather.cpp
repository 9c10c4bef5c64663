#include "scenarios/runner/gather.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

namespace overlane::runner {
namespace {

using model::Ending;
using model::VariantStatus;
using Measured = std::optional<Parsed<run::Measurement>>;

void add(model::Variant& variant, const run::Measurement& measured) {
  std::ranges::copy(measured.traffic, std::back_inserter(variant.traffic));
  std::ranges::copy(measured.limits, std::back_inserter(variant.limits));
  variant.engine.events += measured.engine.events;
  variant.engine.packet_hops += measured.engine.packet_hops;
  variant.engine.setup_seconds += measured.engine.setup_seconds;
  variant.engine.loop_seconds += measured.engine.loop_seconds;
  variant.byte_path.checked += measured.byte_path.checked;
  variant.byte_path.mismatched += measured.byte_path.mismatched;
  auto& busy = variant.cpu_utilisation;
  busy.mean_ppm = std::max(busy.mean_ppm, measured.cpu_utilisation.mean_ppm);
  busy.max_ppm = std::max(busy.max_ppm, measured.cpu_utilisation.max_ppm);
}

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

/// Where a run ended that did not last as long as it should.
std::string cut_text(const Plan& plan, const run::Measurement& cut, const std::string& traffic) {
  const std::string why = cut.ending == Ending::Interrupted
                              ? "interrupted"
                              : fmt::format("ended behind {} events", cut.engine.events);
  return fmt::format("{}: {} {} into {}{}", traffic, why, time_text(cut.ended_at),
                     time_text(plan.options.duration),
                     cut.ended_at <= plan.options.warm_up ? ", before any rate was measured" : "");
}

/// The runs of one variant, and what they measured.
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
      add(variant, run);
    }
    const bool any_sent = std::ranges::any_of(
        variant.traffic, [](const auto& traffic) { return traffic.packets.sent > 0; });
    if (any_sent && variant.byte_path.checked == 0)
      return fail(internal(variant.name, "no packet went through the byte path"));
    say_what_is_missing(variant);
    return {};
  }

 private:
  void say_what_is_missing(model::Variant& variant) const {
    std::string cut;
    std::string missing;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const std::string traffic = name_of(plan_.rounds[runs_[i].round]);
      if (!measured_[i]) {
        variant.ending = Ending::Interrupted;
        missing += (missing.empty() ? "" : ", ") + traffic;
      } else if ((*measured_[i])->ending != Ending::Complete) {
        variant.ending = std::max(variant.ending, (*measured_[i])->ending);
        cut += (cut.empty() ? "" : "; ") + cut_text(plan_, **measured_[i], traffic);
      }
    }
    if (cut.empty() && missing.empty()) return;
    const bool none =
        std::ranges::none_of(measured_, [](const Measured& m) { return m.has_value(); });
    variant.status = none ? VariantStatus::NotRun : VariantStatus::Partial;
    if (none) {
      missing = "the run was interrupted before";
    } else if (!missing.empty()) {
      missing = "not run: " + missing;
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
    if (next == first) continue;  // It cannot be run.
    if (auto done = Gathering(plan, measured, first, next).into(variant); !done)
      return fail(std::move(done.error()));
  }
  return variants;
}

}  // namespace overlane::runner
