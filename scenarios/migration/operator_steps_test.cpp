#include "scenarios/migration/operator_steps.h"

#include <cstdlib>
#include <fstream>
#include <regex>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/migration/assess.h"
#include "scenarios/runner/testing/scenario_files.h"

namespace overlane::migration {

namespace operator_steps_test {

using ::testing::Contains;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

Assessment assessed(const std::string& manifest, Target to) {
  auto assessment =
      assess({.paths = {manifest}, .subject = {}, .to = to, .runs = 1}, {.vary_durations = false});
  if (!assessment) throw std::runtime_error(assessment.error().findings.front().message);
  return *std::move(assessment);
}

Assessment assessed_of_library(const std::string& manifest, Target to) {
  return assessed(runner::testing::manifest(manifest), to);
}

/// Every command of a switch's steps, and of the steps back.
std::vector<std::string> commands_of(const Assessment& assessment) {
  std::vector<std::string> commands;
  const auto add = [&](const std::vector<OperatorStep>& steps) {
    for (const OperatorStep& step : steps)
      for (const auto* list : {&step.commands, &step.wait_commands, &step.undo_commands})
        commands.insert(commands.end(), list->begin(), list->end());
  };
  for (const Strategy& strategy : assessment.loaded().strategies)
    add(operator_steps(assessment.loaded(), strategy, assessment.best().conditions));
  add(steps_back(assessment.loaded(), *assessment.best().strategy));
  return commands;
}

TEST(OperatorSteps, AreCompleteShellCommandsForANamedCluster) {
  struct Row {
    const char* manifest;
    Target to;
  };
  const Row rows[] = {{"shoot-aws-two-zones.yaml", Target::Routed},
                      {"shoot-openstack.yaml", Target::Routed},
                      {"shoot-aws.yaml", Target::Vxlan},
                      {"shoot-gcp.yaml", Target::DualStack},
                      {"shoot-azure-cilium.yaml", Target::Routed},
                      {"shoot-gcp.yaml", Target::Ipip}};
  const runner::testing::Folder folder;
  for (const Row& row : rows) {
    const std::vector<std::string> commands =
        commands_of(assessed_of_library(row.manifest, row.to));
    ASSERT_FALSE(commands.empty()) << row.manifest;
    std::string script;
    for (const std::string& command : commands) {
      script += command + "\n";
      EXPECT_EQ(command.find("<pod"), std::string::npos) << command;
      for (std::size_t at = command.find("kubectl "); at != std::string::npos;
           at = command.find("kubectl ", at + 1))
        EXPECT_EQ(command.substr(at + 8, 13), "--kubeconfig ") << command;
    }
    const std::string file = folder.write("steps.sh", script);
    EXPECT_EQ(std::system(("bash -n " + file).c_str()), 0) << row.manifest;  // NOLINT
  }
}

/// The output of a command in bash if `kubectl` returns these Shoots, one after another.
std::string printed_with(const std::vector<std::string>& shoots, const std::string& command) {
  const runner::testing::Folder folder;
  std::string kubectl = "kubectl() { case $(wc -l < $calls) in\n";
  for (std::size_t i = 0; i < shoots.size(); ++i)
    kubectl += fmt::format("{}) echo '{}' ;;\n", i, shoots[i]);
  const std::string calls = folder.write("calls", "");
  const std::string out = folder.write("out", "");
  const std::string script = folder.write(
      "steps.sh",
      fmt::format("calls={}\n{}esac; echo >> $calls; }}\n"
                  "sleep() {{ :; }}\nGARDEN=garden.yaml SHOOT=shoot.yaml\n{}\necho ended\n",
                  calls, kubectl, command));
  EXPECT_EQ(std::system(fmt::format("timeout 20 bash {} > {}", script, out).c_str()), 0);  // NOLINT
  std::ifstream file(out);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A command that does not end keeps those pasted after it from running.
TEST(OperatorSteps, EveryCommandEndsExceptForLoopsInASecondShell) {
  struct Row {
    const char* manifest;
    Target to;
  };
  const Row rows[] = {{"shoot-aws-two-zones.yaml", Target::Routed},
                      {"shoot-aws-ipip.yaml", Target::Routed},
                      {"shoot-aws.yaml", Target::Ipip},
                      {"shoot-aws.yaml", Target::Vxlan},
                      {"shoot-openstack.yaml", Target::Routed},
                      {"shoot-gcp.yaml", Target::DualStack},
                      {"shoot-gcp.yaml", Target::Ipip},
                      {"shoot-azure-cilium.yaml", Target::Routed},
                      {"shoot-aws-cilium.yaml", Target::Vxlan},
                      {"shoot-alicloud.yaml", Target::Ipip},
                      {"shoot-alicloud.yaml", Target::Vxlan}};
  const std::regex endless(
      "--watch(?!-)|-w( |$)|--follow|logs .*-f( |$)|while (true|:|sleep)|\\bwatch |tail -f|sleep "
      "inf");
  std::size_t deletions = 0;
  for (const Row& row : rows) {
    const Assessment assessment = assessed_of_library(row.manifest, row.to);
    std::vector<std::vector<OperatorStep>> lists{
        steps_back(assessment.loaded(), *assessment.best().strategy)};
    for (const Strategy& strategy : assessment.loaded().strategies)
      lists.push_back(operator_steps(assessment.loaded(), strategy, assessment.best().conditions));
    for (const std::vector<OperatorStep>& steps : lists)
      for (const OperatorStep& step : steps)
        for (const auto* list : {&step.commands, &step.wait_commands, &step.undo_commands})
          for (const std::string& command : *list) {
            deletions += command.find("delete pod") != command.npos;
            if (!std::regex_search(command, endless)) continue;
            EXPECT_EQ(step.place, StepPlace::SecondShell) << row.manifest << ": " << command;
            EXPECT_EQ(&command, &list->back()) << row.manifest << ": " << command;
            EXPECT_THAT(step.action, HasSubstr("In a second shell")) << command;
          }
  }
  EXPECT_GT(deletions, 0u);
}

TEST(OperatorSteps, PodsAreDeletedWhenTheDaemonSetHasANewGeneration) {
  const Assessment assessment = assessed_of_library("shoot-aws-two-zones.yaml", Target::Routed);
  for (const Strategy& strategy : assessment.loaded().strategies) {
    if (!strategy.deletes_pods) continue;
    std::string before, wait;
    for (const OperatorStep& step : operator_steps(assessment.loaded(), strategy))
      for (std::size_t i = 0; i < step.commands.size(); ++i) {
        if (step.commands[i].starts_with("GENERATION=")) before = step.commands[i];
        if (step.commands[i].find("delete pod") != std::string::npos) wait = step.commands[i - 1];
      }
    ASSERT_FALSE(before.empty()) << strategy.name;
    EXPECT_EQ(printed_with({"9", "9", "", "10"}, before + '\n' + wait), "ended\n")
        << "a failed request does not end the loop";
    const std::string never =
        printed_with({"9", "9", "9"},
                     before + "\ni=0; sleep() { i=$((i+1)); [ $i -lt 3 ] || exit 0; }\n" + wait);
    EXPECT_EQ(never, "") << "the pods would be deleted before the DaemonSet changes";
  }
}

TEST(OperatorSteps, EveryCommandIsLabelledByWhereItActs) {
  const Assessment assessment = assessed_of_library("shoot-aws-two-zones.yaml", Target::Routed);
  for (const Strategy& strategy : assessment.loaded().strategies) {
    const auto steps = operator_steps(assessment.loaded(), strategy, assessment.best().conditions);
    EXPECT_THAT(steps.front().action, HasSubstr("The comments say where"));
    for (const OperatorStep& step : steps)
      for (const auto* list : {&step.commands, &step.wait_commands, &step.undo_commands})
        for (const std::string& command : *list) {
          const std::string place = place_of(command, step.place);
          const bool is_garden = command.find("--kubeconfig \"$GARDEN\"") != command.npos;
          const bool is_shoot = command.find("--kubeconfig \"$SHOOT\"") != command.npos;
          const bool is_cloud = command.find("aws ec2 ") != command.npos;
          EXPECT_EQ(place.find("garden") != place.npos, is_garden) << command;
          if (is_shoot) {
            EXPECT_THAT(place, HasSubstr("shoot")) << command;
          }
          EXPECT_EQ(place.find("cloud") != place.npos, is_cloud) << command;
          EXPECT_EQ(place == "shell", command.starts_with("export GARDEN")) << command;
        }
  }
}

TEST(OperatorSteps, RoutesByHandCanBeDeletedAgain) {
  for (const auto& [manifest, to] : {std::pair("shoot-aws-two-zones.yaml", Target::Routed),
                                     std::pair("shoot-openstack.yaml", Target::Routed)}) {
    const Assessment assessment = assessed_of_library(manifest, to);
    bool has_routes = false;
    for (const Strategy& strategy : assessment.loaded().strategies) {
      if (!strategy.routes_before) continue;
      for (const OperatorStep& step : operator_steps(assessment.loaded(), strategy))
        if (step.action.starts_with("Create the cloud route")) {
          has_routes = true;
          ASSERT_EQ(step.undo_commands.size(), 1u) << manifest;
          EXPECT_THAT(step.undo_commands[0], ::testing::ContainsRegex("delete-route|remove route"));
          if (!step.caution.empty()) {
            EXPECT_THAT(step.caution, HasSubstr("`--strategy protect-first` creates none"));
          }
        }
    }
    EXPECT_TRUE(has_routes) << manifest;
  }
}

TEST(OperatorSteps, SayWhatTheAddressOfANodeLooksLike) {
  const Assessment assessment = assessed_of_library("shoot-aws-two-zones.yaml", Target::Routed);
  const auto& conditions = assessment.best().conditions;
  const auto found =
      std::ranges::find(conditions, "bird.route-beyond-subnet", &Condition::parameter);
  ASSERT_NE(found, conditions.end());
  EXPECT_THAT(found->reading, ::testing::MatchesRegex(
                                  "`inet 10\\.[0-9.]+/[12][0-9]`, the length of the node's subnet, "
                                  "means by the gateway; `inet 10\\.[0-9.]+/32` means "
                                  "unreachable routes"));
}

/// All lists of steps: those of each strategy, and those of the rollback.
std::vector<std::vector<OperatorStep>> all_steps(const Assessment& assessment) {
  std::vector<std::vector<OperatorStep>> all{
      steps_back(assessment.loaded(), *assessment.best().strategy)};
  for (const Strategy& strategy : assessment.loaded().strategies)
    all.push_back(operator_steps(assessment.loaded(), strategy));
  return all;
}

TEST(OperatorSteps, TheWayBackIsNotTakenBack) {
  const Assessment assessment = assessed_of_library("shoot-aws.yaml", Target::Ipip);
  const std::vector<OperatorStep> steps =
      steps_back(assessment.loaded(), *assessment.best().strategy);
  EXPECT_THAT(steps.front().action, ::testing::HasSubstr("Enable MutatingAdmissionPolicy"));
  for (const OperatorStep& step : steps) {
    EXPECT_EQ(step.undo, "");
    EXPECT_TRUE(step.undo_commands.empty());
  }
}

// Directly after a patch, `kubectl rollout status` still shows the old DaemonSet.
TEST(OperatorSteps, WaitForTheReconciliationBeforeTheRollOut) {
  for (const auto& [manifest, to] : {std::pair("shoot-aws.yaml", Target::Vxlan),
                                     std::pair("shoot-openstack.yaml", Target::Routed),
                                     std::pair("shoot-azure-cilium.yaml", Target::Routed)}) {
    for (const std::vector<OperatorStep>& steps : all_steps(assessed_of_library(manifest, to))) {
      std::vector<std::string> commands;
      for (const OperatorStep& step : steps)
        for (const auto* list : {&step.commands, &step.wait_commands})
          commands.insert(commands.end(), list->begin(), list->end());
      const auto rollout = std::ranges::find_if(commands, [](const std::string& command) {
        return command.find("rollout status") != std::string::npos;
      });
      ASSERT_NE(rollout, commands.end()) << manifest;
      ASSERT_NE(rollout, commands.begin()) << manifest;
      EXPECT_THAT(*std::prev(rollout), HasSubstr(".status.observedGeneration")) << manifest;
    }
  }
}

TEST(OperatorSteps, TheWaitEndsWhenTheLastChangeIsCarriedOut) {
  const Assessment assessment = assessed_of_library("shoot-openstack.yaml", Target::Routed);
  const std::vector<OperatorStep> steps =
      steps_back(assessment.loaded(), *assessment.best().strategy);
  const std::string& wait = steps.at(1).commands.front();
  const std::string before =
      R"({"metadata": {"generation": 8}, "status": )"
      R"({"observedGeneration": 7, "lastOperation": {"state": "Succeeded"}}})";
  const std::string during =
      R"({"metadata": {"generation": 8}, "status": )"
      R"({"observedGeneration": 8, "lastOperation": {"state": "Processing"}}})";
  const std::string after =
      R"({"metadata": {"generation": 8}, "status": )"
      R"({"observedGeneration": 8, "lastOperation": {"state": "Succeeded"}}})";
  EXPECT_EQ(printed_with({before, during, after}, wait),
            "\"Succeeded\"\nfalse\n\"Processing\"\nfalse\n\"Succeeded\"\ntrue\nended\n");
}

TEST(OperatorSteps, TheWayBackUndoesWhatNothingElseUndoes) {
  const Assessment routed = assessed_of_library("shoot-aws-ipip.yaml", Target::Routed);
  const auto actions_with = [&](const Assessment& of, const char* strategy) {
    std::vector<std::string> actions;
    for (const OperatorStep& step : steps_back(of.loaded(), *find_strategy(strategy)))
      actions.push_back(step.action);
    return actions;
  };
  const std::vector<std::string> actions = actions_with(routed, "routes-first");
  EXPECT_THAT(actions, Contains(HasSubstr("those made since the switch keep the MTU 9001")));
  EXPECT_THAT(actions, Contains(HasSubstr("Delete the cloud route of every node")));
  EXPECT_THAT(actions, Contains(HasSubstr("MutatingAdmissionPolicy off")));
  EXPECT_THAT(actions, Not(Contains(HasSubstr("feature gate turned off"))));
  EXPECT_THAT(actions_with(routed, "seamless"), Contains(HasSubstr("feature gate turned off")));
  EXPECT_THAT(actions_with(routed, "today"), Not(Contains(HasSubstr("MutatingAdmissionPolicy"))));
  const Assessment tunnel = assessed_of_library("shoot-aws.yaml", Target::Ipip);
  EXPECT_EQ(actions_with(tunnel, "today").size(), 3u) << "smaller packets fit, routes come back";
  EXPECT_THAT(actions_with(tunnel, "today").front(), HasSubstr("Enable MutatingAdmissionPolicy"))
      << "the way back leads to routed pods";
  const Assessment cilium = assessed_of_library("shoot-azure-cilium.yaml", Target::Routed);
  EXPECT_THAT(actions_with(cilium, "today").front(), HasSubstr("Keep nodes from joining"));
}

// A patch alone would wait for the maintenance time window.
TEST(OperatorSteps, HaveAShootReconciledThatConfinesItsChanges) {
  const runner::testing::Folder folder;
  std::ifstream file(runner::testing::manifest("shoot-openstack.yaml"));
  const std::string shoot{std::istreambuf_iterator<char>(file), {}};
  for (const bool confines : {false, true}) {
    const Assessment assessment = assessed(
        folder.write(
            "shoot.yaml",
            fmt::format("{}\n  maintenance: {{confineSpecUpdateRollout: {}}}\n", shoot, confines)),
        Target::Routed);
    for (const std::vector<OperatorStep>& steps : all_steps(assessment)) {
      const auto patch = std::ranges::find_if(
          steps, [](const OperatorStep& step) { return step.action.starts_with("Change "); });
      ASSERT_NE(patch, steps.end());
      EXPECT_THAT(patch->commands, Contains(HasSubstr("patch shoot")));
      const auto reconciles = Contains(EndsWith("gardener.cloud/operation=reconcile --overwrite"));
      if (confines) {
        EXPECT_THAT(patch->commands, reconciles);
        EXPECT_THAT(patch->caution, HasSubstr("maintenance time window"));
      } else {
        EXPECT_THAT(patch->commands, Not(reconciles));
        EXPECT_EQ(patch->caution, "");
      }
    }
  }
}

}  // namespace operator_steps_test

}  // namespace overlane::migration
