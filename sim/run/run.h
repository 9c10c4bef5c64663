#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dataplane/net/units.h"
#include "dataplane/node/fabric_state.h"
#include "dataplane/node/node_state.h"
#include "results/finding/result.h"
#include "results/model/ending.h"
#include "results/model/run_report.h"
#include "sim/cost/cost_profile.h"
#include "sim/cost/services.h"
#include "sim/cost/wire.h"
#include "sim/fabric/limits.h"
#include "sim/fabric/path.h"
#include "sim/host/machine.h"
#include "sim/random/distribution.h"
#include "sim/run/constant.h"
#include "sim/run/sighting.h"
#include "sim/run/watch.h"

namespace overlane::run {

/// Where every server listens (iperf3's port).
inline constexpr std::uint16_t kServerPort = 5201;

/// What carries the traffic: `nodes[i]`, `machines[i]` and `fabric.instances[i]` are the same
/// machine.
struct Network {
  std::vector<node::NodeState> nodes;
  node::FabricState fabric;
  std::vector<host::Machine> machines;
  /// Veth: `machines` are one and the same, but for offloads; `paths` and `limits` are the NICs'.
  cost::Wire wire = cost::Wire::Nic;
  fabric::Paths paths;
  fabric::Limits limits;
  std::optional<cost::CostProfile> costs;               ///< Without one, CPU time is free.
  cost::Datapath datapath = cost::Datapath::Netfilter;  ///< Of the nodes' kernels.
  cost::Services services;
};

/// A pod that sends or receives; on its node's own network (hostNetwork) where its group says so:
/// then the address is one of the node's.
struct PodEnd {
  std::uint32_t node = 0;
  IpAddress address;

  auto operator<=>(const PodEnd&) const = default;
};

struct PodPair {
  PodEnd source;  ///< Sender, or client.
  PodEnd destination;

  auto operator<=>(const PodPair&) const = default;
};

/// When the datagrams of a flow leave: at even intervals, each up to 10 µs late as timers are, or
/// as a Poisson process.
enum class Arrivals : std::uint8_t { Constant, Poisson };

/// Whether a flow keeps its TCP connection, or opens a new one for each request or transfer and
/// closes it behind it.
enum class Connections : std::uint8_t { KeepAlive, PerRequest };

/// Traffic of one kind between pairs of pods. Every pair carries `flows_per_pair` flows of its own;
/// flow number = position of the pair × flows_per_pair + which of them.
struct TrafficGroup {
  std::string name;
  model::TrafficKind kind = model::TrafficKind::Udp;
  std::vector<PodPair> pairs;
  std::uint32_t flows_per_pair = 1;  ///< At least 1.
  /// The client asks the Service with its pair's destination as endpoint, at kServerPort, and no
  /// other one. Costs CPU time, also where the states have no such Service: then packets bear the
  /// pods' addresses.
  bool to_service = false;
  /// The senders or clients, and those that they send to, are on their nodes' own network: what
  /// they send bears the address of the route that it takes.
  bool from_node = false;
  bool to_node = false;
  bool is_on_node(bool is_server) const { return is_server ? to_node : from_node; }

  // udp
  BitsPerSecond rate{};             ///< Application payload of each flow, while on; > 0.
  std::uint32_t payload_bytes = 0;  ///< Of each datagram; 1…65,507.
  bool dont_fragment = true;        ///< Linux's default (net.ipv4.ip_no_pmtu_disc 0).

  Arrivals arrivals = Arrivals::Constant;
  /// Both or none: a flow sends for a time from `on`, and is silent for one from `off`, in
  /// picoseconds, again and again. `on` is not shorter than a datagram's share of `rate`.
  std::optional<Distribution> on;
  std::optional<Distribution> off;

  // tcp and request-response
  Connections connections = Connections::KeepAlive;
  std::uint8_t mtu_probing = 0;         ///< net.ipv4.tcp_mtu_probing, 0…2.
  std::int64_t window_bytes = 3 << 20;  ///< Receive buffer: half of net.ipv4.tcp_rmem's 6 MiB.

  // tcp
  std::optional<Distribution> transfer;  ///< Payload; without it a flow sends until the end.
  /// With it, a flow begins another transfer so many picoseconds after the last was read.
  std::optional<Distribution> gap;

  // request-response: one request at a time
  std::uint32_t request_bytes = 0;   ///< At least 1.
  std::uint32_t response_bytes = 0;  ///< At least 1.
  bool over_udp = false;             ///< Each message is a datagram; else over TCP.
  Picos think_time{};                ///< Between a response and the next request.
};

/// A change that an actor makes to the states at one moment. It takes effect before anything else
/// that happens at that moment; changes of the same moment in the order given.
struct TimedChange {
  Picos at;
  std::function<void(std::vector<node::NodeState>& nodes, node::FabricState& fabric)> apply;
};

/// What a run counts over time.
struct SeriesOptions {
  Picos interval;          ///< > 0.
  bool each_node = false;  ///< Not only all nodes together.
};

struct RunOptions {
  Picos duration = milliseconds(100);
  Picos warm_up{};  ///< Shorter than `duration`.
  std::uint64_t seed = 1;
  /// Flows start at random moments in [0, start_spread).
  Picos start_spread = milliseconds(1);
  std::vector<TimedChange> changes;
  /// Without, every packet is decided anew: slower, with the same result.
  bool keep_decisions = true;
  std::int64_t max_events = INT64_MAX;  ///< The run ends behind so many.
  Watch* watch = nullptr;               ///< Null: nobody looks, and nobody stops it.
  std::optional<SeriesOptions> series;  ///< Changes nothing else.
  const TapOptions* tap = nullptr;      ///< Null: nobody sees single packets.
};

/// Of a run that ended early: what was measured until then, rates over the shorter time.
struct Measurement {
  model::Ending ending = model::Ending::Complete;
  Picos ended_at;                             ///< What would have happened from then on did not.
  std::vector<model::TrafficResult> traffic;  ///< One per group, in the order given.
  /// For every group, one representative flow (the lowest numbered) per distinct limit, at most
  /// kLimitsPerGroup of them.
  std::vector<model::Limit> limits;
  /// What could be moved about each of them; nothing where a state entry stops the packets.
  std::vector<std::vector<Constant>> behind_limits;
  model::CpuUtilisation cpu_utilisation;
  std::vector<std::int64_t> node_busy_ppm;  ///< Of each node's cores; empty where CPU time is free.
  std::optional<model::Series> series;
  model::EngineFacts engine;
  model::BytePath byte_path;
  std::string first_mismatch;  ///< Of the byte path, for people; empty when there is none.
};

inline constexpr std::size_t kLimitsPerGroup = 8;

/// Carries `traffic` over `network` for `options.duration` of simulated time. Single-threaded; the
/// result (but for the wall-clock seconds) is a function of the arguments. A failure is an internal
/// error: some packets of a group were lost track of.
Parsed<Measurement> run(const Network& network, const std::vector<TrafficGroup>& traffic,
                        const RunOptions& options);

}  // namespace overlane::run
