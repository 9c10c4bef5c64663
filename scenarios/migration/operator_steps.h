#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/migration/inputs/load.h"
#include "scenarios/migration/inputs/strategy.h"
#include "scenarios/migration/simulate.h"
#include "scenarios/migration/verdict/verdict.h"

// The steps of a switch as an operator carries them out: shell commands that can be pasted as they
// are, in order, in one shell. The first step sets GARDEN and SHOOT, the kubeconfig files of both
// clusters, and ID, the shoot's technical id; later commands use them and set what else they need.

namespace overlane::migration {

/// Something that is otherwise after the switch, and what to do about it.
struct Leftover {
  std::string what;
  std::string remedy;
};

/// Routes and devices that stay, and MTUs and masquerading that differ, at the end of a simulated
/// switch. `is_back`: the switch was taken back, so that only routes and devices count.
std::vector<Leftover> leftovers(const Transition& transition, const Course& course, bool is_back);

/// The largest packets of running pods, in bytes, that pods made later cannot receive from them
/// because the new tunnel carries less; 0: there are none.
std::uint32_t oversized_packets(const Transition& transition, const Course& course);

/// Where the commands of a step act.
enum class StepPlace : std::uint8_t { Shell, Garden, Shoot, Cloud, Landscape };
std::string_view to_string(StepPlace place);

struct OperatorStep {
  StepPlace place{};
  std::string action;                 ///< Imperative sentences.
  std::vector<std::string> commands;  ///< Shell commands, complete; empty: by other means.
  std::string wait_for;  ///< Before the next step: "all pods are ready"; empty: nothing.
  std::vector<std::string> wait_commands;  ///< Show whether that is so.
  std::string caution;                     ///< What may speak against it, or hold it up.
  std::string undo;                        ///< Takes the step back; empty: not needed.
  std::vector<std::string> undo_commands;
};

/// How to follow the strategy, from the preparation of the shell to the wait for the roll-out.
/// `conditions`: facts to find first.
std::vector<OperatorStep> operator_steps(const Loaded& loaded, const Strategy& strategy,
                                         const std::vector<Condition>& conditions = {});

/// Takes the whole switch back.
std::vector<OperatorStep> steps_back(const Loaded& loaded);

}  // namespace overlane::migration
