#include "results/report/flow_trace_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "results/report/text.h"

namespace overlane::report {
namespace {

using model::FlowTrace;
using model::TracedTcp;
using model::TraceLeg;
using model::TraceLine;

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

/// Sorts by direction, then by total time, longest first. Omits legs without time unless their
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
