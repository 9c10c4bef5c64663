#include "scenarios/spec/migration.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "scenarios/spec/optional_fields.h"
#include "topologies/document/fields/fields.h"

namespace overlane::spec {
namespace {

using document::FieldKey;
using document::Fields;
using document::Value;

constexpr std::uint32_t kMaxUnavailable = 5000;

constexpr std::array kActions = {
    Word<StrategyAction>{"protect-node-conditions", StrategyAction::ProtectNodeConditions},
    Word<StrategyAction>{"create-routes", StrategyAction::CreateRoutes},
    Word<StrategyAction>{"change-shoot", StrategyAction::ChangeShoot},
    Word<StrategyAction>{"wait-for-routes", StrategyAction::WaitForRoutes},
    Word<StrategyAction>{"delete-pods", StrategyAction::DeletePods}};

Migration::Named named(const Value& value) {
  return {std::string(value.text()), value.place()};
}

void decode_timing(Fields& fields, Migration& migration) {
  for (const Value entry :
       fields.mapping(FieldKey("timing",
                               "How long components take, by the parameters of "
                               "docs/reference/migration-timing.md: aws.call: 500ms."))) {
    const auto value = parse_duration(entry.text(), kMaxSwitchDuration);
    if (!value) {
      fields.problems().error(
          entry, "bad-value",
          fmt::format("\"{}\" is no duration: {}", entry.text(), value.error()));
      continue;
    }
    migration.timing.push_back({{std::string(entry.key()), entry.place()}, *value});
  }
}

/// Why a step cannot follow the steps before it; empty if it can.
std::string contradiction(StrategyAction action, const std::vector<StrategyAction>& before) {
  const auto comes_after = [&](StrategyAction other) {
    return std::ranges::find(before, other) != before.end();
  };
  if (comes_after(action)) return "it is there twice";
  switch (action) {
    case StrategyAction::ProtectNodeConditions:
      if (comes_after(StrategyAction::ChangeShoot))
        return "after change-shoot calico-node may have marked nodes already";
      break;
    case StrategyAction::CreateRoutes:
      if (comes_after(StrategyAction::ChangeShoot))
        return "after change-shoot the route controller creates the routes";
      break;
    case StrategyAction::ChangeShoot:
      break;
    case StrategyAction::WaitForRoutes:
      if (!comes_after(StrategyAction::ChangeShoot))
        return "before change-shoot no controller creates routes that could be waited for";
      if (comes_after(StrategyAction::DeletePods))
        return "after delete-pods the network has changed already";
      break;
    case StrategyAction::DeletePods:
      if (!comes_after(StrategyAction::ChangeShoot))
        return "before change-shoot the DaemonSet makes the same pods again";
      break;
  }
  return "";
}

void decode_steps(Fields& spec, MigrationStrategy& strategy) {
  spec.required("steps");
  const Value list = spec.list(
      FieldKey("steps",
               "In order: protect-node-conditions (calico-node is kept from marking nodes as "
               "unavailable), create-routes (cloud routes are written by hand), change-shoot, "
               "wait-for-routes (the Network waits until every node has its cloud route), "
               "delete-pods (all pods of the CNI's agent are deleted by hand).",
               "A step."));
  std::size_t number = 0;
  for (const Value item : list) {
    ++number;
    const auto* const action =
        std::ranges::find(kActions, item.text(), &Word<StrategyAction>::word);
    if (action == kActions.end()) {
      spec.problems().error(item, "bad-value", fmt::format("\"{}\" is no step", item.text()),
                            "protect-node-conditions, create-routes, change-shoot, "
                            "wait-for-routes or delete-pods");
      continue;
    }
    if (const std::string why = contradiction(action->value, strategy.steps); !why.empty())
      spec.problems().error(item, "contradictory-steps",
                            fmt::format("step {}, {}: {}", number, action->word, why));
    strategy.steps.push_back(action->value);
  }
  if (list &&
      std::ranges::find(strategy.steps, StrategyAction::ChangeShoot) == strategy.steps.end())
    spec.problems().error(list, "contradictory-steps", "without change-shoot nothing is switched",
                          "add change-shoot");
}

}  // namespace

std::string_view to_string(StrategyAction action) {
  return word_for(action, kActions);
}

std::optional<Migration> decode_migration(Fields& spec) {
  Migration migration;
  Fields fields(
      spec.mapping(FieldKey("migration",
                            "A switch of the shoot's pod network, which `overlane migrate` "
                            "simulates; then the scenario has neither traffic nor events.")),
      spec.problems());
  fields.required("to");
  fields.string(FieldKey(
      "to", "The dataplane mode to switch to, as migrate --to: routed, ipip, vxlan or geneve."));
  migration.to = named(fields.value()["to"]);
  fields.string(
      FieldKey("disturb",
               "What happens in the middle of the switch: rollback@120s (the Shoot is changed back "
               "after this time), scale-up@120s (a node joins), worker-roll@0s (all machines are "
               "replaced) or hibernate@0s (and woken up later)."));
  if (const Value disturb = fields.value()["disturb"]) migration.disturb = named(disturb);
  const std::size_t strategies =
      fields
          .strings(FieldKey("strategies",
                            "Strategies to compare: names, such as today, or MigrationStrategy "
                            "files; all that suit the switch by default.",
                            "A name or a file."))
          .size();
  for (const Value item : fields.value()["strategies"])
    if (migration.strategies.size() < strategies) migration.strategies.push_back(named(item));
  decode_timing(fields, migration);
  migration.runs =
      count_between(
          fields,
          FieldKey("runs",
                   "How often each strategy runs, each time with another seed; 10 by default."),
          1, kMaxRuns)
          .value_or(migration.runs);
  migration.max_outage =
      duration(fields,
               FieldKey("maxOutage",
                        "The longest outage of a connection that counts as a go; 0 by default."))
          .value_or(Picos{});
  fields.no_others();
  if (!fields.value()) return std::nullopt;
  migration.place = fields.value().place();
  return migration;
}

MigrationStrategy decode_migration_strategy(Fields& root) {
  MigrationStrategy strategy;
  strategy.name = document::decode_header(root, "MigrationStrategy");
  root.required("spec");
  Fields spec = root.fields(FieldKey("spec", "What is done, and in which order."));
  root.no_others();
  if (!spec.value()) return strategy;
  strategy.summary =
      spec.string(FieldKey("summary", "What is special about this order, in a few words."))
          .value_or("");
  strategy.max_unavailable =
      count_between(spec,
                    FieldKey("maxUnavailable",
                             "How many pods of the CNI's agent are replaced at a time; 2 by "
                             "default, as the charts have it."),
                    1, kMaxUnavailable)
          .value_or(strategy.max_unavailable);
  decode_steps(spec, strategy);
  spec.no_others();
  return strategy;
}

Result<MigrationStrategy, Findings> decode_migration_strategy(const document::Tree& tree) {
  return document::decode_whole(
      tree, static_cast<MigrationStrategy (*)(Fields&)>(&decode_migration_strategy));
}

}  // namespace overlane::spec
