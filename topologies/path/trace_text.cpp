#include <fmt/format.h>

#include "results/report/document_text.h"
#include "results/report/text.h"
#include "topologies/path/trace_report.h"

namespace overlane::path {
namespace {

/// As wide as the terminal.
std::string line(std::string_view first, std::string_view text) {
  return report::wrapped(first, text, report::terminal_width());
}

/// A line of a state, of which the rest is seen to belong to it.
std::string entry_line(std::string_view first, std::string_view entry) {
  return report::wrapped(first, entry, report::terminal_width(), report::display_width(first) + 4);
}

std::string name_of(const Endpoint& endpoint) {
  const std::string address = endpoint.address.to_string();
  if (endpoint.kind == Endpoint::Kind::Service) return "service " + address;
  return endpoint.name == address ? address : fmt::format("{} ({})", endpoint.name, address);
}

std::string protocol_text(const forward::Packet& packet) {
  switch (packet.inner.protocol) {
    case forward::kTcp:
      return fmt::format("TCP port {} to {}", packet.source_port, packet.destination_port);
    case forward::kUdp:
      return fmt::format("UDP port {} to {}", packet.source_port, packet.destination_port);
    default:
      return "ICMP echo";
  }
}

std::string question_text(const TraceReport& report) {
  const Asked& asked = report.asked;
  const forward::Packet& packet = asked.request.packet;
  std::string route =
      fmt::format("{}: {} to {}", report.shoot, name_of(asked.from), name_of(asked.to));
  if (asked.backend) route += fmt::format(", for which {} stands", name_of(*asked.backend));
  std::string text = line("", route);
  text += fmt::format("{}, {} bytes", protocol_text(packet), packet.inner.total_length);
  if (packet.inner.is_ipv4()) {
    text += packet.inner.dont_fragment ? ", not to be cut (DF)" : ", may be cut";
  }
  text += fmt::format(", TTL {}\n", packet.inner.ttl);
  for (const Change& change : report.without)
    text += entry_line("", fmt::format("without {}: {}", change.place, change.line));
  return text;
}

std::string places(const TraceReport& report) {
  std::string text;
  std::string last;
  for (const Arrived& arrived : report.trace.arrived) {
    if (report.trace.is_of_error(arrived.packet) || arrived.place == last) continue;
    text += text.empty() ? "" : ", and the answer to ";
    text += arrived.outside ? "the way out of the VPC" : arrived.place;
    last = arrived.place;
  }
  return text;
}

std::string verdict_text(const TraceReport& report) {
  const Trace& trace = report.trace;
  if (trace.succeeded())
    return line("", fmt::format("DELIVERED to {}{}{}.", places(report),
                                report.condition.empty() ? "" : ", ", report.condition));
  if (!trace.failure) return "NOT DELIVERED.\n";
  const Hop& hop = trace.hops[trace.failure->hop];
  std::string text = line(
      "", fmt::format("{} at gate {}: {}, hop {}.", trace.delivered ? "ANSWER DROPPED" : "DROPPED",
                      to_string(report.needed->gate), hop.place, trace.failure->hop + 1));
  text += line("  why:    ", hop.because);
  if (!hop.state_entry.empty()) text += entry_line("  by:     ", hop.state_entry);
  if (!report.needed->what.empty()) {
    text += line("  needed: ", fmt::format("in {}, {}", report.needed->place, report.needed->what));
  }
  if (!report.needed->entry.empty()) text += entry_line("          ", report.needed->entry);
  return text;
}

int depth_of(const Trace& trace, std::uint32_t packet) {
  int depth = 0;
  for (auto at = trace.packets[packet].of; at; at = trace.packets[*at].of)
    ++depth;
  return depth;
}

std::string hops_text(const Trace& trace) {
  std::string text;
  std::uint32_t packet = 0;
  for (std::size_t i = 0; i < trace.hops.size(); ++i) {
    const Hop& hop = trace.hops[i];
    const std::string indent(static_cast<std::size_t>(depth_of(trace, hop.packet)) * 3, ' ');
    if (hop.packet != packet)
      text += fmt::format("{}{}:\n", indent, trace.packets[hop.packet].name);
    packet = hop.packet;
    text += line(fmt::format("{}{:>3}. ", indent, i + 1),
                 fmt::format("{}, {}: {}", hop.place, hop.decision, hop.because));
    if (!hop.state_entry.empty()) text += entry_line(indent + "       ", hop.state_entry);
  }
  return text;
}

std::string assumptions_text(const TraceReport& report) {
  if (report.assumptions.empty()) return "";
  std::string text = "\nassumed, since no document says:\n";
  for (const model::Assumption& assumption : report.assumptions)
    text += report::wrapped(fmt::format("  {} {}: ", assumption.parameter, assumption.value),
                            assumption.source, report::terminal_width(), 6);
  return text;
}

}  // namespace

std::string print(const TraceReport& report) {
  return question_text(report) + '\n' + verdict_text(report) +
         report::remarks_text(report.all_findings()) + '\n' + hops_text(report.trace) +
         assumptions_text(report);
}

}  // namespace overlane::path
