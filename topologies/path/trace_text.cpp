#include <fmt/format.h>

#include "topologies/path/trace_report.h"

namespace overlane::path {
namespace {

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
  std::string text =
      fmt::format("{}: {} to {}", report.shoot, name_of(asked.from), name_of(asked.to));
  if (asked.backend) text += fmt::format(", for which {} stands", name_of(*asked.backend));
  text += fmt::format("\n{}, {} bytes", protocol_text(packet), packet.inner.total_length);
  if (packet.inner.is_ipv4()) {
    text += packet.inner.dont_fragment ? ", not to be cut (DF)" : ", may be cut";
  }
  text += fmt::format(", TTL {}\n", packet.inner.ttl);
  for (const Change& change : report.without)
    text += fmt::format("without {}: {}\n", change.place, change.line);
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
  if (trace.succeeded()) return fmt::format("DELIVERED to {}.\n", places(report));
  if (!trace.failure) return "NOT DELIVERED.\n";
  const Hop& hop = trace.hops[trace.failure->hop];
  std::string text =
      fmt::format("{} at gate {}: {}, hop {}.\n", trace.delivered ? "ANSWER DROPPED" : "DROPPED",
                  to_string(report.needed->gate), hop.place, trace.failure->hop + 1);
  text += fmt::format("  why:    {}\n", hop.because);
  if (!hop.state_entry.empty()) text += fmt::format("  by:     {}\n", hop.state_entry);
  if (!report.needed->what.empty()) {
    text += fmt::format("  needed: in {}, {}\n", report.needed->place, report.needed->what);
  }
  if (!report.needed->entry.empty()) text += fmt::format("          {}\n", report.needed->entry);
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
    text +=
        fmt::format("{}{:>3}. {}, {}: {}\n", indent, i + 1, hop.place, hop.decision, hop.because);
    if (!hop.state_entry.empty()) text += fmt::format("{}       {}\n", indent, hop.state_entry);
  }
  return text;
}

std::string assumptions_text(const TraceReport& report) {
  if (report.assumptions.empty()) return "";
  std::string text = "\nassumed, since no document says:\n";
  for (const model::Assumption& assumption : report.assumptions)
    text += fmt::format("  {} {}: {}\n", assumption.parameter, assumption.value, assumption.source);
  return text;
}

}  // namespace

std::string print(const TraceReport& report) {
  return question_text(report) + '\n' + verdict_text(report) + '\n' + hops_text(report.trace) +
         assumptions_text(report);
}

}  // namespace overlane::path
