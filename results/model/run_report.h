#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/net/drop.h"
#include "results/finding/finding.h"
#include "results/model/flow_trace.h"
#include "results/model/histogram.h"
#include "results/model/run_environment.h"
#include "results/model/series.h"

namespace overlane::model {

// The result of `overlane run` and of `overlane testbed measure`: one RunReport. Every output
// (text, Markdown, page, JSON) is rendered from it. A report has variants (the same traffic over
// different dataplanes, for example routed and IPIP); a variant has results per traffic group,
// limits of flows and facts about the run. A Comparison is a figure of one variant divided by the
// same figure of the baseline variant. A field that is std::optional or empty was not measured, not
// requested, or does not apply.
//
// The types are values without behaviour beyond sums; run_report_json.h encodes and decodes them.
// Figures are integers in the unit of their name (`_ns`, `_bps`, `_ppm`), so that result_hash() is
// the same on every machine. A new field needs a member here and a line of fields() in
// run_report_json.cpp; the JSON, its order and its schema follow from that line.

/// How a run ended, from best to worst.
enum class Ending : std::uint8_t {
  Complete,     ///< Ran for the whole duration.
  EventLimit,   ///< Stopped at the event limit.
  Interrupted,  ///< Stopped on request.
};

/// "complete", "event-limit", "interrupted".
std::string_view to_string(Ending ending);

/// The mean of independent values with its 95 % confidence interval, `mean` ± `half_width`.
struct MeanInterval {
  double mean = 0;
  double half_width = 0;
};

/// The interval by Student's t-distribution with n − 1 degrees of freedom (Gosset, "The probable
/// error of a mean", 1908), assuming normally distributed values. Nothing for fewer than two
/// values.
std::optional<MeanInterval> mean_interval(const std::vector<std::int64_t>& values);

/// One figure of a traffic group in each repetition of a run, in their order.
struct RepeatedFigure {
  std::string metric;  ///< "goodput_bps", "latency_ns.p50", "packets.dropped".
  std::vector<std::int64_t> values;

  bool operator==(const RepeatedFigure&) const = default;
};

/// A parameter that no given document sets, and its default.
struct Assumption {
  std::string parameter;  ///< "pods", "link_mtu", "latency.within_zone".
  std::string value;
  std::string range;  ///< Plausible range; may be empty.
  std::string source;
  std::string tag;  ///< "default", "derived", "from-memory".

  auto operator<=>(const Assumption&) const = default;
};

enum class VariantStatus { Ok, NotAdmitted, NotDeliverable, Unsupported, Partial, NotRun };
enum class TrafficKind { Udp, Tcp, RequestResponse };

std::string_view to_string(VariantStatus status);
std::string_view to_string(TrafficKind kind);

/// The executor of the scenario: the packet engine, or a Linux kernel.
enum class Executor { Sim, Kernel };
std::string_view to_string(Executor executor);

/// CPU time of a machine with a real kernel per unit of traffic that a group received.
struct CpuCost {
  std::int64_t user_ns_per_gb = 0;  ///< A GB is 10⁹ bytes of payload.
  std::int64_t system_ns_per_gb = 0;
  std::int64_t softirq_ns_per_gb = 0;  ///< Hardware interrupts and softirqs.
  /// Sum of user, system and softirq time per datagram or response; 0: none was sent.
  std::int64_t ns_per_message = 0;

  auto operator<=>(const CpuCost&) const = default;
};

/// Wire packets of one traffic group. Invariant: sent = delivered + dropped + in_flight.
struct PacketCounts {
  std::int64_t sent = 0;
  std::int64_t delivered = 0;
  std::int64_t dropped = 0;
  std::int64_t in_flight = 0;

  bool balanced() const { return sent == delivered + dropped + in_flight; }
  PacketCounts& operator+=(const PacketCounts& other);
  auto operator<=>(const PacketCounts&) const = default;
};

/// Effect of a run's events on the flows of a traffic group. An interruption begins with the
/// sending of a packet that is dropped after the first event began, for another reason than
/// congestion or random loss. It ends when a later packet arrives at the same end of the flow.
/// Interruptions shorter than 1 ms do not count.
struct Interruptions {
  std::int64_t flows = 0;  ///< All flows of the group.
  std::int64_t interrupted = 0;
  /// Interrupted flows with an end that received nothing more until the run ended.
  std::int64_t not_resumed = 0;
  Histogram longest_ns;  ///< The longest interruption of each interrupted flow.

  Interruptions& operator+=(const Interruptions& other);
  bool operator==(const Interruptions&) const = default;
};

/// The results of one traffic group.
struct TrafficResult {
  std::string name;
  TrafficKind kind = TrafficKind::Udp;
  std::int64_t throughput_bps = 0;  ///< IP bytes of pod packets delivered, after warm-up.
  /// Application payload that arrived and was read after warm-up; at most `throughput_bps`.
  std::int64_t goodput_bps = 0;
  PacketCounts packets;  ///< Over the whole run.
  Histogram latency_ns;  ///< After warm-up.
  /// tcp: duration of transfers that completed after warm-up, including the handshake.
  Histogram completion_ns;
  std::int64_t transactions = 0;  ///< Transfers or answered requests after warm-up; none for udp.
  /// New connections after warm-up, for requests that each open a connection and follow one another
  /// without a pause: the maximum rate of the nodes. Absent for other traffic, whose connection
  /// rate does not depend on the nodes alone.
  std::optional<std::int64_t> connections_per_second;
  DropCounts drops;                            ///< Over the whole run.
  std::optional<Interruptions> interruptions;  ///< Only if the run has events.
  std::optional<CpuCost> cpu;                  ///< Only measured on a kernel.
  /// Whether the goodput was steady; absent if unknown. With repetitions, the worst of their
  /// results.
  std::optional<SteadyState> steady_state;
  /// Whether the mean latency from request to response was steady.
  std::optional<SteadyState> latency_steady_state;
  /// The figures of each repetition; empty for a single run. With repetitions, the other members
  /// are means of rates, quantiles of all latencies, and sums of packets.
  std::vector<RepeatedFigure> repeated;
};

/// A figure that changed together with the metric of a Movement.
struct MovedFigure {
  std::string metric;  ///< "latency_ns.p99", "packets.dropped".
  std::int64_t before = 0;
  std::int64_t after = 0;

  auto operator<=>(const MovedFigure&) const = default;
};

/// An event of the Scenario: a change of the nodes or the fabric during a run.
struct Event {
  std::int64_t at_ns = 0;
  std::optional<std::int64_t> until_ns;  ///< Time at which the change is undone; empty: never.
  std::string what;                      ///< "remove-cloud-route node-2".
  std::string place;                     ///< Place of the event in the Scenario file.

  bool operator==(const Event&) const = default;
};

/// Changes of a variant's state at the beginning or the end of an event.
struct Step {
  std::int64_t at_ns = 0;
  std::string what;                ///< "remove-cloud-route node-2", "end of …".
  std::vector<std::string> lines;  ///< "node-2 stops", "vpc - table …"; empty: nothing changes.

  bool operator==(const Step&) const = default;
};

/// The effect of changing one constant by 10 % on one figure.
struct Movement {
  std::string constant;  ///< "machine.nic", "stage veth".
  std::string value;     ///< "10 Gbit/s".
  std::string moved_to;  ///< "11 Gbit/s".
  std::string source;    ///< Source of the value; may be empty.
  std::string metric;    ///< "goodput_bps", "latency_ns.p99", "cpu_utilisation.mean".
  std::int64_t before = 0;
  std::int64_t after = 0;
  std::vector<MovedFigure> also;  ///< Only figures that changed.

  auto operator<=>(const Movement&) const = default;
};

/// The bottleneck of one flow.
struct Limit {
  std::string traffic;
  std::int64_t flow = 0;    ///< Number within its traffic group, from 0.
  std::string station;      ///< "link node-1 eth0", "window", "cpu node-2 core 1", "application".
  std::string constant;     ///< The limiting constant: "nic rate 10 Gbit/s".
  std::string source;       ///< Source of the constant's value.
  std::string state_entry;  ///< The responsible entry of a node's state, as text; may be empty.
  /// Effects of changing the station's constants one at a time, the largest first; empty unless
  /// requested.
  std::vector<Movement> movements;

  auto operator<=>(const Limit&) const = default;
};

/// The sensitivity of one figure to the constants of a run; only if requested.
struct Sensitivity {
  std::string traffic;              ///< Empty: all traffic.
  std::string metric;               ///< The metric of all movements.
  std::vector<Movement> movements;  ///< Only those that changed it, the largest first.

  auto operator<=>(const Sensitivity&) const = default;
};

/// Work and wall-clock time of the packet engine in a run. Not part of the result hash.
/// The spans of simulated time in which a run has left out the events of some or all flows.
struct SkipFacts {
  std::int64_t spans = 0;
  std::int64_t skipped_ns = 0;    ///< Simulated time of all spans together.
  std::int64_t simulated_ns = 0;  ///< Simulated time of the runs.
  std::int64_t packets = 0;       ///< Datagrams sent without events.
  /// Why there was no span: "packets wait for cores". Empty otherwise.
  std::string none_because;

  /// Adds another run: sums of all members; the first reason, if no run has a span.
  SkipFacts& operator+=(const SkipFacts& other);
};

struct EngineFacts {
  std::int64_t events = 0;
  std::int64_t packet_hops = 0;  ///< Traversals of one link by one wire packet.
  double setup_seconds = 0;
  double loop_seconds = 0;
  std::int64_t threads = 1;
  /// Why the run used one thread although more were available: "packets are traced". Empty
  /// otherwise.
  std::string one_thread_because;
  std::optional<SkipFacts> skipped;  ///< Set if events were to be left out.

  /// Adds another run: sums of all members, except the maximum of `threads` and the first reason.
  EngineFacts& operator+=(const EngineFacts& other);
};

/// Sampled forwarding decisions that the byte path (dataplane/reference) checked.
struct BytePath {
  std::int64_t checked = 0;
  std::int64_t mismatched = 0;

  BytePath& operator+=(const BytePath& other);
};

/// Busy time of nodes' cores, in parts per million.
struct CpuUtilisation {
  std::int64_t mean_ppm = 0;
  std::int64_t max_ppm = 0;
};

/// The dataplane of a variant, in the terms of the Explanation.
struct VariantDataplane {
  std::string mode, encapsulation, backend, routes_by, service_routing, encryption;
  bool cross_subnet = false;
  std::int64_t link_mtu = 0, pod_mtu = 0, overhead_bytes = 0;

  bool operator==(const VariantDataplane&) const = default;
};

/// A machine that served as one of a variant's nodes.
struct MeasuredHost {
  std::string address;  ///< Address of the host's agent, as the user named it.
  std::string kernel;   ///< Release of the host's kernel.
  std::int64_t processors = 0;
  std::string uplink;         ///< Device that leads to the other host.
  std::int64_t mtu = 0;       ///< MTU of the uplink.
  bool segmentation = false;  ///< TSO of the uplink.
  bool receive = false;       ///< GRO of the uplink.

  bool operator==(const MeasuredHost&) const = default;
};

/// How a variant was measured on a Linux kernel.
struct KernelFacts {
  std::string release;       ///< "6.1.0-18-amd64".
  std::string wire;          ///< Connection between the nodes: "veth pair", "bridges".
  bool segmentation = true;  ///< Whether devices accept buffers of several segments (GSO, TSO).
  bool receive = false;      ///< Whether devices merge received segments (GRO).
  bool is_emulated = false;  ///< User-mode Linux: its times are not those of a machine.
  /// Number of time slices per traffic group; the slices of all variants alternate.
  std::int64_t slices = 0;
  /// Increase of the nodes' kernel counters of lost packets over all slices, by counter name.
  std::map<std::string, std::int64_t> losses;
  std::vector<MeasuredHost> hosts;  ///< Empty if network namespaces of this machine were the nodes.

  bool operator==(const KernelFacts&) const = default;
};

/// The results of one dataplane under the traffic of the scenario.
struct VariantResult {
  std::string name;
  VariantStatus status = VariantStatus::Ok;
  std::string reason;  ///< Why the status is not ok, or the condition under which it is ok.
  Ending ending = Ending::Complete;  ///< If not Complete, the status is partial or not-run.
  std::optional<VariantDataplane> dataplane;
  EngineFacts engine;
  BytePath byte_path;
  std::vector<TrafficResult> traffic;
  std::vector<Limit> limits;
  std::vector<Sensitivity> explained;
  CpuUtilisation cpu_utilisation;
  /// The figures over time, one Series per run, if requested. With repetitions, only the first
  /// repetition has them.
  std::vector<Series> series;
  std::vector<Step> steps;            ///< Effects of the Scenario's events, by time, if requested.
  std::optional<KernelFacts> kernel;  ///< Only if the executor is a kernel.
};

/// The smallest and the largest ratio of a comparison over several cost profiles.
struct RatioRange {
  std::int64_t low_ppm = 0;
  std::int64_t high_ppm = 0;

  auto operator<=>(const RatioRange&) const = default;
};

/// One figure of a variant divided by the same figure of the baseline variant.
struct Comparison {
  std::string traffic;
  std::string metric;
  std::string variant;
  std::string baseline;
  std::optional<std::int64_t> ratio_ppm;  ///< Nothing if the baseline is zero.
  /// The ratio for each repetition, to the baseline's repetition with the same seed. Empty without
  /// repetitions, or if a baseline figure was zero.
  std::vector<std::int64_t> repeated_ppm;
  /// Range of the ratio over the report's cost profile and each profile of RunReport::cost_hosts.
  /// Absent if the costs are calibrated.
  std::optional<RatioRange> range;
};

/// The simulator's prediction of a figure that a kernel measured.
struct Prediction {
  std::string variant;
  std::string traffic;
  std::string metric;  ///< "goodput_bps", "latency_ns.p50".
  std::int64_t measured = 0;
  std::int64_t predicted = 0;

  auto operator<=>(const Prediction&) const = default;
};

/// A figure that another program (iperf3, for example) measured in place of Overlane's traffic.
struct CrossCheck {
  std::string variant;
  std::string traffic;
  std::string program;  ///< Name and version.
  std::string metric;   ///< "goodput_bps", "latency_ns.p50".
  std::int64_t value = 0;

  auto operator<=>(const CrossCheck&) const = default;
};

/// Where a figure of the nodes' machine comes from: a Topology or CloudProfile of the input, the
/// cloud's publication about the machine type, or a default of Overlane.
enum class FigureSource { Topology, CloudProfile, Published, Default };
std::string_view to_string(FigureSource source);

/// The machine of every node of a simulation.
struct NodeMachine {
  std::string type;  ///< Machine type of the Shoot; empty: no worker pool names one.
  std::uint32_t cores = 0;
  FigureSource cores_from = FigureSource::Default;
  std::int64_t nic_bps = 0;  ///< Line rate.
  FigureSource nic_from = FigureSource::Default;
  /// Rate that the network sustains, where it is less than the line rate.
  std::optional<std::int64_t> sustained_bps;
  bool sends_at_sustained_rate = false;  ///< Otherwise at nic_bps, in bursts.

  auto operator<=>(const NodeMachine&) const = default;
};

/// The result of `overlane run`, or of `overlane testbed measure`.
struct RunReport {
  std::string scenario;
  Executor executor = Executor::Sim;
  std::uint64_t seed = 1;
  std::vector<std::uint64_t> seeds;  ///< Seed of each repetition; the first is `seed`.
  std::vector<Assumption> assumptions;
  std::optional<NodeMachine> machine;  ///< Only for a simulation between NICs.
  std::vector<VariantResult> variants;
  std::vector<Comparison> comparison;
  std::vector<Prediction> predictions;   ///< Only for a kernel, if requested.
  std::vector<CrossCheck> cross_checks;  ///< Only for a kernel, if requested.
  std::string cost_profile;
  /// If `cost_profile` is the mean of several hosts' profiles: these profiles. Comparison::range is
  /// the range over them. Empty if the costs are calibrated, or if no ranges were computed.
  std::vector<std::string> cost_hosts;
  std::string shoot;  ///< "namespace/name"; empty if unknown.
  /// The variant with the dataplane of the shoot as its manifests are; empty if none has it.
  std::string present_variant;
  Environment environment;
  std::vector<Event> events;  ///< Events of the Scenario, by time.
  Findings findings;
  std::vector<FlowTrace> traces;  ///< Not part of the JSON: written to separate files.
};

/// Id of findings about settings that an input asks for and the program does not model. Their
/// messages contain "not modelled: WHAT (SETTING): EFFECT".
inline constexpr std::string_view kUnsupportedRegime = "unsupported-regime";

/// The worst of the variants' endings.
Ending ending_of(const RunReport& report);

/// A figure of a traffic group that is compared between variants and repetitions, with its name in
/// the report.
struct TrafficFigure {
  std::string_view name;
  std::int64_t (*value)(const TrafficResult&);
  bool zero_is_none = false;  ///< True if zero means that nothing arrived (latencies).
  /// Returns whether the traffic has this figure; null: all traffic has it.
  bool (*applies)(const TrafficResult&) = nullptr;

  bool is_of(const TrafficResult& traffic) const { return applies == nullptr || applies(traffic); }
};

inline constexpr std::string_view kConnections = "connections_per_second";

inline constexpr std::array kTrafficFigures = {
    TrafficFigure{"throughput_bps", [](const TrafficResult& t) { return t.throughput_bps; }},
    TrafficFigure{"goodput_bps", [](const TrafficResult& t) { return t.goodput_bps; }},
    TrafficFigure{"latency_ns.p50",
                  [](const TrafficResult& t) { return t.latency_ns.quantile(1, 2); }, true},
    TrafficFigure{"latency_ns.p99",
                  [](const TrafficResult& t) { return t.latency_ns.quantile(99, 100); }, true},
    TrafficFigure{
        .name = kConnections,
        .value = [](const TrafficResult& t) { return t.connections_per_second.value_or(0); },
        .applies = [](const TrafficResult& t) { return t.connections_per_second.has_value(); }},
};

/// Name of the figure that judges traffic of this kind on a kernel: median latency for requests,
/// goodput for other traffic.
constexpr std::string_view judged_figure(TrafficKind kind) {
  return kind == TrafficKind::RequestResponse ? "latency_ns.p50" : "goodput_bps";
}

/// Name of the figure that judges simulated traffic: new connections per second if the traffic has
/// that result, otherwise the figure of its kind.
inline std::string_view judged_figure(const TrafficResult& traffic) {
  return traffic.connections_per_second ? kConnections : judged_figure(traffic.kind);
}

}  // namespace overlane::model
