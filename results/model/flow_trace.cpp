#include "results/model/flow_trace.h"

#include <nlohmann/json.hpp>

namespace overlane::model {

namespace {

nlohmann::ordered_json encode(const TracedTcp& tcp) {
  nlohmann::ordered_json json{{"flags", tcp.flags},
                              {"seq", tcp.sequence},
                              {"ack", tcp.acknowledgement},
                              {"window_bytes", tcp.window_bytes},
                              {"payload_bytes", tcp.payload_bytes},
                              {"sack_blocks", tcp.sack_blocks},
                              {"retransmission", tcp.retransmission}};
  if (tcp.congestion_window_bytes == 0) return json;
  json["cwnd_bytes"] = tcp.congestion_window_bytes;
  json["in_flight_bytes"] = tcp.in_flight_bytes;
  json["srtt_ns"] = tcp.smoothed_rtt_ns;
  return json;
}

}  // namespace

nlohmann::ordered_json encode(const FlowTrace& trace, const TraceLine& line) {
  nlohmann::ordered_json json{
      {"variant", trace.variant},    {"traffic", trace.traffic},
      {"flow", trace.flow},          {"at_ns", line.at_ns},
      {"waited_ns", line.waited_ns}, {"direction", line.backward ? "backward" : "forward"}};
  json["packet"] = nullptr;
  if (line.packet != 0) json["packet"] = line.packet;
  json["event"] = line.event;
  json["place"] = line.place;
  json["bytes"] = line.bytes;
  if (!line.encapsulation.empty()) {
    json["encapsulation"] = line.encapsulation;
    json["source"] = line.source.to_string();
    json["destination"] = line.destination.to_string();
    json["icmp"] = line.is_icmp;
    json["fragment"] = line.is_fragment;
  }
  if (line.tcp) json["tcp"] = encode(*line.tcp);
  if (line.drop) json["drop"] = to_string(*line.drop);
  return json;
}

}  // namespace overlane::model
