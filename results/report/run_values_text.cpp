#include "results/report/run_values_text.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "results/base/text.h"
#include "results/report/judgement_text.h"
#include "results/report/run_table.h"
#include "results/report/text.h"
#include "results/stats/judge.h"

namespace overlane::report {

namespace {

using model::CaseRun;
using model::FlowTrace;
using model::SuiteRun;
using model::TracedTcp;
using model::TraceLeg;
using model::TraceLine;
using Cell = std::vector<std::pair<std::string, std::string>>;

/// The names and values in the name of a cell: "runs/nodes=10/seed=1".
Cell cell_of(const std::string& case_name) {
  Cell cell;
  for (std::size_t at = case_name.find('/'); at != std::string::npos;) {
    const std::size_t end = case_name.find('/', at + 1);
    const std::string part =
        case_name.substr(at + 1, end == std::string::npos ? end : end - at - 1);
    if (const std::size_t equals = part.find('='); equals != std::string::npos)
      cell.emplace_back(part.substr(0, equals), part.substr(equals + 1));
    at = end;
  }
  return cell;
}

std::string plain(const std::optional<model::Figure>& figure) {
  if (!figure) return "";
  return std::visit([](const auto& value) { return fmt::format("{}", value); }, *figure);
}

/// "seq 1:1449, ack 1, win 65536", as tcpdump writes it.
std::string tcp_text(const TracedTcp& tcp) {
  std::string text = fmt::format(" [{}] seq {}", tcp.flags, tcp.sequence);
  if (tcp.payload_bytes > 0) text += fmt::format(":{}", tcp.sequence + tcp.payload_bytes);
  if (tcp.flags != "S") text += fmt::format(", ack {}", tcp.acknowledgement);
  text += fmt::format(", win {}", tcp.window_bytes);
  if (tcp.sack_blocks > 0) text += fmt::format(", sack {}", tcp.sack_blocks);
  if (tcp.retransmission) text += ", RETRANSMISSION";
  const bool acknowledges_only = tcp.flags == "." && tcp.payload_bytes == 0;
  if (tcp.congestion_window_bytes == 0 || acknowledges_only) return text;
  text += fmt::format("; cwnd {}, in flight {}", tcp.congestion_window_bytes, tcp.in_flight_bytes);
  if (tcp.smoothed_rtt_ns > 0) text += ", srtt " + duration_text(tcp.smoothed_rtt_ns);
  return text;
}

std::string addresses(const TraceLine& line) {
  const std::string ends =
      fmt::format("{} > {}", line.source.to_string(), line.destination.to_string());
  return line.encapsulation == "none" ? ends : fmt::format("{} {}", line.encapsulation, ends);
}

std::string what_text(const TraceLine& line) {
  std::string text(line.event);
  if (line.drop) text += fmt::format(" {} ({})", to_string(*line.drop), facts(*line.drop).meaning);
  if (line.event == "sent" || line.event == "on-wire" || line.event == "read" || line.drop)
    text += fmt::format(" {} B", line.bytes);
  if (line.is_icmp) text += " ICMP";
  if (line.is_fragment) text += " fragment";
  if (line.event == "on-wire" || line.is_icmp) text += ' ' + addresses(line);
  const bool shows_tcp = line.event == "sent" || line.drop || line.event == "delivered";
  if (line.tcp && shows_tcp) text += tcp_text(*line.tcp);
  return text;
}

std::string line_text(const TraceLine& line) {
  const std::string packet = line.packet == 0 ? "" : fmt::format("#{}", line.packet);
  const std::string waited = line.waited_ns == 0 ? "" : "+" + duration_text(line.waited_ns);
  return fmt::format("{:>15} {:>{}} {} {:>7} {:<17} {}\n", count_text(line.at_ns), waited,
                     // {fmt} computes display widths of UTF-8.
                     11, line.backward ? '<' : '>', packet, line.place, what_text(line));
}

std::string leg_text(const TraceLeg& leg) {
  return fmt::format("  {} {:<17} {:<10} {:>11} {:>11} {:>11}\n", leg.backward ? '<' : '>',
                     leg.place, leg.event, count_text(leg.packets),
                     duration_text(leg.sum_ns / leg.packets), duration_text(leg.max_ns));
}

/// The legs by direction, then by total time, longest first. Omits legs without time unless their
/// count matters.
std::vector<TraceLeg> longest_first(std::vector<TraceLeg> legs) {
  std::erase_if(legs, [](const TraceLeg& leg) {
    return leg.sum_ns == 0 && leg.event != "sent" && leg.event != "merged" &&
           leg.event != "dropped";
  });
  std::ranges::stable_sort(
      legs, {}, [](const TraceLeg& leg) { return std::pair(leg.backward, -leg.sum_ns); });
  return legs;
}

}  // namespace

std::string run_values_text(const SuiteRun& run, Style style) {
  std::string text =
      heading_text(fmt::format("{}: {} of {}, {}", run.suite, commit_text(run), time_text(run),
                               counted_text(run.cases.size(), "case")),
                   style) +
      '\n';
  for (const CaseRun& one : run.cases) {
    text += '\n' + heading_text(one_line(one.name), style) + '\n';
    if (one.status != model::CaseStatus::Complete)
      text += wrapped("  ", fmt::format("{}: {}", to_string(one.status), one.reason), 80);
    for (const model::MeasuredMetric& measured : one.metrics) {
      const std::string unit = measured.metric.unit.empty() ? "" : " " + measured.metric.unit;
      text += fmt::format("  {}  {}{}\n", one_line(measured.metric.name),
                          figure_text(stats::middle_of(measured)), unit);
    }
  }
  return text;
}

std::string run_values_csv(const SuiteRun& run) {
  std::vector<std::string> names;
  for (const CaseRun& one : run.cases)
    for (const auto& [name, value] : cell_of(one.name))
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  std::vector<std::string> head{"case"};
  head.insert(head.end(), names.begin(), names.end());
  head.insert(head.end(), {"status", "metric", "value", "unit"});
  std::string csv = csv_record(head);
  for (const CaseRun& one : run.cases) {
    const Cell cell = cell_of(one.name);
    std::vector<std::string> start{one.name};
    for (const std::string& name : names) {
      const auto found = std::ranges::find(cell, name, &Cell::value_type::first);
      start.push_back(found == cell.end() ? "" : found->second);
    }
    start.emplace_back(to_string(one.status));
    const auto add = [&](const std::string& metric, const std::string& value,
                         const std::string& unit) {
      std::vector<std::string> record = start;
      record.insert(record.end(), {metric, value, unit});
      csv += csv_record(record);
    };
    if (one.metrics.empty()) add("", "", "");
    for (const model::MeasuredMetric& measured : one.metrics)
      add(measured.metric.name, plain(stats::middle_of(measured)), measured.metric.unit);
  }
  return csv;
}

std::string flow_trace_text(const FlowTrace& trace) {
  std::string text =
      fmt::format("flow {}/{} of variant {}", trace.traffic, trace.flow, trace.variant);
  if (trace.client.empty()) return text + ": it sent nothing\n";
  text += fmt::format(": {} > {}\n{:>15} {:>11}\n", trace.client, trace.server, "time ns", "since");
  for (const TraceLine& line : trace.lines)
    text += line_text(line);
  if (trace.left_out > 0)
    text += fmt::format("{:>15} {} more lines (--trace-limit)\n", "…", count_text(trace.left_out));
  text += fmt::format("where the time of all packets went\n  {:<19} {:<10} {:>11} {:>11} {:>11}\n",
                      "", "", "packets", "mean", "longest");
  for (const TraceLeg& leg : longest_first(trace.legs))
    text += leg_text(leg);
  return text;
}

}  // namespace overlane::report
