#include "results/model/run_report_json.h"

#include <array>
#include <cassert>
#include <string>

#include <nlohmann/json.hpp>

#include "results/base/json_fields.h"
#include "results/base/json_reader.h"
#include "results/finding/finding_json.h"
#include "results/model/histogram.h"
#include "results/model/run_environment.h"
#include "results/model/series.h"
#include "results/model/suite_run.h"

namespace overlane {

using model::Histogram;

namespace model {

/// A fraction, written as a decimal number and hashed in parts per million.
struct PpmFraction {
  std::int64_t ppm = 0;
};

}  // namespace model

template <>
struct JsonCodec<model::PpmFraction> {
  static nlohmann::ordered_json encode(model::PpmFraction fraction, JsonDetail detail) {
    if (detail == JsonDetail::Hashed) return fraction.ppm;
    return static_cast<double>(fraction.ppm) / 1e6;
  }
  static model::PpmFraction decode(const JsonReader& json) { return {json.ppm()}; }
  static nlohmann::ordered_json schema() { return schema_of_fields<double>(); }
};

/// Only the quantiles of a histogram are in the hash.
template <>
struct JsonCodec<Histogram> {
  static nlohmann::ordered_json encode(const Histogram& values, JsonDetail detail) {
    return detail == JsonDetail::All ? model::encode(values) : model::encode_quantiles(values);
  }
  static Histogram decode(const JsonReader& json) { return model::decode_histogram(json); }
  static nlohmann::ordered_json schema() { return model::histogram_schema(); }
};

/// Only reasons that occurred are written.
template <>
struct JsonCodec<DropCounts> {
  static nlohmann::ordered_json encode(const DropCounts& drops, JsonDetail) {
    nlohmann::ordered_json counts = nlohmann::ordered_json::object();
    for (const DropFacts& reason : kDrops)
      if (drops[reason.drop] != 0) counts[std::string(reason.name)] = drops[reason.drop];
    return counts;
  }
  static DropCounts decode(const JsonReader& json) {
    DropCounts drops;
    for (const auto& [reason, count] : json.members()) {
      if (const auto drop = drop_named(reason))
        drops[*drop] = count.integer();
      else
        count.fault("not a reason for drops");
    }
    return drops;
  }
  static nlohmann::ordered_json schema() {
    return {{"type", "object"},
            {"propertyNames", model::drop_reason_schema()},
            {"additionalProperties", schema_of_fields<std::int64_t>()}};
  }
};

template <>
struct JsonWords<model::TrafficKind> {
  using enum model::TrafficKind;
  static constexpr std::initializer_list<model::TrafficKind> values = {Udp, Tcp, RequestResponse};
};
template <>
struct JsonWords<model::VariantStatus> {
  using enum model::VariantStatus;
  static constexpr std::initializer_list<model::VariantStatus> values = {
      Ok, NotAdmitted, NotDeliverable, Unsupported, Partial, NotRun};
};
template <>
struct JsonWords<model::Ending> {
  using enum model::Ending;
  static constexpr std::initializer_list<model::Ending> values = {Complete, EventLimit,
                                                                  Interrupted};
};
template <>
struct JsonWords<model::Executor> {
  using enum model::Executor;
  static constexpr std::initializer_list<model::Executor> values = {Sim, Kernel};
};
template <>
struct JsonWords<model::FigureSource> {
  using enum model::FigureSource;
  static constexpr std::initializer_list<model::FigureSource> values = {Topology, CloudProfile,
                                                                        Published, Default};
};

namespace model {

// The fields of a RunReport, in the order of its JSON. This one list serves writing, reading, the
// hash and the JSON Schema.

/// The figures of all repetitions. Mean and confidence interval depend on the rounding of doubles,
/// so they are not part of the hash. `text` describes the values.
template <typename Archive, typename Values>
void repeated_fields(Archive& archive, const char* text, Values& values) {
  archive.required({"values", text}, values);
  if constexpr (!Archive::kReads) {
    if (archive.detail() == JsonDetail::Hashed) return;
    const auto interval = mean_interval(values);
    const auto [mean, half_width] = interval.value_or(MeanInterval{});
    archive.optional_if(interval.has_value(), {"mean", "Mean, in the unit of the figure."}, mean);
    archive.optional_if(interval.has_value(),
                        {"ci95_low", "Lower end of the mean's 95 % confidence interval."},
                        mean - half_width);
    archive.optional_if(interval.has_value(),
                        {"ci95_high", "Upper end of the mean's 95 % confidence interval."},
                        mean + half_width);
  }
}

/// The ratios of all repetitions.
struct RepeatedRatios {
  std::vector<std::int64_t> values;

  bool empty() const { return values.empty(); }
};

template <typename Archive, same_as_or_const<RepeatedRatios> Value>
void fields(Archive& archive, Value& ratios) {
  repeated_fields(archive, "The ratio of each repetition, in ppm.", ratios.values);
}

template <typename Archive, same_as_or_const<RepeatedFigure> Value>
void fields(Archive& archive, Value& figure) {
  archive.required({"metric", "Name of the figure; its ending names the unit."}, figure.metric);
  repeated_fields(archive, "The value of each repetition, in the unit of the figure.",
                  figure.values);
}

template <typename Archive, same_as_or_const<Assumption> Value>
void fields(Archive& archive, Value& assumption) {
  archive.required({"parameter", "Name of the parameter."}, assumption.parameter);
  archive.required({"value", "The default, with its unit."}, assumption.value);
  archive.required({"range", "Plausible range of the value; may be empty."}, assumption.range);
  archive.required({"source", "Source of the value."}, assumption.source);
  archive.required({"tag", "Origin of the value: default, derived or from-memory."},
                   assumption.tag);
}

template <typename Archive, same_as_or_const<VariantDataplane> Value>
void fields(Archive& archive, Value& dataplane) {
  archive.required({"mode", "Dataplane mode."}, dataplane.mode);
  archive.required({"encapsulation", "Encapsulation between nodes."}, dataplane.encapsulation);
  archive.required({"cross_subnet", "Whether only packets between subnets are encapsulated."},
                   dataplane.cross_subnet);
  archive.required({"backend", "Backend of the CNI."}, dataplane.backend);
  archive.required({"routes_by", "The component that writes the routes to pods."},
                   dataplane.routes_by);
  archive.required({"service_routing", "How packets to Services are routed."},
                   dataplane.service_routing);
  archive.required({"encryption", "Encryption between nodes."}, dataplane.encryption);
  archive.required({"link_mtu", "MTU of the nodes' uplinks, in bytes."}, dataplane.link_mtu);
  archive.required({"pod_mtu", "MTU of the pods, in bytes."}, dataplane.pod_mtu);
  archive.required({"overhead_bytes", "Outer headers of a packet, in bytes."},
                   dataplane.overhead_bytes);
}

template <typename Archive, same_as_or_const<PacketCounts> Value>
void fields(Archive& archive, Value& packets) {
  archive.required({"sent", "Number of packets sent."}, packets.sent);
  archive.required({"delivered", "Number of packets delivered."}, packets.delivered);
  archive.required({"dropped", "Number of packets dropped."}, packets.dropped);
  archive.required({"in_flight", "Number of packets under way when the run ended."},
                   packets.in_flight);
  if constexpr (Archive::kReads) {
    if (!packets.balanced()) archive.json().fault("sent is not delivered + dropped + in_flight");
  } else {
    assert(packets.balanced());
  }
}

template <typename Archive, same_as_or_const<CpuCost> Value>
void fields(Archive& archive, Value& cpu) {
  archive.required({"user_ns_per_gb", "User time, in nanoseconds per 10^9 bytes of payload."},
                   cpu.user_ns_per_gb);
  archive.required({"system_ns_per_gb", "System time, in nanoseconds per 10^9 bytes of payload."},
                   cpu.system_ns_per_gb);
  archive.required({"softirq_ns_per_gb",
                    "Time of interrupts and softirqs, in nanoseconds per 10^9 bytes of payload."},
                   cpu.softirq_ns_per_gb);
  archive.required({"ns_per_message", "All CPU time, in nanoseconds per datagram or response."},
                   cpu.ns_per_message);
}

/// A histogram without values is null.
template <typename Archive, typename Value>
void histogram_field(Archive& archive, JsonKey key, Value& histogram) {
  archive.nullable_if(true, key, histogram);
}

template <typename Archive, same_as_or_const<Interruptions> Value>
void fields(Archive& archive, Value& interruptions) {
  archive.required({"flows", "Number of flows of the group."}, interruptions.flows);
  archive.required({"interrupted", "Number of interrupted flows."}, interruptions.interrupted);
  archive.required({"not_resumed", "Number of flows that were interrupted until the run ended."},
                   interruptions.not_resumed);
  histogram_field(
      archive,
      {"longest_ns",
       "Longest interruption of each interrupted flow, in nanoseconds; null without one."},
      interruptions.longest_ns);
}

template <typename Archive, same_as_or_const<SteadyState> Value>
void fields(Archive& archive, Value& state) {
  std::int64_t from_ns = state.from.whole_nanoseconds();
  archive.required({"reached", "Whether the figure was steady during the measurement window."},
                   state.reached);
  archive.nullable_if(state.reached,
                      {"from_ns", "Start of the steady part of the run, in nanoseconds."}, from_ns);
  archive.required({"drift_ppm", "Change from the first to the last third, in ppm of the mean."},
                   state.drift_ppm);
  archive.required(
      {"bias_ppm", "Bias by the part before the steady one, in ppm of the steady mean."},
      state.bias_ppm);
  archive.constant({"method", "Method that finds the start of the steady part."},
                   kSteadyStateMethod);
  if constexpr (Archive::kReads) state.from = nanoseconds(from_ns);
}

template <typename Archive, same_as_or_const<TrafficResult> Value>
void fields(Archive& archive, Value& traffic) {
  archive.required({"name", "Name of the traffic group."}, traffic.name);
  archive.required({"kind", "Kind of the traffic."}, traffic.kind);
  archive.required({"throughput_bps", "IP bytes of pod packets delivered after warm-up, in bit/s."},
                   traffic.throughput_bps);
  archive.required({"goodput_bps", "Application payload read after warm-up, in bit/s."},
                   traffic.goodput_bps);
  archive.required({"packets", "Packets on the wire over the whole run."}, traffic.packets);
  histogram_field(archive,
                  {"latency_ns", "Latency after warm-up, in nanoseconds; null without a sample."},
                  traffic.latency_ns);
  archive.required({"transactions", "Number of transfers or answered requests after warm-up."},
                   traffic.transactions);
  histogram_field(
      archive,
      {"completion_ns",
       "Duration of completed transfers with the handshake, in nanoseconds; null without one."},
      traffic.completion_ns);
  archive.required({"drops", "Number of dropped packets by reason; only reasons that occurred."},
                   traffic.drops);
  archive.optional(
      {"connections_per_second",
       "Connections opened per second after warm-up, if the nodes limit their number."},
      traffic.connections_per_second);
  archive.optional({"cpu", "CPU time of the measured machine for what the group received."},
                   traffic.cpu);
  archive.optional(
      {"interruptions", "Flows that the run's events interrupted, for 1 ms or longer."},
      traffic.interruptions);
  if (archive.detail() == JsonDetail::All) {  // Steady states are diagnostics: not in the hash.
    archive.nullable({"steady_state", "Whether the goodput was steady; null if unknown."},
                     traffic.steady_state);
    archive.nullable({"latency_steady_state", "Whether the latency was steady; null if unknown."},
                     traffic.latency_steady_state);
  }
  archive.optional({"repetitions", "Each figure in all repetitions of the run."}, traffic.repeated);
}

template <typename Archive, same_as_or_const<Event> Value>
void fields(Archive& archive, Value& event) {
  archive.required({"at_ns", "Time since the start of the run, in nanoseconds."}, event.at_ns);
  archive.nullable({"until_ns", "When the change is undone, in nanoseconds; null: never."},
                   event.until_ns);
  archive.required({"what", "The event, such as remove-cloud-route node-2."}, event.what);
  archive.required({"place", "Place of the event in the Scenario file."}, event.place);
}

template <typename Archive, same_as_or_const<Step> Value>
void fields(Archive& archive, Value& step) {
  archive.required({"at_ns", "Time since the start of the run, in nanoseconds."}, step.at_ns);
  archive.required({"what", "The event, such as remove-cloud-route node-2."}, step.what);
  archive.required({"lines", "The changes, one line each; empty: none."}, step.lines);
}

template <typename Archive, same_as_or_const<MovedFigure> Value>
void fields(Archive& archive, Value& figure) {
  archive.required({"metric", "Name of the figure; its ending names the unit."}, figure.metric);
  archive.required({"before", "The figure with the constant as it is."}, figure.before);
  archive.required({"after", "The figure with the changed constant."}, figure.after);
}

template <typename Archive, same_as_or_const<Movement> Value>
void fields(Archive& archive, Value& movement) {
  archive.required({"constant", "Name of the constant."}, movement.constant);
  archive.required({"value", "Value of the constant, with its unit."}, movement.value);
  archive.required({"moved_to", "Changed value of the constant, with its unit."},
                   movement.moved_to);
  archive.required({"source", "Source of the value."}, movement.source);
  archive.required({"metric", "Name of the figure; its ending names the unit."}, movement.metric);
  archive.required({"before", "The figure with the constant as it is."}, movement.before);
  archive.required({"after", "The figure with the changed constant."}, movement.after);
  archive.required({"also", "Other figures that changed with it."}, movement.also);
}

template <typename Archive, same_as_or_const<Limit> Value>
void fields(Archive& archive, Value& limit) {
  archive.required({"traffic", "Name of the traffic group."}, limit.traffic);
  archive.required({"flow", "Number of the flow within its group, from 0."}, limit.flow);
  archive.required({"station", "Place that limits the flow, such as link node-1 eth0."},
                   limit.station);
  archive.required({"constant", "The constant that limits the flow, with its value."},
                   limit.constant);
  archive.required({"source", "Source of the value."}, limit.source);
  archive.nullable({"state_entry", "The responsible entry of a node's state; null without one."},
                   limit.state_entry);
  if (archive.detail() == JsonDetail::All)  // Movements are diagnostics: not in the hash.
    archive.optional({"movements", "Effect of changing each constant by 10 %, the largest first."},
                     limit.movements);
}

template <typename Archive, same_as_or_const<Sensitivity> Value>
void fields(Archive& archive, Value& explained) {
  archive.nullable({"traffic", "Name of the traffic group; null: all traffic."}, explained.traffic);
  archive.required({"metric", "Name of the figure; its ending names the unit."}, explained.metric);
  archive.required({"movements", "Effect of changing each constant by 10 %, the largest first."},
                   explained.movements);
}

template <typename Archive, same_as_or_const<SkipFacts> Value>
void fields(Archive& archive, Value& skipped) {
  archive.required({"spans", "Number of spans without events."}, skipped.spans);
  archive.required({"skipped_ns", "Simulated time of all spans together."}, skipped.skipped_ns);
  archive.required({"simulated_ns", "Simulated time of the runs together."}, skipped.simulated_ns);
  archive.required({"packets", "Datagrams that were sent without events."}, skipped.packets);
  archive.nullable({"none_because", "Why there was no span."}, skipped.none_because);
}

template <typename Archive, same_as_or_const<EngineFacts> Value>
void fields(Archive& archive, Value& engine) {
  archive.required({"events", "Number of simulated events."}, engine.events);
  archive.required({"packet_hops", "Traversals of one link by one packet."}, engine.packet_hops);
  archive.required({"setup_seconds", "Wall-clock time of the preparation, in seconds."},
                   engine.setup_seconds);
  archive.required({"loop_seconds", "Wall-clock time of the event loop, in seconds."},
                   engine.loop_seconds);
  archive.required({"threads", "Number of threads that simulated one run."}, engine.threads);
  archive.nullable({"one_thread_because", "Why one thread ran although more were free."},
                   engine.one_thread_because);
  archive.optional({"skipped", "What --fast or spec.fast computed without events, if requested."},
                   engine.skipped);
}

template <typename Archive, same_as_or_const<BytePath> Value>
void fields(Archive& archive, Value& byte_path) {
  archive.required({"checked", "Number of sampled decisions."}, byte_path.checked);
  archive.required({"mismatched", "Number of decisions that differ from the byte path."},
                   byte_path.mismatched);
}

/// The variant's `nodes`.
template <typename Archive, same_as_or_const<CpuUtilisation> Value>
void fields(Archive& archive, Value& utilisation) {
  archive.object({"cpu_utilisation", "Busy time of the nodes' cores."}, [&](auto& nested) {
    PpmFraction mean{utilisation.mean_ppm}, max{utilisation.max_ppm};
    nested.required({"mean", "Mean of all nodes, as a fraction."}, mean);
    nested.required({"max", "The busiest node, as a fraction."}, max);
    if constexpr (Archive::kReads) utilisation = {mean.ppm, max.ppm};
  });
}

template <typename Archive, same_as_or_const<MeasuredHost> Value>
void fields(Archive& archive, Value& host) {
  archive.required({"address", "Address of the host's agent."}, host.address);
  archive.required({"kernel", "Release of the host's kernel."}, host.kernel);
  archive.required({"processors", "Number of processors."}, host.processors);
  archive.required({"uplink", "Device that leads to the other host."}, host.uplink);
  archive.required({"mtu", "MTU of the uplink, in bytes."}, host.mtu);
  archive.required({"segmentation", "Whether devices take buffers of several segments (GSO, TSO)."},
                   host.segmentation);
  archive.required({"receive", "Whether devices merge received segments (GRO)."}, host.receive);
}

template <typename Archive, same_as_or_const<KernelFacts> Value>
void fields(Archive& archive, Value& kernel) {
  archive.required({"release", "Release of the kernel."}, kernel.release);
  archive.required({"wire", "Connection between the nodes, such as veth pair."}, kernel.wire);
  archive.required({"segmentation", "Whether devices take buffers of several segments (GSO, TSO)."},
                   kernel.segmentation);
  archive.required({"receive", "Whether devices merge received segments (GRO)."}, kernel.receive);
  archive.required(
      {"emulated",
       "Whether the kernel was user-mode Linux, whose times are not those of a machine."},
      kernel.is_emulated);
  archive.required({"slices", "Number of slices in which each traffic was measured."},
                   kernel.slices);
  archive.required({"losses", "Increase of the kernel's counters of lost packets, by name."},
                   kernel.losses);
  archive.optional({"hosts", "The machines that were the nodes."}, kernel.hosts);
}

template <typename Archive, same_as_or_const<VariantResult> Value>
void fields(Archive& archive, Value& variant) {
  const bool has_run =
      variant.status == VariantStatus::Ok || variant.status == VariantStatus::Partial;
  archive.required({"name", "Name of the variant."}, variant.name);
  archive.required({"status", "Whether the variant ran, or why not."}, variant.status);
  archive.required({"reason", "Why the status is not ok, or a condition; may be empty."},
                   variant.reason);
  archive.nullable({"dataplane", "The effective dataplane, in the words of `overlane explain`."},
                   variant.dataplane);
  archive.nullable_if(has_run, {"byte_path", "Comparison of sampled packets with the byte path."},
                      variant.byte_path);
  archive.required({"traffic", "Results of each traffic group."}, variant.traffic);
  archive.required({"limits", "The bottleneck of each flow."}, variant.limits);
  archive.nullable_if(has_run, {"nodes", "CPU use of the nodes; null if the variant did not run."},
                      variant.cpu_utilisation);
  if (archive.detail() == JsonDetail::Hashed) return;
  archive.required({"ending", "How the variant's runs ended."}, variant.ending);
  archive.optional(
      {"explained", "Sensitivity of figures to the constants of the run, if requested."},
      variant.explained);
  archive.nullable_if(has_run,
                      {"engine", "Facts about the simulation; null if the variant did not run."},
                      variant.engine);
  archive.optional({"series", "The figures over time, one entry per run, if requested."},
                   variant.series);
  archive.optional({"kernel", "How the variant was measured on a Linux kernel."}, variant.kernel);
  archive.optional({"steps", "Changes of the states by the run's events, if requested."},
                   variant.steps);
}

template <typename Archive, same_as_or_const<RatioRange> Value>
void fields(Archive& archive, Value& range) {
  archive.required({"low_ppm", "Smallest ratio, in ppm."}, range.low_ppm);
  archive.required({"high_ppm", "Largest ratio, in ppm."}, range.high_ppm);
}

template <typename Archive, same_as_or_const<Comparison> Value>
void fields(Archive& archive, Value& comparison) {
  RepeatedRatios repeated{comparison.repeated_ppm};
  archive.required({"traffic", "Name of the traffic group."}, comparison.traffic);
  archive.required({"metric", "Name of the figure; its ending names the unit."}, comparison.metric);
  archive.required({"variant", "Name of the variant."}, comparison.variant);
  archive.required({"baseline", "Name of the baseline variant."}, comparison.baseline);
  archive.nullable({"ratio_ppm", "The ratio, in ppm; null if the baseline's figure is zero."},
                   comparison.ratio_ppm);
  archive.optional({"repetitions", "The ratio in each repetition."}, repeated);
  if (archive.detail() == JsonDetail::All)  // The range is a diagnostic: not in the hash.
    archive.optional({"range", "The ratio over the cost profile and those of `cost_hosts`."},
                     comparison.range);
  if constexpr (Archive::kReads) comparison.repeated_ppm = std::move(repeated.values);
}

template <typename Archive, same_as_or_const<Prediction> Value>
void fields(Archive& archive, Value& prediction) {
  archive.required({"variant", "Name of the variant."}, prediction.variant);
  archive.required({"traffic", "Name of the traffic group."}, prediction.traffic);
  archive.required({"metric", "Name of the figure; its ending names the unit."}, prediction.metric);
  archive.required({"measured", "The measured figure."}, prediction.measured);
  archive.required({"predicted", "The predicted figure."}, prediction.predicted);
}

template <typename Archive, same_as_or_const<CrossCheck> Value>
void fields(Archive& archive, Value& check) {
  archive.required({"variant", "Name of the variant."}, check.variant);
  archive.required({"traffic", "Name of the traffic group."}, check.traffic);
  archive.required({"program", "Name and version of the program."}, check.program);
  archive.required({"metric", "Name of the figure; its ending names the unit."}, check.metric);
  archive.required({"value", "The figure that it measured."}, check.value);
}

template <typename Archive, same_as_or_const<NodeMachine> Value>
void fields(Archive& archive, Value& machine) {
  archive.required({"type", "Machine type; empty: no worker pool names one."}, machine.type);
  archive.required({"cores", "Number of cores."}, machine.cores);
  archive.required({"cores_from", "Source of the number of cores."}, machine.cores_from);
  archive.required({"nic_bps", "Line rate of the NIC, in bit/s."}, machine.nic_bps);
  archive.required({"nic_from", "Source of the NIC's rate."}, machine.nic_from);
  archive.nullable(
      {"sustained_bps", "Rate that the network sustains, in bit/s; null: the line rate."},
      machine.sustained_bps);
  archive.required({"sends_at_sustained_rate", "Whether nodes send at the sustained rate."},
                   machine.sends_at_sustained_rate);
}

template <typename Archive, same_as_or_const<RunReport> Value>
void fields(Archive& archive, Value& report) {
  archive.constant({"schema_version", "Version of this format."}, kRunReportVersion);
  archive.constant({"kind", "Kind of the document."}, "RunReport");
  archive.required({"scenario", "Name of the Scenario."}, report.scenario);
  archive.required(
      {"executor", "Executor of the scenario: the packet engine (sim) or a Linux kernel."},
      report.executor);
  archive.required({"seed", "Seed of all random streams."}, report.seed);
  if constexpr (!Archive::kReads)
    archive.nullable_if(report.executor == Executor::Sim,
                        {"result_hash", "XXH3-128 of the results, as 32 hexadecimal digits."},
                        result_hash(report));
  archive.required({"assumptions", "Parameters that no given document sets, with their defaults."},
                   report.assumptions);
  archive.required({"variants", "Results of each variant, in the order of the Scenario."},
                   report.variants);
  archive.required({"comparison", "Ratios of figures of a variant to those of the baseline."},
                   report.comparison);
  archive.required({"cost_profile", "Name of the CostProfile; none: CPU time is free."},
                   report.cost_profile);
  archive.required({"environment", "The build of the program and the machine that it ran on."},
                   report.environment);
  archive.required({"findings", "Findings about the inputs and the run."}, report.findings);
  archive.optional({"machine", "The machine that every node of the simulation is."},
                   report.machine);
  archive.optional(
      {"predictions", "The simulator's predictions of figures that a kernel measured."},
      report.predictions);
  archive.optional({"cross_checks", "Figures that another program measured."}, report.cross_checks);
  archive.optional_if(report.seeds.size() > 1,
                      {"seeds", "Seed of each repetition; the first one is `seed`."}, report.seeds);
  archive.optional({"cost_hosts", "Profiles of the hosts that the cost profile is the mean of."},
                   report.cost_hosts);
  archive.optional({"shoot", "The shoot, as namespace/name."}, report.shoot);
  archive.optional(
      {"present_variant", "The variant with the dataplane of the shoot as its manifests are."},
      report.present_variant);
  archive.optional({"events", "Changes of the states by the Scenario, by time."}, report.events);
  if constexpr (Archive::kReads)
    if (report.seeds.empty()) report.seeds = {report.seed};
}

nlohmann::ordered_json run_report_schema() {
  return schema_of_fields<RunReport>();
}

nlohmann::ordered_json encode(const Assumption& assumption) {
  return encode_fields(assumption);
}

nlohmann::ordered_json encode(const RunReport& report) {
  return encode_fields(report);
}

std::string result_hash(const RunReport& report) {
  const nlohmann::json canonical = {
      {"scenario", report.scenario},
      {"variants", nlohmann::json(encode_fields(report.variants, JsonDetail::Hashed))},
      {"comparison", nlohmann::json(encode_fields(report.comparison, JsonDetail::Hashed))}};
  // Names come from files and may contain invalid UTF-8.
  return digest_of(canonical.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

VariantDataplane decode_variant_dataplane(const nlohmann::ordered_json& dataplane) {
  return read_json(dataplane, decode_fields<VariantDataplane>).value();
}

Parsed<RunReport> decode_run_report(const nlohmann::ordered_json& document) {
  if (auto wrong = wrong_kind(document, "RunReport", kRunReportVersion))
    return fail(*std::move(wrong));
  return read_json(document, decode_fields<RunReport>);
}

nlohmann::ordered_json encode(const Environment& environment) {
  return encode_fields(environment);
}

Environment decode_environment(const JsonReader& json) {
  return decode_fields<Environment>(json);
}

}  // namespace model

}  // namespace overlane
