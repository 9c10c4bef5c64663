#include "topologies/path/hubble.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dataplane/forward/read_packet.h"

namespace overlane::path {
namespace {

using Json = nlohmann::ordered_json;
using forward::IpFields;

/// A value of TraceObservationPoint, with the subtype of Cilium's monitor and the direction.
struct Point {
  std::string_view name;
  int subtype;
  std::string_view direction;
};

constexpr Point kToEndpoint{"TO_ENDPOINT", 0, "INGRESS"};
constexpr Point kToOverlay{"TO_OVERLAY", 4, "EGRESS"};
constexpr Point kFromEndpoint{"FROM_ENDPOINT", 5, "EGRESS"};
constexpr Point kFromOverlay{"FROM_OVERLAY", 9, "INGRESS"};
constexpr Point kFromNetwork{"FROM_NETWORK", 10, "INGRESS"};
constexpr Point kToNetwork{"TO_NETWORK", 11, "EGRESS"};

// Message types of Cilium's monitor (pkg/monitor/api).
constexpr int kDropMessage = 1;
constexpr int kTraceMessage = 4;

/// A value of DropReason.
struct Reason {
  std::string_view name;
  int number;
};

Reason reason_of(Drop drop) {
  if (drop == Drop::TtlExpired || drop == Drop::FabricTtlExpired) return {"TTL_EXCEEDED", 196};
  const std::optional<Gate> gate = facts(drop).gate;
  if (!gate) return {"DROP_REASON_UNKNOWN", 0};
  switch (*gate) {
    case Gate::Route:
      return {"FIB_LOOKUP_FAILED", 169};
    case Gate::Encapsulation:
      return {"NO_TUNNEL_OR_ENCAPSULATION_ENDPOINT", 160};
    case Gate::AntiSpoofing:
      return {"INVALID_SOURCE_IP", 132};
    case Gate::Filter:
      return {"POLICY_DENIED", 133};
    case Gate::Mtu:
      return {"IP_FRAGMENTATION_NOT_SUPPORTED", 157};
  }
  return {"DROP_REASON_UNKNOWN", 0};
}

/// Where an interface stands on the path, by the decision that led there.
Point point_of(const Leg& leg, const Hop& hop) {
  if (leg.leaves)
    return hop.decision == "deliver" ? kToEndpoint
           : hop.decision == "send"  ? kToNetwork
                                     : kToOverlay;
  if (hop.place == "vpc") return kFromNetwork;
  return hop.decision == "send" ? kFromEndpoint : kFromOverlay;
}

/// The names of the low bits of the TCP header's flags.
constexpr std::array<std::string_view, 8> kTcpFlags = {"FIN", "SYN", "RST", "PSH",
                                                       "ACK", "URG", "ECE", "CWR"};

/// Adds the header behind the IP header, if its bytes are known, and its summary.
void add_layer4(const IpFields& ip, std::span<const std::uint8_t> bytes, Json& flow) {
  const std::size_t at = ip.header_bytes();
  const auto number = [&](std::size_t offset) {
    return offset + 1 < bytes.size() ? bytes[offset] << 8 | bytes[offset + 1] : 0;
  };
  if (ip.fragment_offset != 0 || bytes.size() < at + 4) return;
  const Json ports{{"source_port", number(at)}, {"destination_port", number(at + 2)}};
  if (ip.protocol == forward::kUdp) {
    flow["l4"] = {{"UDP", ports}};
    flow["Summary"] = "UDP";
  } else if (ip.protocol == forward::kTcp) {
    constexpr std::size_t kFlags = 13;  // RFC 9293 3.1.
    Json tcp = ports;
    std::string summary;
    tcp["flags"] = Json::object();
    for (std::size_t i = 0; i < kTcpFlags.size() && at + kFlags < bytes.size(); ++i) {
      if ((bytes[at + kFlags] >> i & 1) == 0) continue;
      tcp["flags"][std::string(kTcpFlags[i])] = true;
      summary += fmt::format("{}{}", summary.empty() ? "" : ", ", kTcpFlags[i]);
    }
    flow["l4"] = {{"TCP", std::move(tcp)}};
    flow["Summary"] = "TCP Flags: " + summary;
  } else if (ip.is_icmp()) {
    const char* name = ip.is_ipv4() ? "ICMPv4" : "ICMPv6";
    flow["l4"] = {{name, {{"type", bytes[at]}, {"code", bytes[at + 1]}}}};
    flow["Summary"] = name;
  }
}

Json endpoint_of(const TraceReport& report, IpAddress address) {
  for (const Endpoint* one : {&report.asked.from, &report.asked.to}) {
    if (one->address != address) continue;
    if (one->kind == Endpoint::Kind::Pod) return {{"pod_name", one->name}};
    if (one->kind == Endpoint::Kind::Node) return {{"labels", {"reserved:host"}}};
  }
  return Json::object();
}

class Lines {
 public:
  explicit Lines(const TraceReport& report) : report_(report) {}

  void add_leg(const Leg& leg) {
    const Hop& hop = report_.trace.hops[leg.hop];
    const Point point = point_of(leg, hop);
    const std::size_t slash = leg.interface.find('/');
    Json flow = flow_at(leg.bytes, "FORWARDED");
    flow["event_type"] = {{"type", kTraceMessage}, {"sub_type", point.subtype}};
    flow["traffic_direction"] = point.direction;
    flow["trace_observation_point"] = point.name;
    flow["is_reply"] = is_reply(leg.packet);
    flow["interface"] = {{"name", leg.interface.substr(slash + 1)}};
    add(std::move(flow), leg.interface.substr(0, slash));
    last_ = &leg;
  }

  /// The end of the packet, as it was at the last interface.
  void add_drop(const Failure& failure) {
    const Hop& hop = report_.trace.hops[failure.hop];
    const Reason reason = reason_of(failure.drop);
    Json flow =
        flow_at(last_ == nullptr ? std::span<const std::uint8_t>() : last_->bytes, "DROPPED");
    flow["drop_reason"] = reason.number;
    flow["event_type"] = {{"type", kDropMessage}, {"sub_type", reason.number}};
    flow["drop_reason_desc"] = reason.name;
    flow["is_reply"] = is_reply(hop.packet);
    add(std::move(flow), hop.place);
  }

  std::string take() { return std::move(text_); }

 private:
  bool is_reply(std::uint32_t packet) const {
    return report_.trace.packets[packet].kind == TracedPacket::Kind::Answer;
  }

  Json flow_at(std::span<const std::uint8_t> bytes, const char* verdict) {
    Json flow{{"time", fmt::format("1970-01-01T00:00:00.{:06}Z", ++number_)}, {"verdict", verdict}};
    const auto packet = forward::read_packet(node::NodeState{}, bytes);
    const IpFields ip = packet ? packet->outermost() : report_.asked.request.packet.inner;
    flow["IP"] = {{"source", ip.source.to_string()},
                  {"destination", ip.destination.to_string()},
                  {"ipVersion", ip.is_ipv4() ? "IPv4" : "IPv6"}};
    if (packet) add_layer4(ip, bytes, flow);
    flow["source"] = endpoint_of(report_, ip.source);
    flow["destination"] = endpoint_of(report_, ip.destination);
    flow["Type"] = "L3_L4";
    return flow;
  }

  void add(Json flow, const std::string& node) {
    flow["node_name"] = node;
    const Json time = flow["time"];
    text_ += Json{{"flow", std::move(flow)}, {"node_name", node}, {"time", time}}.dump() + '\n';
  }

  const TraceReport& report_;
  const Leg* last_ = nullptr;
  int number_ = 0;
  std::string text_;
};

}  // namespace

std::string hubble_lines(const TraceReport& report) {
  Lines lines(report);
  const std::optional<Failure>& failure = report.trace.failure;
  bool is_failed = false;
  for (const Leg& leg : report.trace.legs) {
    if (failure && !is_failed && leg.hop > failure->hop) {
      lines.add_drop(*failure);
      is_failed = true;
    }
    lines.add_leg(leg);
  }
  if (failure && !is_failed) lines.add_drop(*failure);
  return lines.take();
}

}  // namespace overlane::path
