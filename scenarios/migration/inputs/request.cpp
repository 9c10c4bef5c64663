#include "scenarios/migration/inputs/request.h"

#include <algorithm>

#include <fmt/format.h>

#include "scenarios/runner/load/given_files.h"
#include "scenarios/spec/optional_fields.h"
#include "scenarios/spec/scenario.h"
#include "topologies/document/fields/fields.h"
#include "topologies/document/read/read.h"

namespace overlane::migration {

namespace {

/// Refuses an input. If `place` names no file, the error is on the command line.
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

/// "did you mean rollback? " if `word` is similar to an item; otherwise empty.
template <typename Items, typename Name>
std::string meant(std::string_view word, const Items& items, Name name) {
  std::vector<std::string_view> known;
  for (const auto& item : items)
    known.push_back(name(item));
  return document::correction(word, known);
}

bool is_file_name(const std::string& text) {
  return text.find('/') != std::string::npos || text.ends_with(".yaml") || text.ends_with(".json");
}

runner::Outcome<Strategy> strategy_named(const std::string& text, const std::string& file,
                                         const SourceLocation& place) {
  if (const Strategy* built_in = find_strategy(text)) return *built_in;
  if (!is_file_name(text)) {
    const auto name = [](const Strategy& one) -> const std::string& { return one.name; };
    return refuse("unknown-strategy", fmt::format("there is no strategy \"{}\"", text), place,
                  fmt::format("{}The strategies are {}, or a MigrationStrategy file",
                              meant(text, strategies(), name), names_of(strategies(), name)));
  }
  const auto tree = document::read_one(spec::relative_to(file, text));
  if (!tree) return runner::unusable(tree.error());
  auto decoded = spec::decode_migration_strategy(*tree);
  if (!decoded) return runner::unusable(std::move(decoded.error()));
  return strategy_of(*decoded);
}

runner::Outcome<bool> read_timing(const std::vector<spec::Migration::Duration>& given,
                                  ResolvedRequest& resolved) {
  for (const auto& [parameter, value] : given) {
    const auto facts = timing_facts();
    const auto fact = std::ranges::find(facts, parameter.text, &TimingFact::name);
    if (fact == facts.end())
      return refuse("unknown-parameter", fmt::format("there is no duration \"{}\"", parameter.text),
                    parameter.place,
                    names_of(facts, [](const TimingFact& one) { return one.name; }));
    resolved.timing.*fact->value = value;
    resolved.answers.durations.insert(fact->name);
  }
  return true;
}

bool set_beyond_subnet(std::string_view value, Answers& answers) {
  for (const BeyondSubnet one : {BeyondSubnet::Gateway, BeyondSubnet::Unreachable})
    if (value == to_string(one)) answers.beyond_subnet = one;
  return answers.beyond_subnet.has_value();
}

template <std::optional<bool> Answers::*kMember>
bool set_answer(std::string_view value, Answers& answers) {
  if (value != "true" && value != "false") return false;
  answers.*kMember = value == "true";
  return true;
}

/// A fact that no document gives. Without an answer, the verdict names it as a condition.
struct AnswerFact {
  std::string_view key;
  std::string_view value;
  std::string_view meaning;
  /// Returns false if `value` is not allowed.
  bool (*set)(std::string_view value, Answers& answers) = nullptr;
};

constexpr AnswerFact kAnswers[] = {
    {"bird.route-beyond-subnet", "gateway|unreachable",
     "Where BIRD's route to a node of another subnet leads while no tunnel exists",
     &set_beyond_subnet},
    {"fabric.passes-tunnel", "true|false",
     "Whether the network between the nodes passes the tunnel's packets",
     &set_answer<&Answers::passes_tunnel>},
    {"fabric.writes-routes", "true|false",
     "Whether a controller of the provider writes the routes to the nodes' pod ranges",
     &set_answer<&Answers::writes_routes>},
};

/// Applies "aws.call=500ms" or "bird.route-beyond-subnet=gateway".
runner::Outcome<bool> apply_setting(const std::string& setting, ResolvedRequest& resolved) {
  const std::size_t equals = setting.find('=');
  const std::string_view name = std::string_view(setting).substr(0, equals);
  const std::string_view value =
      equals == std::string::npos ? "" : std::string_view(setting).substr(equals + 1);
  const auto bad_value = [&](std::string hint) {
    return refuse("bad-setting", fmt::format("migration.{} is \"{}\"", name, value), {},
                  std::move(hint));
  };
  if (const auto* answer = std::ranges::find(kAnswers, name, &AnswerFact::key);
      answer != std::ranges::end(kAnswers)) {
    if (answer->set(value, resolved.answers)) return true;
    return bad_value(fmt::format("the values are {}", answer->value));
  }
  const auto facts = timing_facts();
  const auto fact = std::ranges::find(facts, name, &TimingFact::name);
  if (fact == facts.end())
    return refuse(
        "unknown-parameter", fmt::format("there is no setting migration.{}", name), {},
        names_of(migration_settings(), [](const MigrationSetting& one) { return one.key; }));
  const auto duration = spec::parse_duration(value, spec::kMaxSwitchDuration);
  if (!duration) return bad_value(duration.error());
  resolved.timing.*fact->value = *duration;
  resolved.answers.durations.insert(fact->name);
  return true;
}

runner::Outcome<std::optional<Disturbance>> disturbance_of(const std::string& text,
                                                           const SourceLocation& place) {
  if (text.empty()) return std::optional<Disturbance>();
  const auto parsed = parse_disturbance(text);
  if (!parsed) {
    const std::string_view word = std::string_view(text).substr(0, text.find('@'));
    const auto name = [](const auto& one) { return one.first; };
    const bool is_known = std::ranges::count(kDisturbances, word, name) != 0;
    return refuse("unknown-disturbance", parsed.error(), place,
                  fmt::format("{}The disturbances are {}, each with a time: rollback@120s",
                              is_known ? "" : meant(word, kDisturbances, name),
                              names_of(kDisturbances, name)));
  }
  return std::optional(*parsed);
}

/// Reads the Scenario and adopts its values.
runner::Outcome<bool> read_scenario(const document::Tree& tree, ResolvedRequest& resolved) {
  auto scenario = spec::decode_scenario(tree);
  if (!scenario) return runner::unusable(std::move(scenario.error()));
  resolved.scenario = *std::move(scenario);
  if (!resolved.scenario.migration)
    return refuse("no-migration", "the scenario has no spec.migration", resolved.scenario.place,
                  "overlane run runs it");
  const spec::Migration& migration = *resolved.scenario.migration;
  const auto target =
      std::ranges::find(kTargets, migration.to.text, &std::pair<std::string_view, Target>::first);
  if (target == kTargets.end())
    return refuse("unknown-target", fmt::format("there is no mode \"{}\"", migration.to.text),
                  migration.to.place,
                  names_of(kTargets, [](const auto& one) { return one.first; }));
  resolved.to = target->second;
  for (const auto& [text, place] : migration.strategies) {
    auto strategy = strategy_named(text, resolved.scenario.file, place);
    if (!strategy) return fail(std::move(strategy.error()));
    resolved.strategies.push_back(*std::move(strategy));
  }
  if (const auto read = read_timing(migration.timing, resolved); !read) return fail(read.error());
  auto disturbance = disturbance_of(migration.disturb.text, migration.disturb.place);
  if (!disturbance) return fail(std::move(disturbance.error()));
  resolved.disturbance = *disturbance;
  resolved.runs = migration.runs;
  resolved.max_outage = migration.max_outage;
  if (resolved.scenario.topology) return true;
  auto manifests =
      runner::read_named_manifests(resolved.scenario.file, resolved.scenario.manifests);
  if (!manifests) return fail(std::move(manifests.error()));
  resolved.manifests = *std::move(manifests);
  return true;
}

}  // namespace

std::string_view to_string(Target target) {
  return std::ranges::find(kTargets, target, &std::pair<std::string_view, Target>::second)->first;
}

std::vector<MigrationSetting> migration_settings() {
  std::vector<MigrationSetting> settings;
  for (const AnswerFact& fact : kAnswers)
    settings.push_back(
        {std::string(fact.key), std::string(fact.value), "unknown", std::string(fact.meaning)});
  for (const TimingFact& fact : timing_facts())
    settings.push_back({std::string(fact.name),
                        fmt::format("{} to {}", setting_text(fact.min), setting_text(fact.max)),
                        setting_text(Timing{}.*fact.value), std::string(fact.meaning)});
  return settings;
}

runner::Outcome<ResolvedRequest> read_request(const LoadRequest& request) {
  ResolvedRequest resolved;
  auto given = runner::read_given(request.paths);
  if (!given) return fail(std::move(given.error()));
  if (given->scenario) {
    if (const auto read = read_scenario(given->scenario->tree, resolved); !read)
      return fail(read.error());
  } else {
    if (given->manifests) {
      resolved.manifests = std::move(given->manifests);
    } else {
      auto manifests = runner::read_manifests(request.paths);
      if (!manifests) return fail(std::move(manifests.error()));
      resolved.manifests = *std::move(manifests);
    }
  }
  if (request.to) resolved.to = request.to;
  resolved.runs = request.runs.value_or(resolved.runs);
  resolved.max_outage = request.max_outage.value_or(resolved.max_outage);
  if (!request.disturb.empty()) {
    auto disturbance = disturbance_of(request.disturb, {});
    if (!disturbance) return fail(std::move(disturbance.error()));
    resolved.disturbance = *disturbance;
  }
  for (const std::string& setting : request.settings)
    if (const auto applied = apply_setting(setting, resolved); !applied)
      return fail(applied.error());
  if (!request.strategies.empty()) resolved.strategies.clear();
  for (const std::string& text : request.strategies) {
    auto strategy = strategy_named(text, "", {});
    if (!strategy) return fail(std::move(strategy.error()));
    resolved.strategies.push_back(*std::move(strategy));
  }
  return resolved;
}

}  // namespace overlane::migration
