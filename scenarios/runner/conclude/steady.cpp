#include "scenarios/runner/conclude/steady.h"

#include <algorithm>
#include <array>
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

/// A figure of a traffic group whose steadiness is evaluated.
struct SteadyFigure {
  std::string_view name;
  std::optional<SteadyState> model::TrafficResult::*state;
};
constexpr std::array kFigures = {
    SteadyFigure{"goodput", &model::TrafficResult::steady_state},
    SteadyFigure{"latency", &model::TrafficResult::latency_steady_state}};

/// The unsteady variants of one figure of a traffic group.
struct UnsteadyVariants {
  const SteadyState* worst = nullptr;
  std::string variant;  ///< The variant of `worst`.
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

Finding not_steady(const spec::Scenario& scenario, const std::string& figure,
                   const UnsteadyVariants& unsteady) {
  const std::int64_t drift = unsteady.worst->drift_ppm;
  return {
      .rule = "not-steady",
      .severity = Severity::Warning,
      .message = fmt::format("{} still {} by {} while it was measured ({})", figure,
                             drift > 0 ? "grew" : "fell", percent_text(drift), unsteady.where()),
      .object = {"Scenario", "", scenario.name},
      .path = "spec.duration",
      .place = scenario.place,
      .hint = "over a longer duration it may settle; --series shows how it goes"};
}

Finding warm_up_too_short(const spec::Scenario& scenario, const std::string& figure,
                          const UnsteadyVariants& unsteady) {
  const std::int64_t bias = unsteady.worst->bias_ppm;
  return {.rule = "warmup-too-short",
          .severity = Severity::Warning,
          .message = fmt::format("{} had not settled when the warm-up ended, which makes "
                                 "it {} {} than it is from {} on ({})",
                                 figure, percent_text(bias), bias > 0 ? "more" : "less",
                                 milliseconds_text(unsteady.worst->from), unsteady.where()),
          .object = {"Scenario", "", scenario.name},
          .path = "spec.warmup",
          .place = scenario.place,
          .hint = fmt::format("warmup: {} would have sufficed",
                              milliseconds_text(unsteady.worst->from))};
}

}  // namespace

Findings unsteady(const spec::Scenario& scenario,
                  const std::vector<model::VariantResult>& variants) {
  std::map<std::string, UnsteadyVariants> unsteady;  // By traffic and figure, as in findings.
  const auto name_of = [](const std::string& traffic, const SteadyFigure& figure) {
    return fmt::format("{}: {}", traffic, figure.name);
  };
  for (const model::VariantResult& variant : variants) {
    for (const model::TrafficResult& traffic : variant.traffic) {
      for (const SteadyFigure& figure : kFigures) {
        const auto& state = traffic.*figure.state;
        if (state && (!state->reached || starts_too_soon(*state)))
          unsteady[name_of(traffic.name, figure)].add(*state, variant.name);
      }
    }
  }
  Findings findings;
  for (const spec::Traffic& traffic : scenario.traffic) {
    for (const SteadyFigure& figure : kFigures) {
      const auto found = unsteady.find(name_of(traffic.name, figure));
      if (found == unsteady.end()) continue;
      findings.push_back(found->second.worst->reached
                             ? warm_up_too_short(scenario, found->first, found->second)
                             : not_steady(scenario, found->first, found->second));
    }
  }
  return findings;
}

Picos found_warm_up(const Plan& plan, const Measurements& pilot) {
  Picos found = plan.options.warm_up;
  for (const auto& measured : pilot) {
    if (!measured || !*measured) continue;
    for (const model::TrafficResult& traffic : (*measured)->traffic) {
      for (const SteadyFigure& figure : kFigures) {
        const auto& state = traffic.*figure.state;
        if (state && state->reached) found = std::max(found, state->from);
      }
    }
  }
  return found;
}

}  // namespace overlane::runner
