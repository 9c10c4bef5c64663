#include "tools/overlane/verbs/migration_document.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "results/report/text.h"
#include "scenarios/migration/operator_steps.h"
#include "scenarios/migration/outages/outages.h"

namespace overlane::command {

namespace {

using answer::Detail;
using answer::Section;
using answer::Tone;
using migration::ClassResult;
using migration::Evaluation;
using migration::Loaded;
using migration::PairClass;
using migration::Sensitivity;
using migration::Spread;
using migration::StrategyResult;
using migration::TrafficResult;

double seconds_of(Picos time) {
  return static_cast<double>(time.count) / 1e12;
}

/// "25.1 s", or "25.1 to 59.6 s" if the runs differ, or "up to 59.6 s" from zero.
std::string spread_text(const Spread& spread) {
  constexpr std::string_view kSeconds = " s";
  const std::string most = time_text(spread.max);
  std::string least = time_text(spread.min);
  if (least == most) return most;
  if (spread.min == Picos{}) return "up to " + most;
  if (most.find("min") == most.npos && most.ends_with(kSeconds))
    least.resize(least.size() - kSeconds.size());
  return fmt::format("{} to {}", least, most);
}

// Texts for the longest outage of a row.

std::string outage_text(std::uint64_t affected, std::uint64_t lasting, Picos longest) {
  if (lasting > 0) return "never over";
  return affected == 0 ? "none" : time_text(longest);
}

std::string outage_text(const ClassResult& result) {
  return outage_text(result.affected, result.lasting, result.longest.max);
}

std::string outage_text(const TrafficResult& result) {
  if (result.ends && result.affected > 0) return "established end";
  return outage_text(result.affected, result.lasting, result.longest);
}

/// "76 of 120 pairs", "1 of 1 node".
std::string affected_text(std::uint64_t affected, std::uint64_t all, std::string_view unit) {
  return fmt::format("{} of {}", affected, report::counted_text(all, unit));
}

constexpr std::string_view kPair = "pair";  ///< Two nodes, in no order.

/// "none", "19.9 s", or "never over".
std::string longest_text(Picos longest) {
  if (longest == migration::kNever) return "never over";
  return longest == Picos{} ? "none" : time_text(longest);
}

/// The outage if assumptions do not hold; empty where these change nothing.
std::string worst_text(const TrafficResult& result) {
  if (!result.ends) return longest_text(result.longest_at_worst);
  return result.affected == 0 ? "established end" : "";
}

/// The longest outage between pods of any pair of nodes: with the assumed facts, and at most.
std::string longest_outage_text(const Evaluation& evaluation) {
  const StrategyResult& best = evaluation.best();
  if (best.lasting() > 0) return "never over";
  if (!best.blockers.empty()) return longest_text(best.longest()) + ", apart from the blockers";
  if (best.worst_longest() <= best.longest()) return longest_text(best.longest());
  return fmt::format("{}; {} if assumptions do not hold", longest_text(best.longest()),
                     longest_text(best.worst_longest()));
}

/// The effect on established TCP connections, at worst if there is none with the assumptions.
std::string tcp_text(const ClassResult& result) {
  const Picos longest = result.lasting > 0     ? migration::kNever
                        : result.affected == 0 ? result.longest_at_worst
                                               : result.longest.max;
  const auto stall = longest == migration::kNever ? std::nullopt : migration::tcp_stall(longest);
  return stall
             ? fmt::format("established TCP connections resume after at most {}", time_text(*stall))
             : "established TCP connections give up";
}

Tone tone_of(migration::MigrationVerdict verdict) {
  switch (verdict) {
    case migration::MigrationVerdict::Go:
      return Tone::Good;
    case migration::MigrationVerdict::GoWithImpact:
    case migration::MigrationVerdict::Outage:
    case migration::MigrationVerdict::Unknown:
      return Tone::Warning;
    case migration::MigrationVerdict::NoGo:
      return Tone::Bad;
  }
  return Tone::Bad;
}

/// "2 nodes: go; 6 nodes: outage", for all simulated node counts; with the reason for a verdict
/// that no other line gives.
std::string counts_text(const migration::Assessment& assessment) {
  std::vector<std::string> parts;
  for (const migration::CountVerdict& count : assessment.counts) {
    parts.push_back(
        fmt::format("{}: {}", report::counted_text(count.nodes, "node"), to_string(count.verdict)));
    const bool is_said = count.verdict == assessment.verdict();
    if (!is_said && count.verdict != migration::MigrationVerdict::Go)
      parts.back() += fmt::format(" ({})", count.reason);
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

answer::Paragraph warning(std::string label, std::string text) {
  return {.tone = Tone::Warning, .label = std::move(label), .text = std::move(text)};
}

constexpr std::string_view kLongestOutage = "longest outage between pods";

Section head(const migration::Assessment& assessment) {
  const Loaded& loaded = assessment.loaded();
  const StrategyResult& best = assessment.best();
  Section section;
  section.blocks.emplace_back(
      answer::VerdictLine{.word = assessment.headline(),
                          .tone = tone_of(assessment.verdict()),
                          .text = switch_text(loaded) + ".",
                          .badge = std::string(to_string(assessment.verdict()))});
  section.blocks.emplace_back(
      answer::Paragraph{.label = std::string(kLongestOutage),
                        .text = longest_outage_text(assessment.decisive.evaluation) + "."});
  if (assessment.counts.size() > 1)
    section.blocks.emplace_back(
        answer::Paragraph{.label = "simulated", .text = counts_text(assessment)});
  for (const std::string& blocker : best.blockers)
    section.blocks.emplace_back(
        answer::Paragraph{.tone = Tone::Bad, .label = "blocker", .text = blocker});
  for (const std::string& unknown : best.unknowns)
    section.blocks.emplace_back(warning("hazard", unknown));
  for (const migration::ImpactResult& one : best.impacts)
    section.blocks.emplace_back(
        one.accepted_at_worst
            ? answer::Paragraph{.label = "accepted",
                                .text = fmt::format("{} (`{}`)", one.what,
                                                    migration::facts(one.impact).name)}
            : warning("impact", fmt::format("{} (`--accept {}`)", one.what,
                                            migration::facts(one.impact).name)));
  for (const migration::Condition& one : best.conditions)
    section.blocks.emplace_back(warning(
        "condition", fmt::format("{} if {}; otherwise {}: {}; check with {}; `--set {}` records it",
                                 to_string(one.if_so), one.holds, to_string(one.otherwise),
                                 one.otherwise_reason, one.check, one.setting)));
  if (best.unreachable_before > 0)
    section.blocks.emplace_back(warning(
        "before the switch", fmt::format("{} of nodes do not reach each other's pods already",
                                         report::counted_text(best.unreachable_before, kPair))));
  const auto stage = std::ranges::find(loaded.assumptions, "stage", &model::Assumption::parameter);
  if (stage != loaded.assumptions.end())
    section.blocks.emplace_back(answer::Paragraph{
        .label = "assumed",
        .text = "the shoot is as its manifest creates it (no uid, resourceVersion or status)"});
  for (const Finding& finding : loaded.findings)
    section.blocks.emplace_back(answer::remark(finding));
  return section;
}

/// The commands of a step, marked with the cluster on which they act.
std::vector<answer::Command> commands(const std::vector<std::string>& texts,
                                      migration::StepPlace place) {
  std::vector<answer::Command> commands;
  for (const std::string& text : texts)
    commands.push_back({.text = text, .cluster = place_of(text, place)});
  return commands;
}

answer::Steps steps_of(const std::vector<migration::OperatorStep>& list) {
  answer::Steps steps;
  for (const migration::OperatorStep& step : list)
    steps.steps.push_back(
        {.action = step.caution.empty() ? step.action : step.action + " " + step.caution,
         .commands = commands(step.commands, step.place),
         .wait_for = step.wait_for,
         .wait_commands = commands(step.wait_commands, step.place),
         .undo = step.undo,
         .undo_commands = commands(step.undo_commands, step.place)});
  return steps;
}

/// Why there are no steps under a no-go.
std::string no_strategy_text(const migration::Assessment& assessment) {
  const std::string& best = assessment.best().strategy->name;
  if (!assessment.loaded().strategies_are_chosen)
    return fmt::format("No order of steps avoids this; the best one is {}.", best);
  const std::string others = "Without `--strategy`, all strategies are compared.";
  return assessment.loaded().strategies.size() == 1
             ? fmt::format("The strategy {} does not avoid this. {}", best, others)
             : fmt::format("None of the chosen strategies avoids this; the best one is {}. {}",
                           best, others);
}

std::string heading_of_steps(const migration::Assessment& assessment) {
  const std::string& best = assessment.best().strategy->name;
  if (assessment.loaded().strategies.size() == 1) return fmt::format("strategy: {}", best);
  return assessment.verdict() == migration::MigrationVerdict::NoGo
             ? fmt::format("recommended if the assumptions hold: {}", best)
             : fmt::format("recommended: {}", best);
}

/// The steps of the recommended strategy; empty for a no-go.
Section steps(const migration::Assessment& assessment) {
  const Evaluation& evaluation = assessment.decisive.evaluation;
  const StrategyResult& best = evaluation.best();
  if (!assessment.may_go())
    return {.heading = "do not switch",
            .blocks = {answer::Paragraph{.text = no_strategy_text(assessment)}}};
  Section section{.heading = heading_of_steps(assessment), .blocks = {}};
  if (!evaluation.recommended_because.empty())
    section.blocks.emplace_back(
        answer::Paragraph{.label = "because", .text = evaluation.recommended_because});
  if (best.window)
    section.blocks.emplace_back(answer::Paragraph{
        .label = "maintenance window",
        .text = fmt::format("{} usually; {} at the shortest, {} at the longest",
                            time_text(best.window->usual), time_text(best.window->shortest),
                            time_text(best.window->longest))});
  section.blocks.emplace_back(
      steps_of(operator_steps(assessment.loaded(), *best.strategy, best.conditions)));
  return section;
}

/// A strategy's summary with the facts that have no column in its row. `gate` is the feature gate
/// of Availability::FeatureGate.
std::string explanation(const StrategyResult& result, const StrategyResult& best,
                        std::string_view gate) {
  std::vector<std::string> parts{result.strategy->summary};
  if (result.strategy->availability == migration::Availability::FeatureGate)
    parts.push_back(fmt::format("behind the landscape's feature gate {}", gate));
  std::uint64_t affected = 0, all = 0;
  for (const ClassResult& one : result.classes) {
    affected += one.affected;
    all += one.connections;
  }
  parts.push_back(
      fmt::format("interrupts {} of {} of nodes", affected, report::counted_text(all, kPair)));
  parts.push_back("takes " + (result.window ? fmt::format("{}, at the longest {}",
                                                          time_text(result.window->usual),
                                                          time_text(result.window->longest))
                                            : time_text(result.duration.median)));
  if (result.worst() != result.verdict)
    parts.push_back(fmt::format("{} with the assumed facts", to_string(result.verdict)));
  if (result.worst() == migration::MigrationVerdict::NoGo && result.verdict != result.worst())
    parts.push_back(fmt::format("{} if they do not hold: {}", to_string(result.worst()),
                                result.worst_reason()));
  for (const std::string& blocker :
       result.blockers)  // Blockers of the best strategy are listed above.
    if (std::ranges::find(best.blockers, blocker) == best.blockers.end())
      parts.push_back("blocker: " + blocker);
  return fmt::format("{}", fmt::join(parts, "; "));
}

Section strategies(const Loaded& loaded, const Evaluation& evaluation) {
  const bool has_worse = std::ranges::any_of(evaluation.strategies, [](const StrategyResult& one) {
    return one.lasting() == 0 && one.worst_longest() > one.longest();
  });
  answer::Table table{.title = "", .columns = {{"verdict"}}, .rows = {}};
  if (has_worse) table.columns.push_back({"at worst"});
  for (const ClassResult& one : evaluation.best().classes)
    table.columns.push_back({one.which == PairClass::WithinZone ? "in zones" : "across"});
  Picos longest{1};
  for (const StrategyResult& result : evaluation.strategies) {
    longest = std::max(longest, result.longest());
    if (const Picos worst = result.worst_longest(); worst != migration::kNever)
      longest = std::max(longest, worst);
  }
  for (const StrategyResult& result : evaluation.strategies) {
    answer::TableRow row{
        .label = result.strategy->name,
        .cells = {{.text = std::string(to_string(result.worst())),
                   .tone = tone_of(result.worst())}},
        .explanation = explanation(result, evaluation.best(), loaded.transition.cni().route_gate)};
    const auto share = [&](Picos time) {
      return time == migration::kNever ? 1.0 : seconds_of(time) / seconds_of(longest);
    };
    const bool is_known = result.window || result.worst_longest() == migration::kNever;
    if (const Picos worst = result.worst_longest(); has_worse)
      row.cells.push_back(is_known
                              ? answer::Cell{.text = longest_text(worst), .share = share(worst)}
                              : answer::Cell{});
    for (const ClassResult& one : result.classes)
      row.cells.push_back({.text = outage_text(one),
                           .share = share(one.lasting > 0 ? migration::kNever : one.longest.max)});
    table.rows.push_back(std::move(row));
  }
  Section section{.heading = "longest outage", .blocks = {std::move(table)}};
  if (has_worse)
    section.blocks.emplace_back(answer::Paragraph{
        .text =
            "The verdict and \"at worst\" are for the case that several assumptions do not hold "
            "at once, with the durations that are worst for the strategy; the figures by zone "
            "hold with the assumed facts. Values between the ends of a range are not tried."});
  if (evaluation.strategies.size() > 1)
    for (const std::string& reason : migration::why_unusual(loaded.transition))
      section.blocks.emplace_back(answer::Paragraph{.label = "not possible", .text = reason + "."});
  return section;
}

/// All interruptions of a strategy: connections of pods in all runs, then other traffic in the
/// first run. Lists the names of the kinds of traffic that it does not interrupt, except those that
/// are affected for another reason, such as datagrams of pods that still have the larger MTU.
std::vector<answer::Block> interruptions(const StrategyResult& result) {
  const auto has_impact = [&](migration::Impact impact) {
    return std::ranges::find(result.impacts, impact, &migration::ImpactResult::impact) !=
           result.impacts.end();
  };
  answer::Table table{
      .title = "", .columns = {{"pairs or nodes"}, {"longest outage"}, {"at worst"}}, .rows = {}};
  std::vector<std::string> uninterrupted;
  const auto is_affected = [&](std::string_view group) {
    return std::ranges::any_of(result.other_traffic, [&](const TrafficResult& one) {
      return one.group == group &&
             (one.longest_at_worst > Picos{} || one.affected > 0 || has_impact(one.impact));
    });
  };
  for (const ClassResult& one : result.classes) {
    std::string name = fmt::format("pod to pod {}", to_string(one.which));
    if (one.affected == 0 && one.longest_at_worst == Picos{})
      uninterrupted.push_back(std::move(name));
    else
      table.rows.push_back(
          {.label = std::move(name),
           .cells = {{.text = affected_text(one.affected, one.connections, kPair)},
                     {.text = one.affected > 0 && one.lasting == 0 ? spread_text(one.longest)
                                                                   : outage_text(one)},
                     {.text = longest_text(one.longest_at_worst)}},
           .explanation = tcp_text(one)});
  }
  for (const TrafficResult& one : result.other_traffic) {
    if (one.affected == 0 && one.longest_at_worst == Picos{}) {
      const bool is_listed = !uninterrupted.empty() && uninterrupted.back() == one.group;
      if (!is_listed && !is_affected(one.group)) uninterrupted.emplace_back(one.group);
      continue;
    }
    table.rows.push_back(
        {.label = fmt::format("{}{}", one.name, one.is_possible_only ? ", possibly" : ""),
         .cells = {{.text = affected_text(one.affected, one.pairs, one.unit)},
                   {.text = outage_text(one)},
                   {.text = worst_text(one)}},
         .explanation = std::string(one.meaning)});
  }
  for (const migration::ImpactResult& one : result.impacts)
    if (one.impact == migration::Impact::FullSizeDatagrams && one.traffic.empty())
      table.rows.push_back({.label = std::string(migration::facts(one.impact).title),
                            .cells = {{}, {.text = "until restart"}, {}},
                            .explanation = one.what});
  std::vector<answer::Block> blocks;
  if (table.rows.empty())
    blocks.emplace_back(
        answer::Paragraph{.label = "interrupted", .text = "none of the traffic that is followed"});
  else
    blocks.emplace_back(std::move(table));
  if (!uninterrupted.empty())
    blocks.emplace_back(answer::Paragraph{
        .label = "not interrupted", .text = fmt::format("{}", fmt::join(uninterrupted, ", "))});
  std::vector<std::string_view> unknown;
  for (const auto impact : {migration::Impact::Dns, migration::Impact::ApiServer})
    if (std::ranges::find(result.other_traffic, impact, &TrafficResult::impact) ==
        result.other_traffic.end())
      unknown.push_back(migration::facts(impact).title);
  if (!unknown.empty())
    blocks.emplace_back(warning(
        "not followed", fmt::format("{}: when their pods move to new nodes is not simulated",
                                    fmt::join(unknown, ", "))));
  return blocks;
}

/// Range of the longest outage for a parameter: "8.6 s to 59.6 s", "none to never over".
std::string ends_text(const Sensitivity& parameter) {
  const auto [least, most] = std::minmax(parameter.at_least, parameter.at_most);
  return fmt::format("{} to {}", longest_text(least), longest_text(most));
}

Section uncertain(const Evaluation& evaluation) {
  answer::Table table{
      .title = "", .columns = {{"assumed"}, {"plausible"}, {"longest outage"}}, .rows = {}};
  for (const Sensitivity& one : evaluation.best().sensitivities)
    if (one.effect().count > 0)
      table.rows.push_back({.label = one.assumption.parameter,
                            .cells = {{.text = one.assumption.value},
                                      {.text = one.assumption.range},
                                      {.text = ends_text(one)}},
                            .explanation = one.assumption.source});
  if (!table.rows.empty()) return {.heading = "least certain", .blocks = {std::move(table)}};
  return {.heading = "least certain",
          .blocks = {answer::List{{"no uncertain parameter changes the outage between pods"}}}};
}

Section afterwards(const Evaluation& evaluation) {
  answer::List list;
  for (const migration::Leftover& leftover : evaluation.leftovers)
    list.items.push_back(fmt::format("{}: {}.", leftover.what, leftover.remedy));
  if (list.items.empty()) list.items.emplace_back("there is nothing to do.");
  return {.heading = "afterwards", .blocks = {std::move(list)}};
}

Section going_back(const migration::Assessment& assessment) {
  return {.heading = "to go back",
          .blocks = {answer::Paragraph{
                         .text = "The variables are those of the first step above; repeat it in a "
                                 "new shell."},
                     steps_of(steps_back(assessment.loaded(), *assessment.best().strategy))}};
}

/// The outages between pods by class, from the first outage to the last.
std::vector<answer::Block> outages_over_time(const Loaded& loaded, const StrategyResult& result) {
  constexpr std::uint32_t kColumns = 60;
  const migration::SwitchResult& course = result.course;
  if (course.outages.empty()) return {};
  const migration::TimeColumns columns = migration::time_columns(course.outages, kColumns);
  answer::Chart chart{.title = "interrupted",
                      .shade = "pairs of nodes",
                      .axis = "after the change of the Shoot",
                      .begin = seconds_of(columns.begin),
                      .end = seconds_of(columns.end()),
                      .rows = {},
                      .lanes = {}};
  for (auto& [which, share] :
       share_by_class(course.outages, loaded.zones, columns, course.presence))
    chart.rows.push_back({std::string(to_string(which)), std::move(share)});
  return {std::move(chart)};
}

/// The first `limit` steps, and how many more there are.
answer::Facts course_facts(const migration::SwitchResult& course, std::size_t limit) {
  answer::Facts facts;
  for (const migration::Step& step : course.steps) {
    if (facts.facts.size() == limit) {
      facts.facts.push_back(
          {"later", report::counted_text(course.steps.size() - limit, "more step")});
      break;
    }
    facts.facts.push_back({time_text(step.at), fmt::format("{}: {}", step.component, step.what)});
  }
  return facts;
}

/// The terms of RFC 6412 and FD.io CSIT; without facts if nothing is interrupted.
answer::Facts convergence_facts(const migration::ConvergenceResult& convergence) {
  answer::Facts facts;
  const auto add = [&](std::string label, const std::optional<Spread>& spread) {
    if (spread) facts.facts.push_back({std::move(label), spread_text(*spread)});
  };
  if (convergence.interrupted == 0) return facts;
  add("first route converges", convergence.first_route);
  add("full convergence", convergence.full);
  add("a route loses", convergence.route_loss);
  add("effective blocked time", convergence.blocked);
  return facts;
}

/// Adds the course of the recommended strategy for formats that request it; pages have the course
/// of every strategy.
void add_courses(const Loaded& loaded, const Evaluation& evaluation, answer::Document& document) {
  constexpr std::size_t kMaxSteps = 200;  // Keeps the page of a large shoot small.
  const StrategyResult& best = evaluation.best();
  Section section{.heading = fmt::format("over time: {}", best.strategy->name),
                  .blocks = outages_over_time(loaded, best),
                  .detail = Detail::OnRequest};
  if (auto facts = convergence_facts(best.convergence); !facts.facts.empty())
    section.blocks.emplace_back(std::move(facts));
  section.blocks.emplace_back(course_facts(best.course, SIZE_MAX));
  document.sections.push_back(std::move(section));
  for (const StrategyResult& result : evaluation.strategies) {
    Section course{.heading = fmt::format("course of the strategy {}", result.strategy->name),
                   .blocks = interruptions(result),
                   .detail = Detail::PageOnly};
    course.blocks.emplace_back(course_chart(loaded, result));
    if (&result != &best) course.blocks.emplace_back(course_facts(result.course, kMaxSteps));
    document.sections.push_back(std::move(course));
  }
}

/// The outage between pods, then what stops the switch or else the other impacts, and the duration.
answer::Overview overview(const migration::Assessment& assessment) {
  const StrategyResult& best = assessment.best();
  answer::Overview overview{.origin = "simulated",
                            .subject = switch_text(assessment.loaded()) + ".",
                            .highlights = {{std::string(kLongestOutage),
                                            longest_outage_text(assessment.decisive.evaluation)}}};
  std::vector<std::string> impacts;
  std::size_t at_worst = 0;
  for (const migration::ImpactResult& one : best.impacts) {
    if (!one.is_at_worst_only) impacts.push_back(one.what);
    at_worst += one.is_at_worst_only;
  }
  if (at_worst > 0)
    impacts.push_back(report::counted_text(at_worst, "more impact") +
                      " if assumptions do not hold");
  if (!best.blockers.empty())
    overview.highlights.push_back({"blocker", best.blockers.front()});
  else if (!best.unknowns.empty())
    overview.highlights.push_back({"hazard", best.unknowns.front()});
  else
    overview.highlights.push_back(
        {"other traffic", impacts.empty() ? std::string("not interrupted")
                                          : fmt::format("{}", fmt::join(impacts, "; "))});
  const auto& window = best.window;
  if (!assessment.may_go())
    overview.highlights.push_back({"recommended", "do not switch"});
  else if (window)
    overview.highlights.push_back(
        {"maintenance window", fmt::format("{} usually, {} at the longest",
                                           time_text(window->usual), time_text(window->longest))});
  else
    overview.highlights.push_back({"duration", time_text(best.duration.max)});
  return overview;
}

}  // namespace

std::string time_text(Picos time) {
  return report::elapsed_text(seconds_of(time));
}

std::string switch_text(const Loaded& loaded) {
  const migration::Transition& transition = loaded.transition;
  const auto mode = [&](const effective::EffectiveDataplane& shoot) {
    std::string text(migration::mode_name(shoot.dataplane));
    if (transition.changes_families())
      text += fmt::format(" {}", fmt::join(shoot.ip_families, " and "));
    return text;
  };
  return fmt::format("{}/{}: {} to {}, {} on {}{}", transition.before.namespace_,
                     transition.before.name, mode(transition.before), mode(transition.after),
                     report::counted_text(transition.nodes_at_start(), "node"),
                     transition.before.provider_name,
                     loaded.disturbance ? fmt::format(", {}", to_string(*loaded.disturbance)) : "");
}

answer::Chart course_chart(const Loaded& loaded, const StrategyResult& result) {
  constexpr std::uint32_t kColumns = 120;
  constexpr std::uint32_t kMaxNodeRows = 32;
  const migration::SwitchResult& course = result.course;
  const migration::TimeColumns columns =
      migration::columns_between({}, std::max(course.ended_at, overlane::seconds(1)), kColumns);
  answer::Chart chart{
      .title = fmt::format("{}/{}: strategy {}", loaded.transition.before.namespace_,
                           loaded.transition.before.name, result.strategy->name),
      .shade = "pairs with other nodes that is interrupted",
      .axis = "after the change of the Shoot",
      .begin = 0,
      .end = seconds_of(columns.end()),
      .rows = {},
      .lanes = {}};
  const std::uint32_t nodes = loaded.transition.nodes();
  if (nodes <= kMaxNodeRows) {
    auto shares = share_by_node(course.outages, nodes, columns);
    for (std::uint32_t node = 0; node < nodes; ++node)
      chart.rows.push_back(
          {std::string(loaded.transition.from.nodes[node].member().name), std::move(shares[node])});
  } else {
    for (auto& [which, share] :
         share_by_class(course.outages, loaded.zones, columns, course.presence))
      chart.rows.push_back({std::string(to_string(which)), std::move(share)});
  }
  add_lanes(course.steps, chart);
  return chart;
}

void add_lanes(const std::vector<migration::Step>& steps, answer::Chart& chart) {
  for (const migration::Step& step : steps) {
    const double at = seconds_of(step.at);
    if (at < chart.begin || at > chart.end) continue;
    auto lane = std::ranges::find(chart.lanes, step.component, &answer::Chart::Lane::label);
    if (lane == chart.lanes.end()) lane = chart.lanes.insert(lane, {step.component, {}});
    lane->events.push_back({at, step.what});
  }
}

answer::Document migration_document(const migration::Assessment& assessment) {
  const Loaded& loaded = assessment.loaded();
  const Evaluation& evaluation = assessment.decisive.evaluation;
  answer::Document document{
      .title = fmt::format("Switch of the pod network of {}/{}",
                           loaded.transition.before.namespace_, loaded.transition.before.name),
      .sections = {},
      .overview = overview(assessment)};
  document.sections.push_back(head(assessment));
  document.sections.push_back(steps(assessment));
  document.sections.push_back(strategies(loaded, evaluation));
  document.sections.push_back(
      {.heading = "interrupted", .blocks = interruptions(evaluation.best())});
  document.sections.push_back(uncertain(evaluation));
  document.sections.push_back(afterwards(evaluation));
  if (assessment.may_go()) document.sections.push_back(going_back(assessment));
  add_courses(loaded, evaluation, document);
  return document;
}

}  // namespace overlane::command
