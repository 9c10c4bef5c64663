#include "results/model/series.h"

#include <nlohmann/json.hpp>

#include "results/base/json_reader.h"

namespace overlane::model {

namespace {

using Json = nlohmann::ordered_json;

Json encode_traffic(const TrafficSeries& traffic) {
  Json drops = Json::object();
  for (const auto& [reason, counts] : traffic.drops)
    drops[std::string(to_string(reason))] = counts;
  return {{"name", traffic.name},
          {"throughput_bps", traffic.throughput_bps},
          {"goodput_bps", traffic.goodput_bps},
          {"packets", {{"sent", traffic.sent}, {"delivered", traffic.delivered}}},
          {"drops", std::move(drops)}};
}

Json encode_queues(const NodeSeries& node) {
  return {{"nic_queue_packets_max", node.nic_packets},
          {"nic_queue_bytes_max", node.nic_bytes},
          {"receive_ring_packets_max", node.ring_packets},
          {"port_queue_packets_max", node.port_packets}};
}

Json encode_node(const NodeSeries& node) {
  Json json{{"name", node.name}};
  json["cpu_utilisation_ppm"] = node.cpu_ppm.empty() ? Json(nullptr) : Json(node.cpu_ppm);
  json.update(encode_queues(node));
  return json;
}

Json encode_all_nodes(const NodeSeries& nodes) {
  Json json;
  json["cpu_utilisation_ppm"] = nullptr;
  if (!nodes.cpu_ppm.empty())
    json["cpu_utilisation_ppm"] = {{"mean", nodes.cpu_ppm}, {"max", nodes.cpu_max_ppm}};
  json.update(encode_queues(nodes));
  return json;
}

}  // namespace

nlohmann::ordered_json encode(const Series& series) {
  Json traffic = Json::array();
  for (const TrafficSeries& group : series.traffic)
    traffic.push_back(encode_traffic(group));
  Json json{{"end_ns", series.end_ns},
            {"traffic", std::move(traffic)},
            {"nodes", encode_all_nodes(series.nodes)}};
  if (!series.rack_link_packets.empty())
    json["rack_link_queue_packets_max"] = series.rack_link_packets;
  if (series.each_node.empty()) return json;
  for (const NodeSeries& node : series.each_node)
    json["each_node"].push_back(encode_node(node));
  return json;
}

namespace {

TrafficSeries decode_traffic_series(const JsonReader& json) {
  TrafficSeries traffic{.name = json["name"].string(),
                        .throughput_bps = json["throughput_bps"].integers(),
                        .goodput_bps = json["goodput_bps"].integers(),
                        .sent = json["packets"]["sent"].integers(),
                        .delivered = json["packets"]["delivered"].integers()};
  for (const auto& [reason, counts] : json["drops"].members()) {
    if (const auto drop = drop_named(reason))
      traffic.drops[*drop] = counts.integers();
    else
      counts.fault("not a reason for drops");
  }
  return traffic;
}

NodeSeries decode_node_series(const JsonReader& json) {
  return {.nic_packets = json["nic_queue_packets_max"].integers(),
          .nic_bytes = json["nic_queue_bytes_max"].integers(),
          .ring_packets = json["receive_ring_packets_max"].integers(),
          .port_packets = json["port_queue_packets_max"].integers()};
}

NodeSeries decode_one_node(const JsonReader& json) {
  NodeSeries node = decode_node_series(json);
  node.name = json["name"].string();
  if (const auto used = json.maybe("cpu_utilisation_ppm")) node.cpu_ppm = used->integers();
  return node;
}

NodeSeries decode_all_nodes(const JsonReader& json) {
  NodeSeries nodes = decode_node_series(json);
  if (const auto used = json.maybe("cpu_utilisation_ppm")) {
    nodes.cpu_ppm = (*used)["mean"].integers();
    nodes.cpu_max_ppm = (*used)["max"].integers();
  }
  return nodes;
}

}  // namespace

Series decode_series(const JsonReader& json) {
  const auto racks = json.maybe("rack_link_queue_packets_max");
  return {.end_ns = json["end_ns"].integers(),
          .traffic = json["traffic"].list(decode_traffic_series),
          .nodes = decode_all_nodes(json["nodes"]),
          .rack_link_packets = racks ? racks->integers() : std::vector<std::int64_t>{},
          .each_node = json.maybe_list("each_node", decode_one_node)};
}

}  // namespace overlane::model
