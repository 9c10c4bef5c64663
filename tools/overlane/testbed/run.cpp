#include "tools/overlane/testbed/run.h"

#include <algorithm>

#include <fmt/format.h>

namespace overlane::command {
namespace {

/// A small packet shows whether there is a path, a full one whether the MTUs fit.
constexpr std::uint16_t kSmallPacket = 64;

/// The first needed ability that a place lacks; empty if it has all.
std::string first_missing(const kernel::Answer& answer, const std::vector<std::string>& needed) {
  for (const std::string& name : needed) {
    const auto at = std::ranges::find(answer.abilities, name, &kernel::Ability::name);
    if (at == answer.abilities.end() || !at->missing.empty()) return name;
  }
  return "";
}

/// Runs a variant in the first place that has its devices, if there is one.
Parsed<TestbedVariant> run_variant(const CompiledVariant& variant,
                                   const std::vector<ProbedPlace>& places, Fabric fabric,
                                   const kernel::InnerCommand& inner) {
  TestbedVariant made{.name = variant.name, .reason = variant.reason};
  if (!variant.states) return made;
  if (fabric == Fabric::Kernel) made.reason = testbed::obstacle(*variant.states);
  if (!made.reason.empty()) return made;
  const auto reach = fabric == Fabric::Kernel ? testbed::reach_through_kernels : testbed::reach;
  for (const node::NodeState& state : variant.states->nodes)
    made.nodes.push_back(state.member().name);
  const auto needed = testbed::needed_abilities(*variant.states);
  for (const ProbedPlace& place : places) {
    const std::string missing = first_missing(*place.answer, needed);
    if (!missing.empty()) {
      made.reason += fmt::format("{}no {} in {}", made.reason.empty() ? "" : ", ", missing,
                                 to_string(place.place));
      continue;
    }
    const auto trips = testbed::all_trips(*variant.states, {kSmallPacket, variant.pod_mtu});
    auto reached = reach(*variant.states, trips, place.place, inner);
    if (!reached) return fail(fmt::format("variant {}: {}", variant.name, reached.error()));
    made.place = place.place;
    made.reason.clear();
    made.reach = *std::move(reached);
    break;
  }
  return made;
}

}  // namespace

std::string commands_text(const std::vector<CompiledVariant>& variants, const std::string& node) {
  std::string text;
  for (const CompiledVariant& variant : variants) {
    if (!variant.states) continue;
    for (const node::NodeState& state : variant.states->nodes) {
      const std::string& name = state.member().name;
      if (!node.empty() && node != name) continue;
      text += fmt::format("# {}, {}\n{}", variant.name, name,
                          to_string(kernel::set_up(state).commands));
    }
  }
  return text;
}

Parsed<std::vector<TestbedVariant>> run_testbed(const std::vector<CompiledVariant>& variants,
                                                const std::vector<kernel::Place>& places,
                                                Fabric fabric, const kernel::InnerCommand& inner) {
  std::vector<ProbedPlace> there;
  std::string refused;
  for (const kernel::Place place : places) {
    auto answer = kernel::ask(place, {.probe = true}, inner);
    if (!answer) refused += fmt::format("{}{}", refused.empty() ? "" : "; ", answer.error());
    if (answer) there.push_back({place, std::move(answer)});
  }
  if (there.empty()) return fail(refused);
  std::vector<TestbedVariant> report;
  for (const CompiledVariant& variant : variants) {
    auto made = run_variant(variant, there, fabric, inner);
    if (!made) return fail(made.error());
    report.push_back(*std::move(made));
  }
  return report;
}

}  // namespace overlane::command
