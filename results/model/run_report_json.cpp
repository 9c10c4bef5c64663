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
#include "results/model/run_report_texts.h"
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
/// so they are not part of the hash.
template <typename Archive, typename Values>
void repeated_fields(Archive& archive, Values& values) {
  archive.required("values", values);
  if constexpr (!Archive::kReads) {
    if (archive.detail() == JsonDetail::Hashed) return;
    const auto interval = mean_interval(values);
    const auto [mean, half_width] = interval.value_or(MeanInterval{});
    archive.optional_if(interval.has_value(), "mean", mean);
    archive.optional_if(interval.has_value(), "ci95_low", mean - half_width);
    archive.optional_if(interval.has_value(), "ci95_high", mean + half_width);
  }
}

/// The ratios of all repetitions.
struct RepeatedRatios {
  std::vector<std::int64_t> values;

  bool empty() const { return values.empty(); }
};

template <typename Archive, same_as_or_const<RepeatedRatios> Value>
void fields(Archive& archive, Value& ratios) {
  repeated_fields(archive, ratios.values);
}

template <typename Archive, same_as_or_const<RepeatedFigure> Value>
void fields(Archive& archive, Value& figure) {
  archive.required("metric", figure.metric);
  repeated_fields(archive, figure.values);
}

template <typename Archive, same_as_or_const<Assumption> Value>
void fields(Archive& archive, Value& assumption) {
  archive.required("parameter", assumption.parameter);
  archive.required("value", assumption.value);
  archive.required("range", assumption.range);
  archive.required("source", assumption.source);
  archive.required("tag", assumption.tag);
}

template <typename Archive, same_as_or_const<VariantDataplane> Value>
void fields(Archive& archive, Value& dataplane) {
  archive.required("mode", dataplane.mode);
  archive.required("encapsulation", dataplane.encapsulation);
  archive.required("cross_subnet", dataplane.cross_subnet);
  archive.required("backend", dataplane.backend);
  archive.required("routes_by", dataplane.routes_by);
  archive.required("service_routing", dataplane.service_routing);
  archive.required("encryption", dataplane.encryption);
  archive.required("link_mtu", dataplane.link_mtu);
  archive.required("pod_mtu", dataplane.pod_mtu);
  archive.required("overhead_bytes", dataplane.overhead_bytes);
}

template <typename Archive, same_as_or_const<PacketCounts> Value>
void fields(Archive& archive, Value& packets) {
  archive.required("sent", packets.sent);
  archive.required("delivered", packets.delivered);
  archive.required("dropped", packets.dropped);
  archive.required("in_flight", packets.in_flight);
  if constexpr (Archive::kReads) {
    if (!packets.balanced()) archive.json().fault("sent is not delivered + dropped + in_flight");
  } else {
    assert(packets.balanced());
  }
}

template <typename Archive, same_as_or_const<CpuCost> Value>
void fields(Archive& archive, Value& cpu) {
  archive.required("user_ns_per_gb", cpu.user_ns_per_gb);
  archive.required("system_ns_per_gb", cpu.system_ns_per_gb);
  archive.required("softirq_ns_per_gb", cpu.softirq_ns_per_gb);
  archive.required("ns_per_message", cpu.ns_per_message);
}

/// A histogram without values is null.
template <typename Archive, typename Value>
void histogram_field(Archive& archive, const char* key, Value& histogram) {
  archive.nullable_if(true, key, histogram);
}

template <typename Archive, same_as_or_const<Interruptions> Value>
void fields(Archive& archive, Value& interruptions) {
  archive.required("flows", interruptions.flows);
  archive.required("interrupted", interruptions.interrupted);
  archive.required("not_resumed", interruptions.not_resumed);
  histogram_field(archive, "longest_ns", interruptions.longest_ns);
}

template <typename Archive, same_as_or_const<SteadyState> Value>
void fields(Archive& archive, Value& state) {
  std::int64_t from_ns = state.from.whole_nanoseconds();
  archive.required("reached", state.reached);
  archive.nullable_if(state.reached, "from_ns", from_ns);
  archive.required("drift_ppm", state.drift_ppm);
  archive.required("bias_ppm", state.bias_ppm);
  archive.constant("method", kSteadyStateMethod);
  if constexpr (Archive::kReads) state.from = nanoseconds(from_ns);
}

template <typename Archive, same_as_or_const<TrafficResult> Value>
void fields(Archive& archive, Value& traffic) {
  archive.required("name", traffic.name);
  archive.required("kind", traffic.kind);
  archive.required("throughput_bps", traffic.throughput_bps);
  archive.required("goodput_bps", traffic.goodput_bps);
  archive.required("packets", traffic.packets);
  histogram_field(archive, "latency_ns", traffic.latency_ns);
  archive.required("transactions", traffic.transactions);
  histogram_field(archive, "completion_ns", traffic.completion_ns);
  archive.required("drops", traffic.drops);
  archive.optional("connections_per_second", traffic.connections_per_second);
  archive.optional("cpu", traffic.cpu);
  archive.optional("interruptions", traffic.interruptions);
  if (archive.detail() == JsonDetail::All) {  // Steady states are diagnostics: not in the hash.
    archive.nullable("steady_state", traffic.steady_state);
    archive.nullable("latency_steady_state", traffic.latency_steady_state);
  }
  archive.optional("repetitions", traffic.repeated);
}

template <typename Archive, same_as_or_const<Event> Value>
void fields(Archive& archive, Value& event) {
  archive.required("at_ns", event.at_ns);
  archive.nullable("until_ns", event.until_ns);
  archive.required("what", event.what);
  archive.required("place", event.place);
}

template <typename Archive, same_as_or_const<Step> Value>
void fields(Archive& archive, Value& step) {
  archive.required("at_ns", step.at_ns);
  archive.required("what", step.what);
  archive.required("lines", step.lines);
}

template <typename Archive, same_as_or_const<MovedFigure> Value>
void fields(Archive& archive, Value& figure) {
  archive.required("metric", figure.metric);
  archive.required("before", figure.before);
  archive.required("after", figure.after);
}

template <typename Archive, same_as_or_const<Movement> Value>
void fields(Archive& archive, Value& movement) {
  archive.required("constant", movement.constant);
  archive.required("value", movement.value);
  archive.required("moved_to", movement.moved_to);
  archive.required("source", movement.source);
  archive.required("metric", movement.metric);
  archive.required("before", movement.before);
  archive.required("after", movement.after);
  archive.required("also", movement.also);
}

template <typename Archive, same_as_or_const<Limit> Value>
void fields(Archive& archive, Value& limit) {
  archive.required("traffic", limit.traffic);
  archive.required("flow", limit.flow);
  archive.required("station", limit.station);
  archive.required("constant", limit.constant);
  archive.required("source", limit.source);
  archive.nullable("state_entry", limit.state_entry);
  if (archive.detail() == JsonDetail::All)  // Movements are diagnostics: not in the hash.
    archive.optional("movements", limit.movements);
}

template <typename Archive, same_as_or_const<Explained> Value>
void fields(Archive& archive, Value& explained) {
  archive.nullable("traffic", explained.traffic);
  archive.required("metric", explained.metric);
  archive.required("movements", explained.movements);
}

template <typename Archive, same_as_or_const<EngineFacts> Value>
void fields(Archive& archive, Value& engine) {
  archive.required("events", engine.events);
  archive.required("packet_hops", engine.packet_hops);
  archive.required("setup_seconds", engine.setup_seconds);
  archive.required("loop_seconds", engine.loop_seconds);
  archive.required("threads", engine.threads);
  archive.nullable("one_thread_because", engine.one_thread_because);
}

template <typename Archive, same_as_or_const<BytePath> Value>
void fields(Archive& archive, Value& byte_path) {
  archive.required("checked", byte_path.checked);
  archive.required("mismatched", byte_path.mismatched);
}

/// The variant's `nodes`.
template <typename Archive, same_as_or_const<CpuUtilisation> Value>
void fields(Archive& archive, Value& utilisation) {
  archive.object("cpu_utilisation", [&](auto& nested) {
    PpmFraction mean{utilisation.mean_ppm}, max{utilisation.max_ppm};
    nested.required("mean", mean);
    nested.required("max", max);
    if constexpr (Archive::kReads) utilisation = {mean.ppm, max.ppm};
  });
}

template <typename Archive, same_as_or_const<MeasuredHost> Value>
void fields(Archive& archive, Value& host) {
  archive.required("address", host.address);
  archive.required("kernel", host.kernel);
  archive.required("processors", host.processors);
  archive.required("uplink", host.uplink);
  archive.required("mtu", host.mtu);
  archive.required("segmentation", host.segmentation);
  archive.required("receive", host.receive);
}

template <typename Archive, same_as_or_const<KernelFacts> Value>
void fields(Archive& archive, Value& kernel) {
  archive.required("release", kernel.release);
  archive.required("wire", kernel.wire);
  archive.required("segmentation", kernel.segmentation);
  archive.required("receive", kernel.receive);
  archive.required("emulated", kernel.is_emulated);
  archive.required("slices", kernel.slices);
  archive.required("losses", kernel.losses);
  archive.optional("hosts", kernel.hosts);
}

template <typename Archive, same_as_or_const<VariantResult> Value>
void fields(Archive& archive, Value& variant) {
  const bool has_run =
      variant.status == VariantStatus::Ok || variant.status == VariantStatus::Partial;
  archive.required("name", variant.name);
  archive.required("status", variant.status);
  archive.required("reason", variant.reason);
  archive.nullable("dataplane", variant.dataplane);
  archive.nullable_if(has_run, "byte_path", variant.byte_path);
  archive.required("traffic", variant.traffic);
  archive.required("limits", variant.limits);
  archive.nullable_if(has_run, "nodes", variant.cpu_utilisation);
  if (archive.detail() == JsonDetail::Hashed) return;
  archive.required("ending", variant.ending);
  archive.optional("explained", variant.explained);
  archive.nullable_if(has_run, "engine", variant.engine);
  archive.optional("series", variant.series);
  archive.optional("kernel", variant.kernel);
  archive.optional("steps", variant.steps);
}

template <typename Archive, same_as_or_const<RatioRange> Value>
void fields(Archive& archive, Value& range) {
  archive.required("low_ppm", range.low_ppm);
  archive.required("high_ppm", range.high_ppm);
}

template <typename Archive, same_as_or_const<Comparison> Value>
void fields(Archive& archive, Value& comparison) {
  RepeatedRatios repeated{comparison.repeated_ppm};
  archive.required("traffic", comparison.traffic);
  archive.required("metric", comparison.metric);
  archive.required("variant", comparison.variant);
  archive.required("baseline", comparison.baseline);
  archive.nullable("ratio_ppm", comparison.ratio_ppm);
  archive.optional("repetitions", repeated);
  if (archive.detail() == JsonDetail::All)  // The range is a diagnostic: not in the hash.
    archive.optional("range", comparison.range);
  if constexpr (Archive::kReads) comparison.repeated_ppm = std::move(repeated.values);
}

template <typename Archive, same_as_or_const<Prediction> Value>
void fields(Archive& archive, Value& prediction) {
  archive.required("variant", prediction.variant);
  archive.required("traffic", prediction.traffic);
  archive.required("metric", prediction.metric);
  archive.required("measured", prediction.measured);
  archive.required("predicted", prediction.predicted);
}

template <typename Archive, same_as_or_const<CrossCheck> Value>
void fields(Archive& archive, Value& check) {
  archive.required("variant", check.variant);
  archive.required("traffic", check.traffic);
  archive.required("program", check.program);
  archive.required("metric", check.metric);
  archive.required("value", check.value);
}

template <typename Archive, same_as_or_const<NodeMachine> Value>
void fields(Archive& archive, Value& machine) {
  archive.required("type", machine.type);
  archive.required("cores", machine.cores);
  archive.required("cores_from", machine.cores_from);
  archive.required("nic_bps", machine.nic_bps);
  archive.required("nic_from", machine.nic_from);
  archive.nullable("sustained_bps", machine.sustained_bps);
  archive.required("sends_at_sustained_rate", machine.sends_at_sustained_rate);
}

template <typename Archive, same_as_or_const<RunReport> Value>
void fields(Archive& archive, Value& report) {
  archive.constant("schema_version", kRunReportVersion);
  archive.constant("kind", "RunReport");
  archive.required("scenario", report.scenario);
  archive.required("executor", report.executor);
  archive.required("seed", report.seed);
  if constexpr (!Archive::kReads)
    archive.nullable_if(report.executor == Executor::Sim, "result_hash", result_hash(report));
  archive.required("assumptions", report.assumptions);
  archive.required("variants", report.variants);
  archive.required("comparison", report.comparison);
  archive.required("cost_profile", report.cost_profile);
  archive.required("environment", report.environment);
  archive.required("findings", report.findings);
  archive.optional("machine", report.machine);
  archive.optional("predictions", report.predictions);
  archive.optional("cross_checks", report.cross_checks);
  archive.optional_if(report.seeds.size() > 1, "seeds", report.seeds);
  archive.optional("cost_hosts", report.cost_hosts);
  archive.optional("shoot", report.shoot);
  archive.optional("events", report.events);
  if constexpr (Archive::kReads)
    if (report.seeds.empty()) report.seeds = {report.seed};
}

nlohmann::ordered_json run_report_schema() {
  return with_descriptions(schema_of_fields<RunReport>());
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
