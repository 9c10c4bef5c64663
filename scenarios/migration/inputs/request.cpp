#include "scenarios/migration/inputs/request.h"

#include <algorithm>

#include <fmt/format.h>

#include "scenarios/runner/load/given_files.h"
#include "scenarios/spec/quantity.h"
#include "scenarios/spec/scenario.h"
#include "topologies/document/read/read.h"

namespace overlane::migration {

namespace {

/// Refuses an input. Without a place in a file the fault is on the command line.
tl::unexpected<runner::Failure> refuse(std::string rule, std::string message,
                                       const SourceLocation& place, std::string hint) {
  using Kind = runner::Failure::Kind;
  return fail(runner::Failure{place.file.empty() ? Kind::Usage : Kind::Input,
                              {Finding{.rule = std::move(rule),
                                       .severity = Severity::Error,
                                       .message = std::move(message),
                                       .place = place,
                                       .hint = std::move(hint)}}});
}

/// "today, seamless …".
template <typename Items, typename Name>
std::string names_of(const Items& items, Name name) {
  std::string text;
  for (const auto& item : items)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", name(item));
  return text;
}

bool is_file_name(const std::string& text) {
  return text.find('/') != std::string::npos || text.ends_with(".yaml") || text.ends_with(".json");
}

runner::Outcome<Strategy> strategy_named(const std::string& text, const std::string& file,
                                         const SourceLocation& place) {
  if (const Strategy* built_in = find_strategy(text)) return *built_in;
  if (!is_file_name(text))
    return refuse("unknown-strategy", fmt::format("there is no strategy \"{}\"", text), place,
                  names_of(strategies(), [](const Strategy& one) { return one.name; }) +
                      ", or a MigrationStrategy file");
  const auto tree = document::read_one(spec::relative_to(file, text));
  if (!tree) return runner::unusable(tree.error());
  auto decoded = spec::decode_migration_strategy(*tree);
  if (!decoded) return runner::unusable(std::move(decoded.error()));
  return strategy_of(*decoded);
}

runner::Outcome<bool> read_timing(const std::vector<spec::Migration::Duration>& given,
                                  Asked& asked) {
  for (const auto& [parameter, value] : given) {
    const auto facts = timing_facts();
    const auto fact = std::ranges::find(facts, parameter.text, &TimingFact::name);
    if (fact == facts.end())
      return refuse("unknown-parameter", fmt::format("there is no duration \"{}\"", parameter.text),
                    parameter.place,
                    names_of(facts, [](const TimingFact& one) { return one.name; }));
    asked.timing.*fact->value = value;
    asked.answers.durations.insert(fact->name);
  }
  return true;
}

/// Applies "aws.call=500ms" or "bird.route-beyond-subnet=gateway".
runner::Outcome<bool> apply_setting(const std::string& setting, Asked& asked) {
  const std::size_t equals = setting.find('=');
  const std::string_view name = std::string_view(setting).substr(0, equals);
  const std::string_view value =
      equals == std::string::npos ? "" : std::string_view(setting).substr(equals + 1);
  const auto bad_value = [&](std::string hint) {
    return refuse("bad-setting", fmt::format("migration.{} is \"{}\"", name, value), {},
                  std::move(hint));
  };
  if (name == "bird.route-beyond-subnet") {
    for (const BeyondSubnet one : {BeyondSubnet::Gateway, BeyondSubnet::Unreachable})
      if (value == to_string(one)) asked.answers.beyond_subnet = one;
    if (asked.answers.beyond_subnet) return true;
    return bad_value("gateway or unreachable");
  }
  for (const auto& [answer, given] : {std::pair("fabric.passes-tunnel", &Answers::passes_tunnel),
                                      std::pair("fabric.writes-routes", &Answers::writes_routes)})
    if (name == answer) {
      if (value != "true" && value != "false") return bad_value("true or false");
      asked.answers.*given = value == "true";
      return true;
    }
  const auto facts = timing_facts();
  const auto fact = std::ranges::find(facts, name, &TimingFact::name);
  if (fact == facts.end())
    return refuse("unknown-parameter", fmt::format("there is no setting migration.{}", name), {},
                  "bird.route-beyond-subnet, fabric.passes-tunnel, fabric.writes-routes, " +
                      names_of(facts, [](const TimingFact& one) { return one.name; }));
  const auto duration = spec::parse_duration(value, spec::kMaxSwitchDuration);
  if (!duration) return bad_value(duration.error());
  asked.timing.*fact->value = *duration;
  asked.answers.durations.insert(fact->name);
  return true;
}

runner::Outcome<std::optional<Disturbance>> disturbance_of(const std::string& text,
                                                           const SourceLocation& place) {
  if (text.empty()) return std::optional<Disturbance>();
  const auto parsed = parse_disturbance(text);
  if (!parsed)
    return refuse(
        "unknown-disturbance", parsed.error(), place,
        names_of(kDisturbances, [](const auto& one) { return fmt::format("{}@120s", one.first); }));
  return std::optional(*parsed);
}

/// Takes over what the Scenario says.
runner::Outcome<bool> read_scenario(const document::Tree& tree, Asked& asked) {
  auto scenario = spec::decode_scenario(tree);
  if (!scenario) return runner::unusable(std::move(scenario.error()));
  asked.scenario = *std::move(scenario);
  if (!asked.scenario.migration)
    return refuse("no-migration", "the scenario has no spec.migration", asked.scenario.place,
                  "overlane run runs it");
  const spec::Migration& migration = *asked.scenario.migration;
  const auto target =
      std::ranges::find(kTargets, migration.to.text, &std::pair<std::string_view, Target>::first);
  if (target == kTargets.end())
    return refuse("unknown-target", fmt::format("there is no mode \"{}\"", migration.to.text),
                  migration.to.place,
                  names_of(kTargets, [](const auto& one) { return one.first; }));
  asked.to = target->second;
  for (const auto& [text, place] : migration.strategies) {
    auto strategy = strategy_named(text, asked.scenario.file, place);
    if (!strategy) return fail(std::move(strategy.error()));
    asked.strategies.push_back(*std::move(strategy));
  }
  if (const auto read = read_timing(migration.timing, asked); !read) return fail(read.error());
  auto disturbance = disturbance_of(migration.disturb.text, migration.disturb.place);
  if (!disturbance) return fail(std::move(disturbance.error()));
  asked.disturbance = *disturbance;
  asked.runs = migration.runs;
  asked.max_outage = migration.max_outage;
  if (asked.scenario.topology) return true;
  auto manifests = runner::read_named_manifests(asked.scenario.file, asked.scenario.manifests);
  if (!manifests) return fail(std::move(manifests.error()));
  asked.manifests = *std::move(manifests);
  return true;
}

}  // namespace

std::string_view to_string(Target target) {
  return std::ranges::find(kTargets, target, &std::pair<std::string_view, Target>::second)->first;
}

runner::Outcome<Asked> read_request(const LoadRequest& request) {
  Asked asked;
  auto given = runner::read_given(request.paths);
  if (!given) return fail(std::move(given.error()));
  if (given->scenario) {
    if (const auto read = read_scenario(given->scenario->tree, asked); !read)
      return fail(read.error());
  } else {
    if (!request.to) return refuse("no-target", "nothing says what to switch to", {}, "give --to");
    if (given->manifests) {
      asked.manifests = std::move(given->manifests);
    } else {
      auto manifests = runner::read_manifests(request.paths);
      if (!manifests) return fail(std::move(manifests.error()));
      asked.manifests = *std::move(manifests);
    }
  }
  asked.to = request.to.value_or(asked.to);
  asked.runs = request.runs.value_or(asked.runs);
  asked.max_outage = request.max_outage.value_or(asked.max_outage);
  if (!request.disturb.empty()) {
    auto disturbance = disturbance_of(request.disturb, {});
    if (!disturbance) return fail(std::move(disturbance.error()));
    asked.disturbance = *disturbance;
  }
  for (const std::string& setting : request.settings)
    if (const auto applied = apply_setting(setting, asked); !applied) return fail(applied.error());
  if (!request.strategies.empty()) asked.strategies.clear();
  for (const std::string& text : request.strategies) {
    auto strategy = strategy_named(text, "", {});
    if (!strategy) return fail(std::move(strategy.error()));
    asked.strategies.push_back(*std::move(strategy));
  }
  return asked;
}

}  // namespace overlane::migration
