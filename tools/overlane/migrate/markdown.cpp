#include "tools/overlane/migrate/markdown.h"

#include <fmt/format.h>

#include "results/report/formats/markdown.h"
#include "results/report/text.h"
#include "scenarios/migration/observe/tcp_recovery.h"
#include "scenarios/migration/operator_steps.h"
#include "tools/overlane/migrate/phrases.h"

namespace overlane::command {
namespace {

using migration::ClassResult;
using migration::Evaluation;
using migration::Loaded;
using migration::StrategyResult;
using migration::Verdict;

std::string steps(const std::vector<migration::OperatorStep>& steps) {
  std::string text;
  std::size_t number = 0;
  for (const migration::OperatorStep& step : steps) {
    text += fmt::format("{}. {}\n", ++number, step.action);
    if (!step.commands.empty()) {
      text += "\n   ```sh\n";
      for (const std::string& command : step.commands)
        text += fmt::format("   {}\n", command);
      text += "   ```\n";
    }
    if (!step.wait_for.empty()) text += fmt::format("\n   Go on when {}.\n", step.wait_for);
    text += "\n";
  }
  return text;
}

std::string tcp_cell(const ClassResult& of) {
  if (of.affected == 0) return "not interrupted";
  const auto stall = of.lasting > 0 ? std::nullopt : migration::tcp_stall(of.longest.most);
  return stall ? fmt::format("resume after at most {}", seconds_text(*stall)) : "break";
}

std::string expected(const StrategyResult& result) {
  std::string text =
      "| connections between nodes | affected | longest outage | established TCP connections |\n"
      "|---|---|---|---|\n";
  for (const ClassResult& of : result.classes)
    text += fmt::format(
        "| {} | {} of {} | {} | {} |\n", to_string(of.which), of.affected, of.connections,
        of.lasting > 0 || of.affected == 0 ? outage_cell(of) : spread_text(of.longest),
        tcp_cell(of));
  text += "\n| other traffic, in the first run | affected | longest outage |\n|---|---|---|\n";
  for (const migration::TrafficResult& of : result.other_traffic)
    text += fmt::format("| {}: {} | {} of {} | {} |\n", of.name, of.meaning, of.affected, of.pairs,
                        outage_cell(of));
  return text + fmt::format("\nThe last component acts {} after the change of the Shoot.\n",
                            spread_text(result.duration));
}

std::string alternatives(const Evaluation& evaluation) {
  std::string text = "| strategy | verdict | longest outage | available |\n|---|---|---|---|\n";
  for (const StrategyResult& result : evaluation.strategies)
    text += fmt::format("| {}: {} | {} | {} | {} |\n", result.strategy->name,
                        result.strategy->summary, to_string(result.worst()),
                        result.lasting() > 0 ? "never over" : seconds_text(result.longest()),
                        result.strategy->availability == migration::Availability::Today
                            ? "today"
                            : "behind a feature gate");
  return text;
}

std::string uncertain(const Evaluation& evaluation) {
  const auto least = least_certain(evaluation);
  if (least.empty()) return "No uncertain parameter changes the longest outage.\n";
  std::string text =
      "| parameter | assumed | plausible | longest outage at both ends |\n|---|---|---|---|\n";
  for (const migration::Sensitivity& one : least)
    text += fmt::format("| `{}`: {} | {} | {} | {} |\n", one.assumption.parameter,
                        report::markdown_text(one.assumption.source),
                        report::markdown_text(one.assumption.value),
                        report::markdown_text(one.assumption.range), ends_text(one));
  return text;
}

std::string clean_up(const Evaluation& evaluation) {
  if (evaluation.leftovers.empty()) return "There is nothing to do.\n";
  std::string text;
  for (const migration::Leftover& leftover : evaluation.leftovers)
    text += fmt::format("- {}: {}.\n", leftover.what, leftover.remedy);
  return text;
}

}  // namespace

std::string migration_markdown(const migration::Assessment& assessment) {
  const Loaded& loaded = assessment.loaded();
  const Evaluation& evaluation = assessment.decisive.evaluation;
  const StrategyResult& best = evaluation.best();
  std::string text = fmt::format("# Switch of the pod network of {}\n\n",
                                 report::markdown_text(switch_text(loaded)));
  text +=
      fmt::format("**Verdict: {}**\n\n{}.\n\n", assessment.headline(), outages_text(loaded, best));
  for (const std::string& blocker : best.blockers)
    text += fmt::format("- Blocker: {}\n", report::markdown_text(blocker));
  if (!best.blockers.empty()) text += "\n";
  text += fmt::format(
      "## {}: {}\n\n{}",
      best.verdict == Verdict::NoGo ? "Do not switch. The best order otherwise" : "Steps",
      best.strategy->name, steps(operator_steps(loaded, *best.strategy, best.conditions)));
  text += "## What to expect\n\n" + expected(best);
  text += "\n## How sure this is\n\n" + uncertain(evaluation);
  text += "\n## Other orders\n\n" + alternatives(evaluation);
  text += "\n## Afterwards\n\n" + clean_up(evaluation);
  text += "\n## To go back\n\n" + steps(steps_back(loaded));
  return text;
}

}  // namespace overlane::command
