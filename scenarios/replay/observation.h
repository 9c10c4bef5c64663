#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "dataplane/kernel/traffic/connections.h"
#include "dataplane/net/units.h"
#include "results/finding/finding.h"
#include "scenarios/migration/actors/cluster_objects.h"

namespace overlane::replay {

// What probes saw while the pod network of a real cluster was switched: interruptions, connections
// and events, with times since the change of the Shoot. replay() makes an Observation in network
// namespaces; people make one of a real shoot as a JSON file (docs/how-to/observe-a-switch.md).

/// The traffic of probes between two nodes.
enum class Traffic : std::uint8_t {
  PodToPod,   ///< One way, a small datagram.
  NodeToPod,  ///< A datagram from the node's address, and its answer.
  PodToNode,  ///< A datagram to the node's address, and its answer.
  FullSize,   ///< Pod to pod, a datagram with DF that fills the pod's MTU.
  Dns,        ///< A query from a pod by a Service to the CoreDNS pod of a node, and its answer.
  NodePort,   ///< A datagram from outside to a NodePort of a node, to a pod of another node, and
              ///< its answer.
};
inline constexpr std::array kTraffic = {Traffic::PodToPod, Traffic::NodeToPod, Traffic::PodToNode,
                                        Traffic::FullSize, Traffic::Dns,       Traffic::NodePort};
/// "pod-to-pod".
std::string_view to_string(Traffic traffic);

/// A time in which traffic from one node to another did not arrive.
struct Interruption {
  Traffic traffic{};
  std::uint32_t from = 0;  ///< Index into Observation::nodes.
  std::uint32_t to = 0;
  Picos begin;
  std::optional<Picos> end;  ///< Empty: it lasted until the end of the observation.

  bool operator==(const Interruption&) const = default;
};

/// A TCP connection to a pod during the whole switch.
struct ConnectionRecord {
  /// PodToPod: from a pod of another node. NodePort: from outside, by a NodePort of another node.
  Traffic traffic = Traffic::PodToPod;
  kernel::ConnectionUse use{};
  std::uint32_t client = 0;  ///< Index into Observation::nodes; the node of the NodePort.
  std::uint32_t server = 0;
  /// Longest time from a request to its response; of a stream, in which nothing of it arrived.
  Picos longest_wait;
  /// Whether its last request was answered; of a stream, whether all of it arrived.
  bool is_answered = false;
  std::string failure;  ///< Error that ended it; empty if there was none.

  bool operator==(const ConnectionRecord&) const = default;
};

struct Observation {
  std::string place;                  ///< "network namespaces"; of a real shoot: its name.
  std::string kernel;                 ///< Release of the nodes' kernel; may be empty.
  std::optional<std::uint64_t> seed;  ///< Seed of a replay, which the agents' times follow.
  std::vector<std::string> nodes;     ///< Names, at least two.
  std::vector<Traffic> traffic;       ///< The kinds that were probed.
  Picos interval;                     ///< Between two probes of one pair of nodes, at most.
  Picos begin, end;                   ///< The observed time, since the change of the Shoot.
  /// How late the last change of an action was in force, at most; zero if this is no replay.
  Picos latest_action;
  std::vector<Interruption> interruptions;
  std::vector<ConnectionRecord> connections;
  std::vector<migration::Step> events;
};

/// The JSON of an observation, kind "SwitchObservation". Times are in nanoseconds.
nlohmann::ordered_json encode(const Observation& observation);
/// Reads such JSON. The error is the first problem, with its path.
Parsed<Observation> decode_observation(const nlohmann::ordered_json& json);

}  // namespace overlane::replay
