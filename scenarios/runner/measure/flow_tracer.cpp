#include "scenarios/runner/measure/flow_tracer.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace overlane::runner {

namespace {

std::uint64_t flows_of(const run::TrafficGroup& group) {
  return group.pairs.size() * group.flows_per_pair;
}

/// The available flows: "bulk/0…3 (100.96.0.2->100.96.1.2, …), requests/0 (…)".
std::string what_there_is(const std::vector<run::TrafficGroup>& traffic) {
  std::string text;
  for (const run::TrafficGroup& group : traffic) {
    if (group.pairs.empty()) continue;
    const run::PodPair pair = group.pairs.front();
    const std::string last = flows_of(group) > 1 ? fmt::format("…{}", flows_of(group) - 1) : "";
    text += fmt::format("{}{}/0{} ({}->{}{})", text.empty() ? "" : ", ", group.name, last,
                        pair.source.address.to_string(), pair.destination.address.to_string(),
                        group.pairs.size() > 1 ? ", …" : "");
  }
  return text.empty() ? "no traffic has a flow" : "there are " + text;
}

tl::unexpected<Finding> unknown(const std::vector<run::TrafficGroup>& traffic,
                                const std::string& selector, std::string_view why) {
  return fail(Finding{.rule = "unknown-flow",
                      .severity = Severity::Error,
                      .message = fmt::format("--trace-flow {}: {}", selector, why),
                      .hint = what_there_is(traffic)});
}

std::optional<FlowName> between(const std::vector<run::TrafficGroup>& traffic, IpAddress from,
                                IpAddress to) {
  for (const run::TrafficGroup& group : traffic) {
    const auto pair = std::ranges::find_if(group.pairs, [&](const run::PodPair& one) {
      return one.source.address == from && one.destination.address == to;
    });
    if (pair == group.pairs.end()) continue;
    const auto position = static_cast<std::uint32_t>(pair - group.pairs.begin());
    return FlowName{group.name, position * group.flows_per_pair};
  }
  return std::nullopt;
}

}  // namespace

Result<FlowName> choose_flow(const std::vector<run::TrafficGroup>& traffic,
                             const std::string& selector) {
  if (const std::size_t arrow = selector.find("->"); arrow != std::string::npos) {
    const auto from = IpAddress::parse(selector.substr(0, arrow));
    const auto to = IpAddress::parse(selector.substr(arrow + 2));
    if (!from || !to) return unknown(traffic, selector, "that is not two pods' addresses");
    if (auto found = between(traffic, *from, *to)) return *std::move(found);
    return unknown(traffic, selector, "no flow goes from the one to the other");
  }
  const std::size_t slash = selector.rfind('/');
  const std::string name = selector.substr(0, slash);
  const auto group = std::ranges::find(traffic, name, &run::TrafficGroup::name);
  if (group == traffic.end()) return unknown(traffic, selector, "there is no such traffic");
  std::uint32_t number = 0;
  if (slash != std::string::npos) {
    const std::string_view digits = std::string_view(selector).substr(slash + 1);
    const auto [stop, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc{} || stop != digits.data() + digits.size())
      return unknown(traffic, selector, "behind the slash stands the number of a flow");
  }
  if (number >= flows_of(*group)) return unknown(traffic, selector, "there is no such flow");
  return FlowName{name, number};
}

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
