#include "tools/overlane/verbs/kernel_comparison.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace overlane::command {

namespace {

using nlohmann::ordered_json;

std::string trip_text(const TestbedVariant& variant, const testbed::TripOutcome& verdict) {
  return fmt::format("{} to {}, {} bytes", variant.nodes[verdict.trip.from_node],
                     variant.nodes[verdict.trip.to_node], verdict.trip.bytes);
}

std::size_t count(const TestbedVariant& variant, bool testbed::TripOutcome::*side) {
  return static_cast<std::size_t>(std::ranges::count(variant.reach.verdicts, true, side));
}

/// Features of the fabric that the kernel's fabrics omit, by variant.
std::string left_out_text(const std::vector<TestbedVariant>& report) {
  std::map<std::string, std::vector<std::string>> variants;
  for (const TestbedVariant& variant : report) {
    for (const std::string& what : variant.reach.left_out)
      variants[what].push_back(variant.name);
  }
  std::string text;
  for (const auto& [what, names] : variants) {
    text += fmt::format("left out by the kernel's fabric and the core: {} ({})\n", what,
                        fmt::join(names, ", "));
  }
  return text;
}

std::string differences_text(const TestbedVariant& variant) {
  std::string text;
  for (const testbed::TripOutcome& verdict : variant.reach.verdicts) {
    if (verdict.kernel == verdict.core) continue;
    text += fmt::format("{}: {}: the kernel {}, the core {}; {}\n", variant.name,
                        trip_text(variant, verdict), verdict.kernel ? "delivers" : "does not",
                        verdict.core ? "delivers" : "does not", verdict.ended);
  }
  return text;
}

ordered_json encode(const TestbedVariant& variant) {
  ordered_json trips = ordered_json::array();
  for (const testbed::TripOutcome& verdict : variant.reach.verdicts) {
    trips.push_back({{"from", variant.nodes[verdict.trip.from_node]},
                     {"to", variant.nodes[verdict.trip.to_node]},
                     {"bytes", verdict.trip.bytes},
                     {"kernel", verdict.kernel},
                     {"core", verdict.core},
                     {"ended", verdict.ended}});
  }
  return {{"name", variant.name},
          {"place", variant.place ? ordered_json(to_string(*variant.place)) : ordered_json()},
          {"reason", variant.reason},
          {"kernel", variant.reach.kernel},
          {"left_out", variant.reach.left_out},
          {"trips", std::move(trips)}};
}

}  // namespace

bool any_difference(const std::vector<TestbedVariant>& report) {
  return std::ranges::any_of(report, [](const TestbedVariant& variant) {
    return std::ranges::any_of(variant.reach.verdicts, [](const testbed::TripOutcome& verdict) {
      return verdict.kernel != verdict.core;
    });
  });
}

ordered_json encode(const std::vector<TestbedVariant>& report) {
  ordered_json variants = ordered_json::array();
  for (const TestbedVariant& variant : report)
    variants.push_back(encode(variant));
  return {{"schema_version", 1}, {"kind", "TestbedReport"}, {"variants", std::move(variants)}};
}

ordered_json encode(const std::vector<ProbedPlace>& probed) {
  ordered_json places = ordered_json::array();
  for (const ProbedPlace& place : probed) {
    ordered_json abilities = ordered_json::object();
    if (place.answer) {
      for (const kernel::Ability& ability : place.answer->abilities)
        abilities[ability.name] = ability.missing.empty() ? "ok" : ability.missing;
    }
    places.push_back({{"place", to_string(place.place)},
                      {"kernel", place.answer ? place.answer->kernel : ""},
                      {"reason", place.answer ? "" : place.answer.error()},
                      {"abilities", std::move(abilities)}});
  }
  return {{"schema_version", 1}, {"kind", "TestbedProbe"}, {"places", std::move(places)}};
}

std::string print(const std::vector<TestbedVariant>& report, report::Style style) {
  std::vector<std::string> names;
  for (const TestbedVariant& variant : report)
    names.push_back(variant.name);
  report::ColumnTable table(names);
  const auto row = [&](const std::string& label, auto cell) {
    std::vector<std::string> cells;
    for (const TestbedVariant& variant : report)
      cells.push_back(variant.place ? cell(variant) : "");
    table.row(label, std::move(cells));
  };
  using V = const TestbedVariant&;
  row("place", [](V variant) { return std::string(to_string(*variant.place)); });
  row("kernel", [](V variant) { return variant.reach.kernel; });
  row("packets", [](V variant) { return std::to_string(variant.reach.verdicts.size()); });
  row("delivered by the kernel",
      [](V variant) { return std::to_string(count(variant, &testbed::TripOutcome::kernel)); });
  row("delivered by the core",
      [](V variant) { return std::to_string(count(variant, &testbed::TripOutcome::core)); });
  std::string text = table.to_string(style);
  for (const TestbedVariant& variant : report) {
    if (!variant.place) text += fmt::format("{}: not run: {}\n", variant.name, variant.reason);
    text += differences_text(variant);
  }
  return text + left_out_text(report);
}

std::string print(const std::vector<ProbedPlace>& probed, report::Style style) {
  std::vector<std::string> names;
  std::vector<std::string> abilities;
  for (const ProbedPlace& place : probed) {
    names.emplace_back(to_string(place.place));
    if (!place.answer || !abilities.empty()) continue;
    for (const kernel::Ability& ability : place.answer->abilities)
      abilities.push_back(ability.name);
  }
  report::ColumnTable table(names);
  std::vector<std::string> kernels;
  for (const ProbedPlace& place : probed)
    kernels.push_back(place.answer ? place.answer->kernel : "");
  table.row("kernel", std::move(kernels));
  for (std::size_t i = 0; i < abilities.size(); ++i) {
    std::vector<std::string> cells;
    for (const ProbedPlace& place : probed) {
      const bool there = place.answer && place.answer->abilities[i].missing.empty();
      cells.push_back(there ? "yes" : place.answer ? "no" : "");
    }
    table.row(abilities[i], std::move(cells));
  }
  std::string text = table.to_string(style);
  for (const ProbedPlace& place : probed) {
    if (!place.answer)
      text += fmt::format("{}: {}\n", to_string(place.place), place.answer.error());
  }
  return text;
}

namespace {

/// Sizes of test packets: a small packet shows whether there is a path, a full one whether it fits
/// the MTUs.
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
