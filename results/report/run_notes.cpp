#include "results/report/run_notes.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "results/model/run_report_json.h"
#include "results/report/text.h"

namespace overlane::report {
namespace {

using model::RunReport;
using model::Variant;

std::string not_run(const RunReport& report) {
  std::string lines;
  for (const Variant& variant : report.variants) {
    if (variant.status == model::VariantStatus::Ok) continue;
    lines += wrapped(fmt::format("  {} ({}): ", variant.name, to_string(variant.status)),
                     variant.reason, terminal_width());
  }
  return lines;
}

/// Only the largest few matter to the reader.
constexpr std::size_t kMostMovements = 4;

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

/// "      machine.nic 10 Gbit/s → 11 Gbit/s: goodput +10.0 %, latency p99 -9.1 % (usual NIC)".
std::string line_of(const model::Movement& movement) {
  const std::string change = movement.before == 0
                                 ? rate_text(movement.after)
                                 : change_text(ratio_ppm(movement.before, movement.after));
  const std::string source = movement.source.empty() ? "" : " (" + movement.source + ")";
  return wrapped(
      "      ",
      fmt::format("{} {} → {}: {} {}{}{}", movement.constant, movement.value, movement.moved_to,
                  short_name(movement.metric), change, also_text(movement), source),
      terminal_width());
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

/// Lists the effects of changing a limit's constants, largest first. Omits effects below 0.1 %.
std::string movements(const model::Limit& limit) {
  std::string lines;
  for (std::size_t i = 0; i < std::min(limit.movements.size(), kMostMovements); ++i)
    if (is_worth_telling(limit.movements[i])) lines += line_of(limit.movements[i]);
  if (lines.empty())
    return wrapped("      ", "10 % of any of its constants change nothing by 0.1 % or more",
                   terminal_width());
  return lines;
}

std::string limits(const RunReport& report) {
  std::string lines;
  for (const Variant& variant : report.variants) {
    for (const model::Limit& limit : variant.limits) {
      lines += wrapped(fmt::format("  {} {}: ", variant.name, limit.traffic),
                       fmt::format("{} – {} (flow {}; {})", limit.station, limit.constant,
                                   limit.flow, limit.source),
                       terminal_width());
      if (limit.movements.empty()) continue;
      if (!limit.state_entry.empty())
        lines += wrapped("      ", limit.state_entry, terminal_width());
      lines += movements(limit);
    }
  }
  return lines;
}

/// Lists the constants that affect latency and CPU use most.
std::string explained(const RunReport& report) {
  std::string lines;
  for (const Variant& variant : report.variants) {
    for (const model::Explained& one : variant.explained) {
      const std::string of = one.traffic.empty() ? "" : " " + one.traffic;
      lines += fmt::format("  {}{}: {}{}\n", variant.name, of, short_name(one.metric),
                           one.movements.empty() ? " – no constant moves it" : "");
      for (std::size_t i = 0; i < std::min(one.movements.size(), kMostMovements); ++i)
        if (i == 0 || moves_far(one.movements[i])) lines += line_of(one.movements[i]);
    }
  }
  return lines;
}

/// Lists assumptions, grouped by source.
std::string assumptions(const RunReport& report) {
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
  std::string lines;
  for (const auto& [source, values] : by_source)
    lines += wrapped("  ", values, terminal_width()) + wrapped("      ", source, terminal_width());
  return lines;
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
  for (const Variant& variant : report.variants) {
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

/// Every finding, with its hint.
std::string finding_lines(const RunReport& report) {
  std::string lines;
  for (const Finding& finding : report.findings) {
    const std::string where = finding.place.to_string();
    lines += wrapped_line(fmt::format("  {}: ", to_string(finding.severity)),
                          fmt::format("{} [{}]{}{}", finding.message, finding.rule,
                                      finding.hint.empty() ? "" : "; " + finding.hint,
                                      where.empty() ? "" : fmt::format(" ({})", where)));
  }
  return lines;
}

/// How the kernel measured.
std::string kernel_facts(const RunReport& report) {
  std::string lines;
  const auto line = [&](std::string_view name, const std::string& text) {
    lines += wrapped(fmt::format("  {:<13} ", name), text, terminal_width());
  };
  for (const Variant& variant : report.variants) {
    if (!variant.kernel) continue;
    const model::KernelFacts& kernel = *variant.kernel;
    line("kernel", kernel.release);
    line("between nodes",
         kernel.wire + (kernel.hosts.empty() ? ": no latency, rate or loss of the VPC"
                                             : ", which may carry other traffic"));
    for (std::size_t i = 0; i < kernel.hosts.size(); ++i)
      line(fmt::format("host {}", i + 1), host_text(kernel.hosts[i]));
    line("offloads",
         fmt::format("segmentation (GSO, TSO) {}, receive (GRO) {}",
                     kernel.segmentation ? "on" : "off", kernel.receive ? "on" : "off"));
    line("slices",
         fmt::format("{} of each traffic of each variant, in alternation", kernel.slices));
    break;
  }
  line("losses", losses_text(report));
  line("findings", findings(report));
  return lines;
}

/// How many threads worked on one run, where that says something.
std::string threads_text(const model::EngineFacts& engine) {
  if (engine.threads > 1) return fmt::format(" on {} threads", engine.threads);
  if (engine.one_thread_because.empty()) return "";
  return " on one thread: " + engine.one_thread_because;
}

/// ": CPU time is free", or how the ranges of the comparison came about.
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
std::string run_facts(const RunReport& report) {
  if (report.executor == model::Executor::Kernel) return kernel_facts(report);
  model::EngineFacts total;
  model::BytePath bytes;
  for (const Variant& variant : report.variants) {
    total += variant.engine;
    bytes += variant.byte_path;
  }
  std::string lines;
  const auto line = [&](std::string_view name, const std::string& text) {
    lines += wrapped(fmt::format("  {:<13} ", name), text, terminal_width());
  };
  line("seed", std::to_string(report.seed));
  if (report.seeds.size() > 1)
    line("repetitions", fmt::format("{}, with seeds derived from it", report.seeds.size()));
  line("result hash", model::result_hash(report));
  line("cost profile", report.cost_profile + costs_text(report));
  if (report.machine) line("machine", machine_text(*report.machine));
  line("byte path", fmt::format("{} decisions checked, {} mismatched", count_text(bytes.checked),
                                count_text(bytes.mismatched)));
  line("engine", fmt::format("{} events, {} packet hops; {:.2f} s set-up, {:.2f} s simulation{}",
                             count_text(total.events), count_text(total.packet_hops),
                             total.setup_seconds, total.loop_seconds, threads_text(total)));
  line("findings", findings(report));
  return lines;
}

/// What each event changes, in each variant.
std::string steps(const RunReport& report) {
  std::string lines;
  for (const Variant& variant : report.variants)
    for (const model::Step& step : variant.steps) {
      lines += wrapped(fmt::format("  {}  {}: ", duration_text(step.at_ns), variant.name),
                       step.what, terminal_width());
      for (const std::string& line : step.lines)
        lines += wrapped("    ", line, terminal_width());
      if (step.lines.empty()) lines += "    (nothing changes)\n";
    }
  return lines;
}

}  // namespace

std::vector<RunNote> run_note_list(const RunReport& report) {
  std::vector<RunNote> notes{{"steps", steps(report)},
                             {"not run in full", not_run(report)},
                             {"limited by", limits(report)},
                             {"moved by", explained(report)},
                             {"assumed (no given document says so)", assumptions(report)},
                             {"warnings and notes", finding_lines(report)},
                             {"run", run_facts(report)}};
  std::erase_if(notes, [](const RunNote& note) { return note.lines.empty(); });
  return notes;
}

std::string run_notes(const RunReport& report, Style style) {
  std::string text;
  for (const RunNote& note : run_note_list(report))
    text += '\n' + heading_text(note.title, style) + '\n' + note.lines;
  return text;
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
