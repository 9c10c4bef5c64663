#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/net/drop.h"
#include "results/finding/finding.h"
#include "results/model/ending.h"
#include "results/model/flow_trace.h"
#include "results/model/histogram.h"
#include "results/model/repeated.h"
#include "results/model/series.h"
#include "results/model/steady_state.h"

namespace overlane::model {

/// A parameter that no given document sets.
struct Assumption {
  std::string parameter;  ///< "pods", "link_mtu", "latency.within_zone".
  std::string value;
  std::string range;  ///< What it could reasonably be; may be empty.
  std::string source;
  std::string tag;  ///< "default", "derived", "from-memory".

  auto operator<=>(const Assumption&) const = default;
};

enum class VariantStatus { Ok, NotAdmitted, NotDeliverable, Unsupported, Partial, NotRun };
enum class TrafficKind { Udp, Tcp, RequestResponse };

std::string_view to_string(VariantStatus status);
std::string_view to_string(TrafficKind kind);

/// Wire packets of one traffic group: sent = delivered + dropped + in_flight, always.
struct PacketCounts {
  std::int64_t sent = 0;
  std::int64_t delivered = 0;
  std::int64_t dropped = 0;
  std::int64_t in_flight = 0;

  bool balanced() const { return sent == delivered + dropped + in_flight; }
  PacketCounts& operator+=(const PacketCounts& other);
  auto operator<=>(const PacketCounts&) const = default;
};

/// What one traffic group of the scenario got.
struct TrafficResult {
  std::string name;
  TrafficKind kind = TrafficKind::Udp;
  std::int64_t throughput_bps = 0;  ///< IP bytes of pod packets delivered, after warm-up.
  /// Application payload read after warm-up, as far as it arrived after it: never more than
  /// `throughput_bps`.
  std::int64_t goodput_bps = 0;
  PacketCounts packets;  ///< Over the whole run.
  Histogram latency_ns;  ///< After warm-up.
  /// tcp: of transfers that were read after warm-up, from their beginning, a handshake included.
  Histogram completion_ns;
  std::int64_t transactions = 0;  ///< Transfers, or requests answered, after warm-up; udp has none.
  DropCounts drops;               ///< Over the whole run.
  /// Of its goodput; absent where that is not known. Of a run that was repeated, the worst.
  std::optional<SteadyState> steady_state;
  /// The same of the mean latency of requests, from request to response.
  std::optional<SteadyState> latency_steady_state;
  /// Of a run that was repeated: what the figures above were in each repetition. They are the means
  /// of rates, the quantiles of all latencies and the sums of packets.
  std::vector<RepeatedFigure> repeated;
};

/// A figure that moved, too.
struct MovedFigure {
  std::string metric;  ///< "latency_ns.p99", "packets.dropped".
  std::int64_t before = 0;
  std::int64_t after = 0;

  auto operator<=>(const MovedFigure&) const = default;
};

/// What became of a figure in the same run with one constant moved.
struct Movement {
  std::string constant;  ///< "machine.nic", "stage veth".
  std::string value;     ///< "10 Gbit/s".
  std::string moved_to;  ///< "11 Gbit/s".
  std::string source;    ///< Where the value comes from; empty when not given.
  std::string metric;    ///< "goodput_bps", "latency_ns.p99", "cpu_utilisation.mean".
  std::int64_t before = 0;
  std::int64_t after = 0;
  std::vector<MovedFigure> also;  ///< Only figures that changed.

  auto operator<=>(const Movement&) const = default;
};

/// What keeps one flow from going faster.
struct Limit {
  std::string traffic;
  std::int64_t flow = 0;    ///< Number within its traffic group, from 0.
  std::string station;      ///< "link node-1 eth0", "window", "cpu node-2 core 1", "application".
  std::string constant;     ///< The constant behind it: "nic rate 10 Gbit/s".
  std::string source;       ///< Where that constant comes from.
  std::string state_entry;  ///< What of a node's state makes it, as text; empty when nothing does.
  /// What moving each constant behind it does, the largest first; only where that was asked.
  std::vector<Movement> movements;

  auto operator<=>(const Limit&) const = default;
};

/// What the constants of a run are worth to one of its figures; only where that was asked.
struct Explained {
  std::string traffic;              ///< Empty: of all together.
  std::string metric;               ///< Of every movement.
  std::vector<Movement> movements;  ///< Only those that moved it, the farthest first.

  auto operator<=>(const Explained&) const = default;
};

struct EngineFacts {
  std::int64_t events = 0;
  std::int64_t packet_hops = 0;  ///< Traversals of one link by one wire packet.
  double setup_seconds = 0;
  double loop_seconds = 0;
  std::int64_t threads = 1;
};

/// Forwarding decisions of sampled packets that were also made by the byte path
/// (dataplane/reference).
struct BytePath {
  std::int64_t checked = 0;
  std::int64_t mismatched = 0;
};

/// Fractions of one node's cores that were busy, in parts per million; over all nodes.
struct CpuUtilisation {
  std::int64_t mean_ppm = 0;
  std::int64_t max_ppm = 0;
};

/// The dataplane a variant ran on, as the Explanation spells it.
struct VariantDataplane {
  std::string mode, encapsulation, backend, routes_by, service_routing, encryption;
  bool cross_subnet = false;
  std::int64_t link_mtu = 0, pod_mtu = 0, overhead_bytes = 0;
};

struct Variant {
  std::string name;
  VariantStatus status = VariantStatus::Ok;
  std::string reason;                ///< Why the status is not ok.
  Ending ending = Ending::Complete;  ///< Otherwise it is partial or was not run.
  std::optional<VariantDataplane> dataplane;
  EngineFacts engine;
  BytePath byte_path;
  std::vector<TrafficResult> traffic;
  std::vector<Limit> limits;
  std::vector<Explained> explained;
  CpuUtilisation cpu_utilisation;
  /// Of each of its runs, where that was asked; of a run that was repeated, the first.
  std::vector<Series> series;
};

/// One figure of a variant over the same figure of the baseline variant.
struct Comparison {
  std::string traffic;
  std::string metric;
  std::string variant;
  std::string baseline;
  std::optional<std::int64_t> ratio_ppm;  ///< Nothing when the baseline is zero.
  /// Of a run that was repeated: the same in each repetition, whose seed is that of the baseline's.
  /// Nothing when a baseline was zero.
  std::vector<std::int64_t> repeated_ppm;
};

struct Environment {
  std::string overlane_version, compiler, build_type, cpu_model, kernel;
  std::int64_t cores = 0;
};

/// What `overlane run` found.
struct RunReport {
  std::string scenario;
  std::uint64_t seed = 1;
  std::vector<std::uint64_t> seeds;  ///< Of each repetition; the first is `seed`.
  std::vector<Assumption> assumptions;
  std::vector<Variant> variants;
  std::vector<Comparison> comparison;
  std::string cost_profile;
  Environment environment;
  Findings findings;
  std::vector<FlowTrace> traces;  ///< Not in its JSON: they have files of their own.
};

/// The worst of the variants' endings.
Ending ending_of(const RunReport& report);

}  // namespace overlane::model
