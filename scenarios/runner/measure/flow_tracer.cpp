#include "scenarios/runner/measure/flow_tracer.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace overlane::runner {
namespace {

using run::Sighting;
using run::Stop;

std::string end_text(IpAddress address, std::uint16_t port) {
  return address.is_ipv4() ? fmt::format("{}:{}", address.to_string(), port)
                           : fmt::format("[{}]:{}", address.to_string(), port);
}

/// tcpdump's letters.
std::string_view flags_of(const transport::Segment& segment) {
  if (segment.syn) return segment.ack ? "S." : "S";
  if (segment.fin) return segment.ack ? "F." : "F";
  return segment.ack ? "." : "none";
}

}  // namespace

std::string_view to_string(Stop stop) {
  switch (stop) {
    case Stop::Sent:
      return "sent";
    case Stop::Worked:
      return "worked-on";
    case Stop::Crypted:
      return "crypted";
    case Stop::Copied:
      return "copied";
    case Stop::OnWire:
      return "on-wire";
    case Stop::Admitted:
      return "admitted";
    case Stop::AtLeaf:
      return "at-leaf";
    case Stop::AtSpine:
      return "at-spine";
    case Stop::Crossed:
      return "crossed";
    case Stop::Received:
      return "received";
    case Stop::Polled:
      return "polled";
    case Stop::Merged:
      return "merged";
    case Stop::Held:
      return "held";
    case Stop::Delivered:
      return "delivered";
    case Stop::Dropped:
      return "dropped";
    case Stop::Read:
      return "read";
  }
  return "";
}

std::string FlowTracer::place_of(const Sighting& sighting) const {
  const std::string& node = nodes_[sighting.node];
  switch (sighting.stop) {
    case Stop::Worked:
    case Stop::Crypted:
    case Stop::Polled:
    case Stop::Merged:
      return fmt::format("{} core {}", node, sighting.core);
    case Stop::OnWire:
    case Stop::Received:
      return node + " NIC";
    case Stop::AtLeaf:
      return fmt::format("leaf of rack {}", sighting.switch_number + 1);
    case Stop::AtSpine:
      return fmt::format("spine {}", sighting.switch_number + 1);
    case Stop::Admitted:
    case Stop::Crossed:
      return "fabric to " + node;
    case Stop::Sent:
    case Stop::Copied:
    case Stop::Delivered:
    case Stop::Read:
      return node + (sighting.on_node ? " host" : " pod");
    case Stop::Held:
    case Stop::Dropped:
      return node;
  }
  return node;
}

model::TracedTcp FlowTracer::tcp_of(const Sighting& sighting) {
  const transport::Segment& segment = *sighting.segment;
  // The SYN has number 0, the first byte 1.
  model::TracedTcp tcp{.sequence = segment.sequence + (segment.syn ? 0 : 1),
                       .acknowledgement = segment.ack ? segment.acknowledges + 1 : 0,
                       .window_bytes = segment.window,
                       .payload_bytes = segment.length,
                       .flags = flags_of(segment),
                       .sack_blocks = segment.sack_count};
  if (!sighting.sender) return tcp;
  std::int64_t& highest = highest_[sighting.end];
  if (segment.syn) highest = 0;  // The next connection of the same end.
  tcp.retransmission = segment.length > 0 && segment.sequence < highest;
  highest = std::max(highest, segment.sequence + segment.length);
  tcp.congestion_window_bytes = sighting.sender->congestion_window;
  tcp.in_flight_bytes = sighting.sender->in_flight;
  tcp.smoothed_rtt_ns = sighting.sender->smoothed_rtt.whole_nanoseconds();
  return tcp;
}

void FlowTracer::add_leg(const Sighting& sighting, std::string_view event,
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

void FlowTracer::see(const Sighting& sighting) {
  const forward::Packet* header = sighting.header;
  if (trace_.client.empty() && sighting.stop == Stop::Sent && !sighting.backward) {
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
