#include <nlohmann/json.hpp>

#include "results/finding/finding.h"
#include "topologies/path/trace_report.h"

namespace overlane::path {
namespace {

using Json = nlohmann::ordered_json;
using forward::IpFields;
using forward::Packet;

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

Json encode(const Asked& asked) {
  Json json{{"from", encode(asked.from)},
            {"to", encode(asked.to)},
            {"backend", asked.backend ? encode(*asked.backend) : Json()}};
  Packet packet = asked.request.packet;
  if (asked.request.service) packet.inner.destination = asked.request.service->address;
  add_header(json, packet);
  return json;
}

std::string_view kind_name(Traced::Kind kind) {
  switch (kind) {
    case Traced::Kind::Packet:
      return "packet";
    case Traced::Kind::Fragment:
      return "fragment";
    case Traced::Kind::IcmpError:
      return "icmp-error";
    case Traced::Kind::Answer:
      return "answer";
  }
  return "";
}

Json encode_packets(const Trace& trace) {
  Json list = Json::array();
  for (const Traced& packet : trace.packets) {
    list.push_back({{"kind", kind_name(packet.kind)},
                    {"name", packet.name},
                    {"of", packet.of ? Json(*packet.of) : Json()}});
  }
  return list;
}

Json encode_arrived(const Trace& trace) {
  Json list = Json::array();
  for (const Arrived& arrived : trace.arrived) {
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

}  // namespace

Json encode(const std::vector<Hop>& hops) {
  Json list = Json::array();
  for (const Hop& hop : hops) {
    const auto gate = hop.drop ? gate_of(*hop.drop) : std::nullopt;
    list.push_back({{"number", list.size() + 1},
                    {"packet", hop.packet},
                    {"place", hop.place},
                    {"decision", hop.decision},
                    {"because", hop.because},
                    {"state_entry", hop.state_entry},
                    {"drop", hop.drop ? Json(to_string(*hop.drop)) : Json()},
                    {"gate", gate ? Json(to_string(*gate)) : Json()}});
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

}  // namespace overlane::path
