#include "results/report/run_document.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "results/model/run_report_json.h"
#include "results/report/csv.h"
#include "results/report/run_effects.h"
#include "results/report/run_summary.h"
#include "results/report/run_table.h"
#include "results/report/text.h"

namespace overlane::report {
namespace {

using answer::Section;
using model::RunReport;
using model::VariantResult;

/// Only the largest few matter to the reader.
constexpr std::size_t kMaxMovements = 4;

/// `before` is above zero.
std::int64_t ratio_ppm(std::int64_t before, std::int64_t after) {
  const double ratio = static_cast<double>(after) / static_cast<double>(before);
  return static_cast<std::int64_t>(ratio * 1e6 + 0.5);
}

/// Name of a metric in a line.
std::string_view short_name(std::string_view metric) {
  if (metric == "goodput_bps") return "goodput";
  if (metric == "latency_ns.p99") return "latency p99";
  return "CPU use";
}

/// ", latency p99 -9.1 %, dropped 12 → 0".
std::string also_text(const model::Movement& movement) {
  std::string text;
  for (const model::MovedFigure& figure : movement.also) {
    if (figure.metric == "packets.dropped") {
      text += fmt::format(", dropped {} → {}", count_text(figure.before), count_text(figure.after));
    } else if (figure.before != 0) {
      text += fmt::format(", {} {}", short_name(figure.metric),
                          change_text(ratio_ppm(figure.before, figure.after)));
    }
  }
  return text;
}

/// "machine.nic 10 Gbit/s → 11 Gbit/s: goodput +10.0 %, latency p99 -9.1 % (usual NIC)".
std::string movement_text(const model::Movement& movement) {
  const std::string change = movement.before == 0
                                 ? rate_text(movement.after)
                                 : change_text(ratio_ppm(movement.before, movement.after));
  const std::string source = movement.source.empty() ? "" : " (" + movement.source + ")";
  return fmt::format("{} {} → {}: {} {}{}{}", movement.constant, movement.value, movement.moved_to,
                     short_name(movement.metric), change, also_text(movement), source);
}

constexpr std::int64_t kSamePpm = 1'000'000;
constexpr std::int64_t kLittlePpm = 1'000;

/// Whether a movement improves any figure by at least 0.1 %.
bool is_worth_telling(const model::Movement& movement) {
  if (movement.before == 0 || ratio_ppm(movement.before, movement.after) >= kSamePpm + kLittlePpm)
    return true;
  return std::ranges::any_of(movement.also, [](const model::MovedFigure& figure) {
    return figure.before != 0 && ratio_ppm(figure.before, figure.after) <= kSamePpm - kLittlePpm;
  });
}

/// Whether a movement changes its own figure by at least 0.1 %.
bool moves_far(const model::Movement& movement) {
  return movement.before == 0 ||
         std::abs(ratio_ppm(movement.before, movement.after) - kSamePpm) >= kLittlePpm;
}

/// The effects of changing a limit's constants, largest first. Omits effects below 0.1 %.
answer::List movements(const model::Limit& limit) {
  answer::List list;
  if (!limit.state_entry.empty()) list.items.push_back(limit.state_entry);
  const std::size_t before = list.items.size();
  for (std::size_t i = 0; i < std::min(limit.movements.size(), kMaxMovements); ++i)
    if (is_worth_telling(limit.movements[i]))
      list.items.push_back(movement_text(limit.movements[i]));
  if (list.items.size() == before)
    list.items.emplace_back("10 % of any of its constants change nothing by 0.1 % or more");
  return list;
}

/// The limit of each traffic group; where its constants were changed, followed by the effects.
Section limits(const RunReport& report) {
  Section section{.heading = "limited by", .blocks = {}};
  for (const VariantResult& variant : report.variants) {
    for (const model::Limit& limit : variant.limits) {
      std::string text = fmt::format("{} {}: {} – {} (flow {}; {})", variant.name, limit.traffic,
                                     limit.station, limit.constant, limit.flow, limit.source);
      if (!limit.movements.empty()) {
        section.blocks.emplace_back(answer::Paragraph{.text = std::move(text)});
        section.blocks.emplace_back(movements(limit));
        continue;
      }
      auto* list =
          section.blocks.empty() ? nullptr : std::get_if<answer::List>(&section.blocks.back());
      if (list == nullptr)
        list = &std::get<answer::List>(section.blocks.emplace_back(answer::List{}));
      list->items.push_back(std::move(text));
    }
  }
  return section;
}

/// The constants that affect latency and CPU use most.
Section explained(const RunReport& report) {
  Section section{.heading = "moved by", .blocks = {}};
  for (const VariantResult& variant : report.variants) {
    for (const model::Sensitivity& one : variant.explained) {
      section.blocks.emplace_back(answer::Paragraph{
          .text = fmt::format("{}{}{}: {}{}", variant.name, one.traffic.empty() ? "" : " ",
                              one.traffic, short_name(one.metric),
                              one.movements.empty() ? " – no constant moves it" : "")});
      answer::List list;
      for (std::size_t i = 0; i < std::min(one.movements.size(), kMaxMovements); ++i)
        if (i == 0 || moves_far(one.movements[i]))
          list.items.push_back(movement_text(one.movements[i]));
      if (!list.items.empty()) section.blocks.emplace_back(std::move(list));
    }
  }
  return section;
}

/// Assumptions, grouped by source.
Section assumptions(const RunReport& report) {
  std::vector<std::pair<std::string, std::string>> by_source;  // (source, values)
  for (const model::Assumption& assumption : report.assumptions) {
    std::string value = fmt::format("{} = {}", assumption.parameter, assumption.value);
    if (!assumption.range.empty()) value += fmt::format(" (could be {})", assumption.range);
    const std::string source = fmt::format("{} [{}]", assumption.source, assumption.tag);
    const auto known =
        std::ranges::find(by_source, source, &std::pair<std::string, std::string>::first);
    if (known == by_source.end()) {
      by_source.emplace_back(source, value);
    } else {
      known->second += ", " + value;
    }
  }
  answer::List list;
  for (const auto& [source, values] : by_source)
    list.items.push_back(fmt::format("{}: {}", values, source));
  Section section{.heading = "assumed (no given document says so)", .blocks = {}};
  if (!list.items.empty()) section.blocks.emplace_back(std::move(list));
  return section;
}

std::string findings(const RunReport& report) {
  std::map<Severity, int, std::greater<>> counts;
  for (const Finding& finding : report.findings)
    ++counts[finding.severity];
  std::vector<std::string> parts;
  for (const auto& [severity, count] : counts)
    parts.push_back(fmt::format("{} {}{}", count, to_string(severity), count == 1 ? "" : "s"));
  return parts.empty() ? "none" : fmt::format("{}", fmt::join(parts, ", "));
}

/// "eth0 …": counters of lost packets in all variants.
std::string losses_text(const RunReport& report) {
  std::string text;
  for (const VariantResult& variant : report.variants) {
    if (!variant.kernel) continue;
    for (const auto& [name, count] : variant.kernel->losses)
      text += fmt::format("{}{} {} {}", text.empty() ? "" : ", ", variant.name, name,
                          count_text(count));
  }
  return text.empty() ? "none" : text;
}

/// "192.0.2.1:7411: kernel 6.1.0, 2 processors, eth0 with MTU 1500, TSO on, GRO on"
std::string host_text(const model::MeasuredHost& host) {
  return fmt::format("{}: kernel {}, {} processors, {} with MTU {}, TSO {}, GRO {}", host.address,
                     host.kernel, host.processors, host.uplink, host.mtu,
                     host.segmentation ? "on" : "off", host.receive ? "on" : "off");
}

/// Facts about a measurement on a kernel.
answer::Facts kernel_facts(const RunReport& report) {
  std::vector<answer::Fact> facts;
  for (const VariantResult& variant : report.variants) {
    if (!variant.kernel) continue;
    const model::KernelFacts& kernel = *variant.kernel;
    facts.push_back({"kernel", kernel.release});
    facts.push_back({"between nodes",
                     kernel.wire + (kernel.hosts.empty() ? ": no latency, rate or loss of the VPC"
                                                         : ", which may carry other traffic")});
    for (std::size_t i = 0; i < kernel.hosts.size(); ++i)
      facts.push_back({fmt::format("host {}", i + 1), host_text(kernel.hosts[i])});
    facts.push_back({"offloads", fmt::format("segmentation (GSO, TSO) {}, receive (GRO) {}",
                                             kernel.segmentation ? "on" : "off",
                                             kernel.receive ? "on" : "off")});
    facts.push_back({"slices", fmt::format("{} of each traffic of each variant, in alternation",
                                           kernel.slices)});
    break;
  }
  facts.push_back({"losses", losses_text(report)});
  facts.push_back({"findings", findings(report)});
  return {std::move(facts)};
}

/// The number of threads of one run, if it was limited or more than one.
std::string threads_text(const model::EngineFacts& engine) {
  if (engine.threads > 1) return fmt::format(" on {} threads", engine.threads);
  if (engine.one_thread_because.empty()) return "";
  return " on one thread: " + engine.one_thread_because;
}

/// "4 spans with 98.2 % of the simulated time, 1,000,000 datagrams without events", or why there
/// are none.
std::string skipped_text(const model::SkipFacts& skipped) {
  if (skipped.spans == 0) return "nothing: " + skipped.none_because;
  const double share =
      static_cast<double>(skipped.skipped_ns) / static_cast<double>(skipped.simulated_ns);
  return fmt::format("{} {} with {:.1f} % of the simulated time, {} datagrams without events",
                     skipped.spans, skipped.spans == 1 ? "span" : "spans", share * 100,
                     count_text(skipped.packets));
}

/// ": CPU time is free", or the cost profiles behind the ranges of the comparison.
std::string costs_text(const RunReport& report) {
  if (cpu_time_is_free(report)) return ": CPU time is free";
  if (report.cost_hosts.empty()) return "";
  return fmt::format(", a mean of hosts; ranges are over it and {}",
                     fmt::join(report.cost_hosts, ", "));
}

/// "750 Mbit/s", "3.125 Gbit/s".
std::string nominal_rate_text(std::int64_t bits_per_second) {
  const auto mbps = static_cast<double>(bits_per_second) / 1e6;
  return mbps < 1'000 ? fmt::format("{:g} Mbit/s", mbps) : fmt::format("{:g} Gbit/s", mbps / 1'000);
}

/// Facts for repeating the run, and the number of checked decisions.
answer::Facts run_facts(const RunReport& report) {
  if (report.executor == model::Executor::Kernel) return kernel_facts(report);
  model::EngineFacts total;
  model::BytePath bytes;
  for (const VariantResult& variant : report.variants) {
    total += variant.engine;
    bytes += variant.byte_path;
  }
  std::vector<answer::Fact> facts{{"seed", std::to_string(report.seed)}};
  if (report.seeds.size() > 1)
    facts.push_back(
        {"repetitions", fmt::format("{}, with seeds derived from it", report.seeds.size())});
  facts.push_back({"result hash", model::result_hash(report)});
  facts.push_back({"cost profile", report.cost_profile + costs_text(report)});
  if (report.machine) facts.push_back({"machine", machine_text(*report.machine)});
  facts.push_back(
      {"byte path", fmt::format("{} decisions checked, {} mismatched", count_text(bytes.checked),
                                count_text(bytes.mismatched))});
  facts.push_back(
      {"engine", fmt::format("{} events, {} packet hops; {:.2f} s set-up, {:.2f} s simulation{}",
                             count_text(total.events), count_text(total.packet_hops),
                             total.setup_seconds, total.loop_seconds, threads_text(total))});
  if (total.skipped) facts.push_back({"skipped", skipped_text(*total.skipped)});
  facts.push_back({"findings", findings(report)});
  return {std::move(facts)};
}

/// The changes by each event, in each variant.
Section steps(const RunReport& report) {
  Section section{.heading = "steps", .blocks = {}};
  for (const VariantResult& variant : report.variants)
    for (const model::Step& step : variant.steps) {
      section.blocks.emplace_back(answer::Paragraph{
          .text = fmt::format("{}  {}: {}", duration_text(step.at_ns), variant.name, step.what)});
      section.blocks.emplace_back(answer::List{
          step.lines.empty() ? std::vector<std::string>{"(nothing changes)"} : step.lines});
    }
  return section;
}

/// "Simulated for shoot garden-dev/a (now ipip), 2026-11-28 00:00 UTC. Nothing here was measured in
/// a cluster."
std::string origin_text(const RunReport& report) {
  const bool is_simulated = report.executor == model::Executor::Sim;
  std::string text = is_simulated ? "Simulated" : "Measured";
  if (!report.shoot.empty()) text += " for " + shoot_text(report);
  if (report.environment.started_ms != 0)
    text += ", " + time_text(report.environment.started_ms) + " UTC";
  return text + (is_simulated ? ". Nothing here was measured in a cluster." : ".");
}

/// The scenario and its machine, the verdicts, and how certain the figures are.
Section head(const RunReport& report) {
  std::string origin = origin_text(report);
  if (report.machine) origin += fmt::format(" Machine {}.", machine_text(*report.machine));
  Section section{.heading = "", .blocks = {answer::Paragraph{.text = std::move(origin)}}};
  if (std::string left_out = left_out_text(report); !left_out.empty())
    section.blocks.emplace_back(answer::Paragraph{.text = std::move(left_out)});
  answer::List verdicts{verdict_texts(report)};
  for (std::string& text : loss_texts(report))
    verdicts.items.push_back(std::move(text));
  if (!verdicts.items.empty()) section.blocks.emplace_back(std::move(verdicts));
  if (std::string certainty = certainty_text(report); !certainty.empty())
    section.blocks.emplace_back(answer::Paragraph{.text = std::move(certainty)});
  return section;
}

/// The variants with the largest effects, whether their order depends on the traffic, and losses;
/// the verdicts if no effect is noticeable.
answer::Overview overview(const RunReport& report) {
  answer::Overview overview{
      .origin = report.executor == model::Executor::Sim ? "simulated" : "measured",
      .subject = report.shoot,
      .highlights = {}};
  std::vector<std::pair<double, answer::Fact>> facts;
  for (const VariantResult& variant : report.variants) {
    const std::vector<Effect> effects = largest_effects(report, variant);
    if (effects.empty()) continue;
    const model::Comparison& worst = *effects.front().comparison;
    facts.push_back({effects.front().factor,
                     {fmt::format("{} against {}", variant.name, worst.baseline),
                      fmt::format("up to {:.1f} % {} ({})",
                                  static_cast<double>(effects.front().change_ppm) / 1e4,
                                  effects.front().what, worst.traffic)}});
  }
  std::ranges::stable_sort(facts, std::greater(), [](const auto& one) { return one.first; });
  for (auto& [factor, fact] : facts)
    if (overview.highlights.size() + 1 < answer::kMaxHighlights)
      overview.highlights.push_back(std::move(fact));
  if (std::string order = order_text(report); !order.empty())
    overview.highlights.push_back({"the order depends on the traffic", std::move(order)});
  const auto fill = [&](const char* label, const std::vector<std::string>& texts) {
    for (const std::string& text : texts)
      if (overview.highlights.size() < answer::kMaxHighlights)
        overview.highlights.push_back({label, text});
  };
  fill("losses", loss_texts(report));
  if (facts.empty()) fill("verdict", verdict_texts(report));
  return overview;
}

/// "default-calico: routed, ipip and vxlan compared".
std::string title_of(const RunReport& report) {
  constexpr std::size_t kMaxNamed = 4;
  const std::vector<VariantResult>& variants = report.variants;
  if (variants.size() > kMaxNamed)
    return fmt::format("{}: {} variants compared", report.scenario, variants.size());
  std::string text = report.scenario;
  for (std::size_t i = 0; i < variants.size(); ++i)
    text += (i == 0 ? ": " : i + 1 < variants.size() ? ", " : " and ") + variants[i].name;
  return variants.size() > 1 ? text + " compared" : text;
}

Section events(const RunReport& report) {
  answer::Facts facts;
  for (const model::Event& event : report.events)
    facts.facts.push_back({fmt::format("{} {}", duration_text(event.at_ns),
                                       event.until_ns ? "to " + duration_text(*event.until_ns)
                                                      : std::string("to the end")),
                           event.what});
  Section section{.heading = "events", .blocks = {}};
  if (!facts.facts.empty()) section.blocks.emplace_back(std::move(facts));
  return section;
}

}  // namespace

answer::Document run_document(const RunReport& report) {
  answer::Document document{.title = title_of(report),
                            .sections = {head(report),
                                         events(report),
                                         {.heading = "figures", .blocks = {run_figures(report)}},
                                         series_section(report),
                                         steps(report),
                                         limits(report),
                                         explained(report),
                                         assumptions(report),
                                         answer::remarks(report.findings),
                                         {.heading = "run", .blocks = {run_facts(report)}}},
                            .overview = overview(report)};
  std::erase_if(document.sections, [](const Section& section) { return section.blocks.empty(); });
  return document;
}

std::string run_csv(const RunReport& report) {
  nlohmann::ordered_json variants = model::encode(report)["variants"];
  for (auto& variant : variants)
    for (auto& traffic : variant["traffic"])
      for (auto& figure : traffic)
        if (figure.is_object()) figure.erase("buckets");  // A histogram is no value of a cell.
  return rows_csv(variants, "variant", {"status", "reason"}, "traffic");
}

std::string machine_text(const model::NodeMachine& machine) {
  using model::FigureSource;
  const std::string cores = fmt::format("{} core{}", machine.cores, machine.cores == 1 ? "" : "s");
  const std::string nic = nominal_rate_text(machine.nic_bps);
  const bool cores_assumed = machine.cores_from == FigureSource::Default;
  const bool nic_assumed = machine.nic_from == FigureSource::Default;
  if (cores_assumed && nic_assumed)
    return fmt::format("{}: {} and a NIC of {} are assumed",
                       machine.type.empty() ? "type not given" : machine.type + " is not known",
                       cores, nic);
  if (machine.cores_from == FigureSource::Topology && machine.nic_from == FigureSource::Topology)
    return fmt::format("as the Topology says: {}, {}", cores, nic);
  const std::string name = machine.type.empty() ? "" : machine.type + ": ";
  if (cores_assumed) return fmt::format("{}{} are assumed, NIC of {}", name, cores, nic);
  if (nic_assumed)
    return fmt::format("{}{}; its NIC is not known, {} is assumed", name, cores, nic);
  if (!machine.sustained_bps) return fmt::format("{}{}, {}", name, cores, nic);
  const std::string sustained = nominal_rate_text(*machine.sustained_bps);
  return machine.sends_at_sustained_rate
             ? fmt::format("{}{}, {} sustained ({} in bursts)", name, cores, sustained, nic)
             : fmt::format("{}{}, {} in bursts ({} sustained)", name, cores, nic, sustained);
}

bool stays_in_one_zone(const RunReport& report, const std::string& traffic) {
  const std::string wanted =
      fmt::format("traffic \"{}\" wants two nodes in different zones", traffic);
  return std::ranges::any_of(report.findings, [&](const Finding& finding) {
    return finding.rule == "zones-unavailable" && finding.message.starts_with(wanted);
  });
}

}  // namespace overlane::report
