#include "scenarios/runner/measure/flow_tracer.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace overlane::runner {
namespace {

using run::TraceEvent;
using run::TracePoint;

std::string end_text(IpAddress address, std::uint16_t port) {
  return address.is_ipv4() ? fmt::format("{}:{}", address.to_string(), port)
                           : fmt::format("[{}]:{}", address.to_string(), port);
}

/// TCP flags as tcpdump writes them.
std::string_view flags_of(const transport::Segment& segment) {
  if (segment.rst) return "R";
  if (segment.syn) return segment.ack ? "S." : "S";
  if (segment.fin) return segment.ack ? "F." : "F";
  return segment.ack ? "." : "none";
}

}  // namespace

std::string_view to_string(TracePoint stop) {
  switch (stop) {
    case TracePoint::Sent:
      return "sent";
    case TracePoint::Worked:
      return "worked-on";
    case TracePoint::Crypted:
      return "crypted";
    case TracePoint::Vhost:
      return "vhost";
    case TracePoint::Copied:
      return "copied";
    case TracePoint::OnWire:
      return "on-wire";
    case TracePoint::Admitted:
      return "admitted";
    case TracePoint::AtLeaf:
      return "at-leaf";
    case TracePoint::AtSpine:
      return "at-spine";
    case TracePoint::Crossed:
      return "crossed";
    case TracePoint::Received:
      return "received";
    case TracePoint::Polled:
      return "polled";
    case TracePoint::Merged:
      return "merged";
    case TracePoint::Held:
      return "held";
    case TracePoint::Delivered:
      return "delivered";
    case TracePoint::Dropped:
      return "dropped";
    case TracePoint::Read:
      return "read";
  }
  return "";
}

std::string FlowTracer::place_of(const TraceEvent& sighting) const {
  const std::string& node = nodes_[sighting.node];
  switch (sighting.stop) {
    case TracePoint::Worked:
    case TracePoint::Crypted:
    case TracePoint::Polled:
    case TracePoint::Merged:
      return fmt::format("{} core {}", node, sighting.core);
    case TracePoint::OnWire:
    case TracePoint::Received:
      return node + " NIC";
    case TracePoint::Vhost:
      return "hypervisor of " + node;
    case TracePoint::AtLeaf:
      return fmt::format("leaf of rack {}", sighting.switch_number + 1);
    case TracePoint::AtSpine:
      return fmt::format("spine {}", sighting.switch_number + 1);
    case TracePoint::Admitted:
    case TracePoint::Crossed:
      return "fabric to " + node;
    case TracePoint::Sent:
    case TracePoint::Copied:
    case TracePoint::Delivered:
    case TracePoint::Read:
      return node + (sighting.on_node ? " host" : " pod");
    case TracePoint::Held:
    case TracePoint::Dropped:
      return node;
  }
  return node;
}

model::TracedTcp FlowTracer::tcp_of(const TraceEvent& sighting) {
  const transport::Segment& segment = *sighting.segment;
  // The SYN has number 0, the first byte number 1.
  model::TracedTcp tcp{.sequence = segment.sequence + (segment.syn ? 0 : 1),
                       .acknowledgement = segment.ack ? segment.acknowledges + 1 : 0,
                       .window_bytes = segment.window,
                       .payload_bytes = segment.length,
                       .flags = flags_of(segment),
                       .sack_blocks = static_cast<std::int64_t>(segment.sack.size())};
  if (!sighting.sender) return tcp;
  std::int64_t& highest = highest_[sighting.end];
  if (segment.syn) highest = 0;  // A new connection of the same end.
  tcp.retransmission = segment.length > 0 && segment.sequence < highest;
  highest = std::max(highest, segment.sequence + segment.length);
  tcp.congestion_window_bytes = sighting.sender->congestion_window;
  tcp.in_flight_bytes = sighting.sender->in_flight;
  tcp.smoothed_rtt_ns = sighting.sender->smoothed_rtt.whole_nanoseconds();
  return tcp;
}

void FlowTracer::add_leg(const TraceEvent& sighting, std::string_view event,
                         const std::string& place) {
  const auto known = std::ranges::find_if(trace_.legs, [&](const model::TraceLeg& leg) {
    return leg.backward == sighting.backward && leg.event == event && leg.place == place;
  });
  model::TraceLeg& leg =
      known != trace_.legs.end()
          ? *known
          : trace_.legs.emplace_back(model::TraceLeg{sighting.backward, event, place});
  const std::int64_t waited = sighting.waited.whole_nanoseconds();
  ++leg.packets;
  leg.sum_ns += waited;
  leg.max_ns = std::max(leg.max_ns, waited);
}

void FlowTracer::see(const TraceEvent& sighting) {
  const forward::Packet* header = sighting.header;
  if (trace_.client.empty() && sighting.stop == TracePoint::Sent && !sighting.backward) {
    trace_.client = end_text(header->inner.source, header->source_port);
    trace_.server = end_text(header->inner.destination, header->destination_port);
  }
  const std::string_view event = to_string(sighting.stop);
  std::string place = place_of(sighting);
  add_leg(sighting, event, place);
  std::optional<model::TracedTcp> tcp;
  if (sighting.segment != nullptr) tcp = tcp_of(sighting);
  if (trace_.lines.size() == limit_) {
    ++trace_.left_out;
    return;
  }
  model::TraceLine& line = trace_.lines.emplace_back(
      model::TraceLine{.at_ns = sighting.at.whole_nanoseconds(),
                       .waited_ns = sighting.waited.whole_nanoseconds(),
                       .packet = static_cast<std::int64_t>(sighting.packet),
                       .backward = sighting.backward,
                       .event = event,
                       .place = std::move(place),
                       .bytes = sighting.bytes,
                       .tcp = std::move(tcp),
                       .drop = sighting.drop});
  if (header == nullptr) return;
  line.encapsulation = to_string(header->encapsulation);
  line.source = header->outermost().source;
  line.destination = header->outermost().destination;
  line.is_icmp = header->icmp.has_value();
  line.is_fragment = header->outermost().is_fragment();
}

}  // namespace overlane::runner
