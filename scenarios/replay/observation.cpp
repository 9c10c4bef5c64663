#include "scenarios/replay/observation.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "results/base/json_reader.h"

namespace overlane::replay {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kKind = "SwitchObservation";
constexpr std::int64_t kVersion = 1;

Json encode(const std::optional<Picos>& time) {
  return time ? Json(time->whole_nanoseconds()) : Json();
}
Picos time_of(const JsonReader& json) {
  constexpr std::int64_t kMaxTime = 7 * 24 * 3600 * std::int64_t{1'000'000'000};
  const std::int64_t nanoseconds_since = json.integer();
  if (nanoseconds_since < -kMaxTime || nanoseconds_since > kMaxTime)
    json.fault("more than a week from the change of the Shoot");
  return nanoseconds(std::clamp(nanoseconds_since, -kMaxTime, kMaxTime));
}

Traffic traffic_of(const JsonReader& json) {
  return json.word({Traffic::PodToPod, Traffic::NodeToPod, Traffic::PodToNode, Traffic::FullSize,
                    Traffic::Dns, Traffic::NodePort});
}

/// The index of the node that a member names.
std::uint32_t node_of(const JsonReader& json, const std::vector<std::string>& nodes) {
  const std::string name = json.string();
  const auto at = std::ranges::find(nodes, name);
  if (at != nodes.end()) return static_cast<std::uint32_t>(at - nodes.begin());
  if (!name.empty()) json.fault("\"" + name + "\" is not in nodes");
  return 0;
}

}  // namespace

std::string_view to_string(Traffic traffic) {
  switch (traffic) {
    case Traffic::PodToPod:
      return "pod-to-pod";
    case Traffic::NodeToPod:
      return "node-to-pod";
    case Traffic::PodToNode:
      return "pod-to-node";
    case Traffic::FullSize:
      return "full-size";
    case Traffic::Dns:
      return "dns";
    case Traffic::NodePort:
      return "node-port";
  }
  return "";
}

Json encode(const Observation& observation) {
  Json interruptions = Json::array(), connections = Json::array(), events = Json::array();
  Json traffic = Json::array();
  for (const Traffic one : observation.traffic)
    traffic.push_back(to_string(one));
  const auto name = [&](std::uint32_t node) { return observation.nodes.at(node); };
  for (const Interruption& one : observation.interruptions)
    interruptions.push_back({{"traffic", to_string(one.traffic)},
                             {"from", name(one.from)},
                             {"to", name(one.to)},
                             {"begin_ns", one.begin.whole_nanoseconds()},
                             {"end_ns", encode(one.end)}});
  for (const ConnectionRecord& one : observation.connections)
    connections.push_back({{"traffic", to_string(one.traffic)},
                           {"use", to_string(one.use)},
                           {"client", name(one.client)},
                           {"server", name(one.server)},
                           {"longest_wait_ns", one.longest_wait.whole_nanoseconds()},
                           {"answered", one.is_answered},
                           {"failure", one.failure}});
  for (const migration::Step& event : observation.events)
    events.push_back({{"at_ns", event.at.whole_nanoseconds()},
                      {"component", event.component},
                      {"what", event.what}});
  Json json{{"schema_version", kVersion},
            {"kind", kKind},
            {"place", observation.place},
            {"kernel", observation.kernel}};
  if (observation.seed) json["seed"] = *observation.seed;
  json["nodes"] = observation.nodes;
  json["traffic"] = std::move(traffic);
  json["interval_ns"] = observation.interval.whole_nanoseconds();
  json["begin_ns"] = observation.begin.whole_nanoseconds();
  json["end_ns"] = observation.end.whole_nanoseconds();
  json["latest_action_ns"] = observation.latest_action.whole_nanoseconds();
  json["interruptions"] = std::move(interruptions);
  json["connections"] = std::move(connections);
  json["events"] = std::move(events);
  return json;
}

Parsed<Observation> decode_observation(const Json& json) {
  if (const auto wrong = wrong_kind(json, kKind, kVersion)) return fail(*wrong);
  return read_json(json, [](const JsonReader& file) {
    Observation made;
    made.place = file["place"].string();
    if (const auto kernel = file.maybe("kernel")) made.kernel = kernel->string();
    if (const auto seed = file.maybe("seed")) made.seed = seed->unsigned_integer();
    made.nodes = file["nodes"].strings();
    if (made.nodes.size() < 2) file["nodes"].fault("at least two nodes are needed");
    made.traffic = file["traffic"].list([](const JsonReader& one) { return traffic_of(one); });
    made.interval = time_of(file["interval_ns"]);
    made.begin = time_of(file["begin_ns"]);
    made.end = time_of(file["end_ns"]);
    if (made.end <= made.begin) file["end_ns"].fault("not after begin_ns");
    if (const auto latest = file.maybe("latest_action_ns")) made.latest_action = time_of(*latest);
    made.interruptions = file["interruptions"].list([&](const JsonReader& one) {
      Interruption read{.traffic = traffic_of(one["traffic"]),
                        .from = node_of(one["from"], made.nodes),
                        .to = node_of(one["to"], made.nodes),
                        .begin = time_of(one["begin_ns"])};
      if (read.from == read.to) one["to"].fault("the same node as from");
      if (const auto end = one.maybe("end_ns")) read.end = time_of(*end);
      if (read.end && *read.end <= read.begin) one["end_ns"].fault("not after begin_ns");
      return read;
    });
    made.connections = file.maybe_list("connections", [&](const JsonReader& one) {
      using Use = kernel::ConnectionUse;
      return ConnectionRecord{
          .traffic = one["traffic"].word({Traffic::PodToPod, Traffic::NodePort}),
          .use = one["use"].word({Use::Requests, Use::Idle, Use::Stream}),
          .client = node_of(one["client"], made.nodes),
          .server = node_of(one["server"], made.nodes),
          .longest_wait = time_of(one["longest_wait_ns"]),
          .is_answered = one["answered"].boolean(),
          .failure = one["failure"].string()};
    });
    made.events = file.maybe_list("events", [](const JsonReader& one) {
      return migration::Step{.at = time_of(one["at_ns"]),
                             .component = one["component"].string(),
                             .what = one["what"].string()};
    });
    return made;
  });
}

}  // namespace overlane::replay
