#include "topologies/path/trace_report.h"

#include <map>

#include <fmt/format.h>

#include "dataplane/capture/pcapng_writer.h"

namespace overlane::path {

TraceReport report(const compile::Compiled& states, std::string shoot, Asked asked) {
  TraceReport report{.shoot = std::move(shoot),
                     .asked = std::move(asked),
                     .without = {},
                     .trace = {},
                     .needed = {},
                     .findings = {}};
  report.trace = trace(states, report.asked.request);
  if (report.trace.failure) report.needed = needed(states, *report.trace.failure);
  return report;
}

std::string_view outcome_of(const Trace& trace) {
  if (trace.succeeded()) return "delivered";
  return trace.delivered ? "answer-dropped" : "dropped";
}

Result<void> write_legs(const std::string& file, const Trace& trace) {
  auto writer = capture::PcapngWriter::create(file);
  if (!writer) return fail(writer.error());
  std::map<std::string, std::uint32_t> interfaces;
  for (const Leg& leg : trace.legs) {
    if (interfaces.contains(leg.interface)) continue;
    interfaces[leg.interface] = writer->add_interface(leg.interface, capture::LinkType::RawIp);
  }
  for (std::size_t i = 0; i < trace.legs.size(); ++i) {
    const Leg& leg = trace.legs[i];
    const Hop& hop = trace.hops[leg.hop];
    using Direction = capture::PcapngWriter::Direction;
    writer->write(
        interfaces[leg.interface], {0, static_cast<std::uint32_t>((i + 1) * 1000)}, leg.bytes,
        leg.leaves ? Direction::Outbound : Direction::Inbound,
        fmt::format("hop {}, {}: {}: {}", leg.hop + 1, hop.place, hop.decision, hop.because));
  }
  return writer->close();
}

}  // namespace overlane::path
