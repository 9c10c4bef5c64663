#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/migration/inputs/load.h"
#include "scenarios/migration/inputs/strategy.h"
#include "scenarios/migration/simulate.h"
#include "scenarios/migration/verdict/verdict.h"

// The steps of a switch for an operator: shell commands to paste without changes, in order, into
// one shell. The first step sets GARDEN and SHOOT (the kubeconfig files of both clusters) and ID
// (the technical id of the shoot). Later commands use these variables and set any others that they
// need. Every command ends by itself, except in steps of StepPlace::SecondShell.

namespace overlane::migration {

/// A state that a switch leaves behind, and its remedy.
struct Leftover {
  std::string what;
  std::string remedy;
};

/// Returns the routes and devices that stay after a simulated switch, and the MTUs and the
/// masquerading that differ from a new shoot's. If `is_back`, `transition` is the way back, and
/// only routes, devices, and the MTU of pods made meanwhile count.
std::vector<Leftover> leftovers(const Transition& transition, const SwitchResult& course,
                                bool is_back);

/// The size, in bytes, of the largest packets that pods made in the state before `transition` send
/// and that its new tunnel does not carry. 0 if there are no such packets.
std::uint32_t oversized_packets(const Transition& transition, const SwitchResult& course);

/// The place in which the commands of a step act. Those of Shell act in several places, and those
/// of SecondShell in the shoot, from a second shell.
enum class StepPlace : std::uint8_t { Shell, Garden, Shoot, Cloud, Landscape, SecondShell };
std::string_view to_string(StepPlace place);

struct OperatorStep {
  StepPlace place{};
  std::string action;  ///< Imperative sentences.
  /// Complete shell commands; empty if the action needs other means.
  std::vector<std::string> commands;
  /// Condition for the next step: "all pods are ready"; empty if there is none.
  std::string wait_for;
  std::vector<std::string> wait_commands;  ///< Commands that show whether `wait_for` holds.
  std::string caution;                     ///< Risks of the step, and reasons for delay.
  std::string undo;                        ///< How to undo the step; empty if that is not needed.
  std::vector<std::string> undo_commands;
};

/// Returns where a command of a step at `place` acts: "garden", "shoot", "shoot and cloud".
std::string place_of(const std::string& command, StepPlace place);

/// Returns the steps of the strategy, from the preparation of the shell to the wait for the
/// roll-out. `conditions` are facts that the operator finds first.
std::vector<OperatorStep> operator_steps(const Loaded& loaded, const Strategy& strategy,
                                         const std::vector<Condition>& conditions = {});

/// Returns the steps that undo the whole switch, with what the steps of the strategy changed and
/// what no controller undoes.
std::vector<OperatorStep> steps_back(const Loaded& loaded, const Strategy& strategy);

}  // namespace overlane::migration
