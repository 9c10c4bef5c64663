#include "scenarios/runner/steady.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>

#include <fmt/format.h>

namespace overlane::runner {
namespace {

using model::SteadyState;

std::string milliseconds_text(Picos time) {
  return fmt::format("{:.6g}ms", static_cast<double>(time.count) / 1e9);
}

std::string percent_text(std::int64_t ppm) {
  return fmt::format("{:.1f} %", static_cast<double>(std::abs(ppm)) / 1e4);
}

bool starts_too_soon(const SteadyState& state) {
  return state.reached && std::abs(state.bias_ppm) >= model::kWorstBiasPpm;
}

/// The states of one traffic group that are worth a word.
struct Doubts {
  const SteadyState* worst = nullptr;
  std::string variant;  ///< Of that one.
  std::size_t others = 0;

  void add(const SteadyState& state, const std::string& name) {
    if (worst != nullptr) ++others;
    const bool first = worst == nullptr || (worst->reached && !state.reached);
    const auto weight = [](const SteadyState& s) {
      return std::abs(s.reached ? s.bias_ppm : s.drift_ppm);
    };
    if (!first && (worst->reached != state.reached || weight(*worst) >= weight(state))) return;
    worst = &state;
    variant = name;
  }
  std::string where() const {
    if (others == 0) return variant;
    return fmt::format("{}, and {} more variant{}", variant, others, others == 1 ? "" : "s");
  }
};

Finding not_steady(const spec::Scenario& scenario, const std::string& traffic,
                   const Doubts& doubts) {
  const std::int64_t drift = doubts.worst->drift_ppm;
  return {.rule = "not-steady",
          .severity = Severity::Warning,
          .message = fmt::format("{}: goodput still {} by {} while it was measured ({})", traffic,
                                 drift > 0 ? "grew" : "fell", percent_text(drift), doubts.where()),
          .object = {"Scenario", "", scenario.name},
          .path = "spec.duration",
          .place = scenario.place,
          .hint = "over a longer duration it may settle; --series shows how it goes"};
}

Finding warm_up_too_short(const spec::Scenario& scenario, const std::string& traffic,
                          const Doubts& doubts) {
  const std::int64_t bias = doubts.worst->bias_ppm;
  return {
      .rule = "warmup-too-short",
      .severity = Severity::Warning,
      .message = fmt::format("{}: goodput had not settled when the warm-up ended, which makes "
                             "it {} {} than it is from {} on ({})",
                             traffic, percent_text(bias), bias > 0 ? "more" : "less",
                             milliseconds_text(doubts.worst->from), doubts.where()),
      .object = {"Scenario", "", scenario.name},
      .path = "spec.warmup",
      .place = scenario.place,
      .hint = fmt::format("warmup: {} would have sufficed", milliseconds_text(doubts.worst->from))};
}

}  // namespace

Findings unsteady(const spec::Scenario& scenario, const std::vector<model::Variant>& variants) {
  std::map<std::string, Doubts> doubts;
  for (const model::Variant& variant : variants) {
    for (const model::TrafficResult& traffic : variant.traffic) {
      const auto& state = traffic.steady_state;
      if (state && (!state->reached || starts_too_soon(*state)))
        doubts[traffic.name].add(*state, variant.name);
    }
  }
  Findings findings;
  for (const spec::Traffic& traffic : scenario.traffic) {
    const auto found = doubts.find(traffic.name);
    if (found == doubts.end()) continue;
    findings.push_back(found->second.worst->reached
                           ? warm_up_too_short(scenario, traffic.name, found->second)
                           : not_steady(scenario, traffic.name, found->second));
  }
  return findings;
}

Picos found_warm_up(const Plan& plan, const Measurements& pilot) {
  Picos found = plan.options.warm_up;
  for (const auto& measured : pilot) {
    if (!measured || !*measured) continue;
    for (const model::TrafficResult& traffic : (*measured)->traffic) {
      if (traffic.steady_state && traffic.steady_state->reached)
        found = std::max(found, traffic.steady_state->from);
    }
  }
  return found;
}

}  // namespace overlane::runner
