#include "topologies/path/trace_report.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dataplane/capture/capture_file.h"
#include "dataplane/net/byte_order.h"
#include "dataplane/wire/ethernet.h"
#include "results/finding/finding.h"
#include "results/report/document_text.h"
#include "results/report/text.h"
#include "topologies/effective/cloud_routes.h"

namespace overlane::path {
namespace {

using Json = nlohmann::ordered_json;
using forward::IpFields;
using forward::Packet;

/// Whether the fabric forwarded a packet by a route of the cloud's route controller.
bool uses_cloud_route(const Trace& trace) {
  const std::string owner = fmt::format("({})", to_string(node::FabricRouteOwner::RouteController));
  return std::ranges::any_of(trace.hops,
                             [&](const Hop& hop) { return hop.state_entry.ends_with(owner); });
}

/// Whether the provider's nameserver got the packet from an address that no machine has.
/// "Under not too clear circumstances, source NAT is required" (provider-aws pull request 702).
bool asks_as_pod(const compile::Compiled& states, const Trace& trace) {
  return std::ranges::any_of(trace.arrived, [&](const DeliveredPacket& arrived) {
    if (!arrived.outside || arrived.place != "nameserver") return false;
    const auto& own = states.fabric.instances[arrived.node].addresses;
    return std::ranges::find(own, arrived.as.outermost().source) == own.end();
  });
}

/// The leg's frame with a header of LINKTYPE_LINUX_SLL2, which needs no link-layer addresses
/// (https://www.tcpdump.org/linktypes/LINKTYPE_LINUX_SLL2.html). Raw IP is not used, because
/// libpcap reads no pcapng file of raw IP with several interfaces.
std::vector<std::uint8_t> cooked(const Leg& leg, std::uint32_t interface) {
  constexpr std::size_t kCookedBytes = 20;
  constexpr std::uint16_t kNoLinkLayer = 0xfffe;  // ARPHRD_NONE
  constexpr std::uint8_t kToUs = 0;
  constexpr std::uint8_t kFromUs = 4;
  std::vector<std::uint8_t> frame(kCookedBytes);
  const bool ipv4 = !leg.bytes.empty() && leg.bytes[0] >> 4 == 4;
  store_be16(frame.data(), ipv4 ? wire::kEtherTypeIpv4 : wire::kEtherTypeIpv6);
  store_be32(frame.data() + 4, interface + 1);
  store_be16(frame.data() + 8, kNoLinkLayer);
  frame[10] = leg.leaves ? kFromUs : kToUs;
  frame.insert(frame.end(), leg.bytes.begin(), leg.bytes.end());
  return frame;
}

std::string protocol_name(std::uint8_t protocol) {
  switch (protocol) {
    case forward::kTcp:
      return "tcp";
    case forward::kUdp:
      return "udp";
    case forward::kIcmp:
      return "icmp";
    case forward::kIcmpv6:
      return "icmpv6";
    default:
      return std::to_string(protocol);
  }
}

void add_header(Json& json, const Packet& packet) {
  const IpFields& header = packet.outermost();
  json["source"] = header.source.to_string();
  json["destination"] = header.destination.to_string();
  json["protocol"] = protocol_name(header.protocol);
  const bool has_ports = forward::has_ports(header.protocol) && header.fragment_offset == 0 &&
                         !packet.is_encapsulated();
  json["source_port"] = has_ports ? Json(packet.source_port) : Json();
  json["destination_port"] = has_ports ? Json(packet.destination_port) : Json();
  json["length_bytes"] = header.total_length;
  json["dont_fragment"] = header.dont_fragment;
  json["ttl"] = header.ttl;
}

Json encode(const Endpoint& endpoint) {
  return {{"kind", to_string(endpoint.kind)},
          {"name", endpoint.name},
          {"address", endpoint.address.to_string()}};
}

Json encode(const ResolvedQuestion& asked) {
  Json json{{"from", encode(asked.from)},
            {"to", encode(asked.to)},
            {"backend", asked.backend ? encode(*asked.backend) : Json()}};
  Packet packet = asked.request.packet;
  if (asked.request.service) packet.inner.destination = asked.request.service->address;
  add_header(json, packet);
  return json;
}

std::string_view kind_name(TracedPacket::Kind kind) {
  switch (kind) {
    case TracedPacket::Kind::Packet:
      return "packet";
    case TracedPacket::Kind::Fragment:
      return "fragment";
    case TracedPacket::Kind::IcmpError:
      return "icmp-error";
    case TracedPacket::Kind::Answer:
      return "answer";
  }
  return "";
}

Json encode_packets(const Trace& trace) {
  Json list = Json::array();
  for (const TracedPacket& packet : trace.packets) {
    list.push_back({{"kind", kind_name(packet.kind)},
                    {"name", packet.name},
                    {"of", packet.of ? Json(*packet.of) : Json()}});
  }
  return list;
}

Json encode_arrived(const Trace& trace) {
  Json list = Json::array();
  for (const DeliveredPacket& arrived : trace.arrived) {
    Json json{{"place", arrived.place},
              {"packet", arrived.packet},
              {"kind", kind_name(trace.packets[arrived.packet].kind)}};
    add_header(json, arrived.as);
    list.push_back(std::move(json));
  }
  return list;
}

Json encode_legs(const Trace& trace) {
  Json list = Json::array();
  for (const Leg& leg : trace.legs) {
    list.push_back({{"number", list.size() + 1},
                    {"hop", leg.hop + 1},
                    {"packet", leg.packet},
                    {"interface", leg.interface},
                    {"direction", leg.leaves ? "out" : "in"},
                    {"length_bytes", leg.bytes.size()}});
  }
  return list;
}

Json encode_failure(const TraceReport& report) {
  if (!report.trace.failure) return nullptr;
  const Failure& failure = *report.trace.failure;
  const Hop& hop = report.trace.hops[failure.hop];
  return {{"hop", failure.hop + 1},
          {"place", hop.place},
          {"drop", to_string(failure.drop)},
          {"because", hop.because}};
}

Json encode(const Needed& needed) {
  return {{"place", needed.place}, {"what", needed.what}, {"state_entry", needed.entry}};
}

/// `first` and the text, wrapped at the terminal's width.
std::string line(std::string_view first, std::string_view text) {
  return report::wrapped(first, text, report::terminal_width());
}

/// A line of a state, wrapped with indented continuation lines.
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
  const ResolvedQuestion& asked = report.asked;
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
  for (const DeliveredPacket& arrived : report.trace.arrived) {
    if (report.trace.is_of_error(arrived.packet) || arrived.place == last) continue;
    text += text.empty() ? "" : ", and the answer to ";
    text += !arrived.outside                ? arrived.place
            : arrived.place == "nameserver" ? "the provider's nameserver"
                                            : "the way out of the VPC";
    last = arrived.place;
  }
  return text;
}

/// `text`, which begins with `word`, with the word in a colour.
std::string with_toned_word(const std::string& text, std::string_view word, answer::Tone tone,
                            report::Style style) {
  return report::toned_part(text, 0, word.size(), tone, style);
}

std::string verdict_text(const TraceReport& report, report::Style style) {
  const Trace& trace = report.trace;
  if (trace.succeeded())
    return with_toned_word(
        line("", fmt::format("DELIVERED to {}{}{}.", places(report),
                             report.condition.empty() ? "" : ", ", report.condition)),
        "DELIVERED", report.condition.empty() ? answer::Tone::Good : answer::Tone::Warning, style);
  if (!trace.failure)
    return with_toned_word("NOT DELIVERED.\n", "NOT DELIVERED", answer::Tone::Bad, style);
  const Hop& hop = trace.hops[trace.failure->hop];
  const std::string_view word = trace.delivered ? "ANSWER DROPPED" : "DROPPED";
  std::string text = with_toned_word(
      line("", fmt::format("{} at gate {}: {}, hop {}{}{}.", word, to_string(report.needed->gate),
                           hop.place, trace.failure->hop + 1, report.condition.empty() ? "" : ", ",
                           report.condition)),
      word, answer::Tone::Bad, style);
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

TraceReport report(const compile::Compiled& states, const effective::EffectiveDataplane& shoot,
                   ResolvedQuestion asked) {
  TraceReport report{.shoot = shoot.namespace_ + '/' + shoot.name,
                     .asked = std::move(asked),
                     .without = {},
                     .trace = {},
                     .needed = {},
                     .condition = {},
                     .assumptions = {},
                     .findings = {}};
  report.trace = trace(states, report.asked.request);
  const Family family = report.asked.from.address.family();
  if (const effective::Dataplane* dataplane = shoot.dataplane_of(family);
      dataplane != nullptr && uses_cloud_route(report.trace))
    report.condition = effective::condition_of_reach(shoot, *dataplane);
  const auto add_condition = [&](std::string_view condition) {
    report.condition += report.condition.empty() ? "" : ", and ";
    report.condition += condition;
  };
  if (shoot.unadmitted && shoot.unadmitted->changes_reach)
    add_condition(condition_of_storage(shoot));
  if (asks_as_pod(states, report.trace))
    add_condition("if the nameserver answers pods' own addresses, which some do not");
  if (report.trace.failure) report.needed = needed(states, *report.trace.failure);
  return report;
}

Findings TraceReport::all_findings() const {
  Findings all = asked.findings;
  all.insert(all.end(), findings.begin(), findings.end());
  return all;
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
    interfaces[leg.interface] =
        writer->add_interface(leg.interface, capture::LinkType::LinuxCooked2);
  }
  for (std::size_t i = 0; i < trace.legs.size(); ++i) {
    const Leg& leg = trace.legs[i];
    const Hop& hop = trace.hops[leg.hop];
    using Direction = capture::PcapngWriter::Direction;
    const std::uint32_t interface = interfaces[leg.interface];
    writer->write(
        interface, {0, static_cast<std::uint32_t>((i + 1) * 1000)}, cooked(leg, interface),
        leg.leaves ? Direction::Outbound : Direction::Inbound,
        fmt::format("hop {}, {}: {}: {}", leg.hop + 1, hop.place, hop.decision, hop.because));
  }
  return writer->close();
}

Json encode(const std::vector<Hop>& hops) {
  Json list = Json::array();
  for (const Hop& hop : hops) {
    const DropFacts* drop = hop.drop ? &facts(*hop.drop) : nullptr;
    list.push_back(
        {{"number", list.size() + 1},
         {"packet", hop.packet},
         {"place", hop.place},
         {"decision", hop.decision},
         {"because", hop.because},
         {"state_entry", hop.state_entry},
         {"drop", drop != nullptr ? Json(drop->name) : Json()},
         {"gate", drop != nullptr && drop->gate ? Json(to_string(*drop->gate)) : Json()}});
  }
  return list;
}

Json encode(const TraceReport& report) {
  const Trace& trace = report.trace;
  Json without = Json::array();
  for (const Change& change : report.without)
    without.push_back({{"place", change.place}, {"line", change.line}});
  Json assumptions = Json::array();
  for (const model::Assumption& assumption : report.assumptions) {
    assumptions.push_back({{"parameter", assumption.parameter},
                           {"value", assumption.value},
                           {"source", assumption.source}});
  }
  return {{"schema_version", 1},
          {"kind", "TraceReport"},
          {"shoot", report.shoot},
          {"packet", encode(report.asked)},
          {"without", std::move(without)},
          {"outcome", outcome_of(trace)},
          {"condition", report.condition.empty() ? Json() : Json(report.condition)},
          {"first_failing_gate", report.needed ? Json(to_string(report.needed->gate)) : Json()},
          {"failure", encode_failure(report)},
          {"needed", report.needed ? encode(*report.needed) : Json()},
          {"packets", encode_packets(trace)},
          {"hops", encode(trace.hops)},
          {"packets_out", encode_arrived(trace)},
          {"legs", encode_legs(trace)},
          {"assumptions", std::move(assumptions)},
          {"findings", overlane::encode(report.all_findings())}};
}

std::string print(const TraceReport& report, report::Style style) {
  return question_text(report) + '\n' + verdict_text(report, style) +
         report::remarks_text(report.all_findings(), style) + '\n' + hops_text(report.trace) +
         assumptions_text(report);
}

}  // namespace overlane::path
