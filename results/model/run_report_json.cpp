#include "results/model/run_report_json.h"

#include <cassert>
#include <string>

#include <nlohmann/json.hpp>

#include "results/base/json_reader.h"
#include "results/finding/finding.h"
#include "results/model/histogram.h"
#include "results/model/run_environment.h"
#include "results/model/series.h"
#include "results/model/suite_run.h"

namespace overlane::model {

namespace {

using Json = nlohmann::ordered_json;

/// How fractions in parts per million are written.
enum class Fractions { Decimal, PartsPerMillion };

Json fraction(std::int64_t ppm, Fractions fractions) {
  return fractions == Fractions::Decimal ? Json(static_cast<double>(ppm) / 1e6) : Json(ppm);
}

template <typename T, typename Encode>
Json list_of(const std::vector<T>& values, Encode encode_one) {
  Json list = Json::array();
  for (const T& value : values)
    list.push_back(encode_one(value));
  return list;
}

Json encode_dataplane(const VariantDataplane& dataplane) {
  return {{"mode", dataplane.mode},
          {"encapsulation", dataplane.encapsulation},
          {"cross_subnet", dataplane.cross_subnet},
          {"backend", dataplane.backend},
          {"routes_by", dataplane.routes_by},
          {"service_routing", dataplane.service_routing},
          {"encryption", dataplane.encryption},
          {"link_mtu", dataplane.link_mtu},
          {"pod_mtu", dataplane.pod_mtu},
          {"overhead_bytes", dataplane.overhead_bytes}};
}

/// Only the quantiles are in the hash.
Json encode_histogram(const Histogram& values, Fractions fractions) {
  return fractions == Fractions::Decimal ? encode(values) : encode_quantiles(values);
}

Json encode_drops(const DropCounts& drops) {
  Json counts = Json::object();
  for (const DropFacts& reason : kDrops) {
    if (drops[reason.drop] != 0) counts[std::string(reason.name)] = drops[reason.drop];
  }
  return counts;
}

/// Adds `values`, their mean and its confidence interval to `json`. Only in decimal form: mean and
/// interval depend on the rounding of doubles, so they are not part of the hash.
Json with_interval(Json json, const std::vector<std::int64_t>& values, Fractions fractions) {
  json["values"] = values;
  if (fractions == Fractions::PartsPerMillion) return json;
  if (const auto interval = mean_interval(values)) {
    json["mean"] = interval->mean;
    json["ci95_low"] = interval->mean - interval->half_width;
    json["ci95_high"] = interval->mean + interval->half_width;
  }
  return json;
}

Json encode_steady_state(const std::optional<SteadyState>& state) {
  if (!state) return nullptr;
  Json json{{"reached", state->reached}};
  json["from_ns"] = state->reached ? Json(state->from.whole_nanoseconds()) : Json(nullptr);
  json["drift_ppm"] = state->drift_ppm;
  json["bias_ppm"] = state->bias_ppm;
  json["method"] = kSteadyStateMethod;
  return json;
}

Json encode_traffic(const TrafficResult& traffic, Fractions fractions) {
  assert(traffic.packets.balanced());
  Json json{{"name", traffic.name},
            {"kind", to_string(traffic.kind)},
            {"throughput_bps", traffic.throughput_bps},
            {"goodput_bps", traffic.goodput_bps},
            {"packets",
             {{"sent", traffic.packets.sent},
              {"delivered", traffic.packets.delivered},
              {"dropped", traffic.packets.dropped},
              {"in_flight", traffic.packets.in_flight}}},
            {"latency_ns", encode_histogram(traffic.latency_ns, fractions)},
            {"transactions", traffic.transactions},
            {"completion_ns", encode_histogram(traffic.completion_ns, fractions)},
            {"drops", encode_drops(traffic.drops)}};
  if (traffic.connections_per_second)
    json["connections_per_second"] = *traffic.connections_per_second;
  if (traffic.cpu)
    json["cpu"] = {{"user_ns_per_gb", traffic.cpu->user_ns_per_gb},
                   {"system_ns_per_gb", traffic.cpu->system_ns_per_gb},
                   {"softirq_ns_per_gb", traffic.cpu->softirq_ns_per_gb},
                   {"ns_per_message", traffic.cpu->ns_per_message}};
  if (traffic.interruptions)
    json["interruptions"] = {
        {"flows", traffic.interruptions->flows},
        {"interrupted", traffic.interruptions->interrupted},
        {"not_resumed", traffic.interruptions->not_resumed},
        {"longest_ns", encode_histogram(traffic.interruptions->longest_ns, fractions)}};
  // Diagnostics of goodput and latency: not part of the hash.
  if (fractions == Fractions::Decimal) {
    json["steady_state"] = encode_steady_state(traffic.steady_state);
    json["latency_steady_state"] = encode_steady_state(traffic.latency_steady_state);
  }
  if (traffic.repeated.empty()) return json;
  json["repetitions"] = list_of(traffic.repeated, [&](const RepeatedFigure& figure) {
    return with_interval({{"metric", figure.metric}}, figure.values, fractions);
  });
  return json;
}

Json encode_event(const Event& event) {
  return {{"at_ns", event.at_ns},
          {"until_ns", event.until_ns ? Json(*event.until_ns) : Json(nullptr)},
          {"what", event.what},
          {"place", event.place}};
}

Json encode_moved(const MovedFigure& figure) {
  return {{"metric", figure.metric}, {"before", figure.before}, {"after", figure.after}};
}

Json encode_movement(const Movement& movement) {
  return {{"constant", movement.constant}, {"value", movement.value},
          {"moved_to", movement.moved_to}, {"source", movement.source},
          {"metric", movement.metric},     {"before", movement.before},
          {"after", movement.after},       {"also", list_of(movement.also, encode_moved)}};
}

Json encode_limit(const Limit& limit) {
  Json json{{"traffic", limit.traffic},
            {"flow", limit.flow},
            {"station", limit.station},
            {"constant", limit.constant},
            {"source", limit.source}};
  json["state_entry"] = limit.state_entry.empty() ? Json(nullptr) : Json(limit.state_entry);
  if (!limit.movements.empty()) json["movements"] = list_of(limit.movements, encode_movement);
  return json;
}

Json encode_explained(const Explained& explained) {
  return {{"traffic", explained.traffic.empty() ? Json(nullptr) : Json(explained.traffic)},
          {"metric", explained.metric},
          {"movements", list_of(explained.movements, encode_movement)}};
}

Json encode_engine(const EngineFacts& engine) {
  return {{"events", engine.events},
          {"packet_hops", engine.packet_hops},
          {"setup_seconds", engine.setup_seconds},
          {"loop_seconds", engine.loop_seconds},
          {"threads", engine.threads},
          {"one_thread_because",
           engine.one_thread_because.empty() ? Json(nullptr) : Json(engine.one_thread_because)}};
}

bool has_run(const Variant& variant) {
  return variant.status == VariantStatus::Ok || variant.status == VariantStatus::Partial;
}

/// A variant without `engine`, which depends on the clock.
Json encode_variant(const Variant& variant, Fractions fractions) {
  Json json{
      {"name", variant.name}, {"status", to_string(variant.status)}, {"reason", variant.reason}};
  json["dataplane"] = variant.dataplane ? encode_dataplane(*variant.dataplane) : Json(nullptr);
  json["byte_path"] = nullptr;
  json["traffic"] = list_of(variant.traffic, [&](const TrafficResult& traffic) {
    return encode_traffic(traffic, fractions);
  });
  json["limits"] = list_of(variant.limits, encode_limit);
  json["nodes"] = nullptr;
  if (has_run(variant)) {
    json["byte_path"] = {{"checked", variant.byte_path.checked},
                         {"mismatched", variant.byte_path.mismatched}};
    json["nodes"]["cpu_utilisation"] = {
        {"mean", fraction(variant.cpu_utilisation.mean_ppm, fractions)},
        {"max", fraction(variant.cpu_utilisation.max_ppm, fractions)}};
  }
  return json;
}

Json encode_step(const Step& step) {
  return {{"at_ns", step.at_ns}, {"what", step.what}, {"lines", step.lines}};
}

Json encode_host(const MeasuredHost& host) {
  return {{"address", host.address}, {"kernel", host.kernel}, {"processors", host.processors},
          {"uplink", host.uplink},   {"mtu", host.mtu},       {"segmentation", host.segmentation},
          {"receive", host.receive}};
}

Json encode_kernel(const KernelFacts& kernel) {
  Json json{{"release", kernel.release},
            {"wire", kernel.wire},
            {"segmentation", kernel.segmentation},
            {"receive", kernel.receive},
            {"emulated", kernel.is_emulated},
            {"slices", kernel.slices},
            {"losses", kernel.losses}};
  if (!kernel.hosts.empty()) json["hosts"] = list_of(kernel.hosts, encode_host);
  return json;
}

Json encode_variant_with_engine(const Variant& variant) {
  Json json = encode_variant(variant, Fractions::Decimal);
  json["ending"] = to_string(variant.ending);
  if (!variant.explained.empty()) json["explained"] = list_of(variant.explained, encode_explained);
  json["engine"] = has_run(variant) ? encode_engine(variant.engine) : Json(nullptr);
  if (!variant.series.empty())
    json["series"] = list_of(variant.series, [](const Series& series) { return encode(series); });
  if (variant.kernel) json["kernel"] = encode_kernel(*variant.kernel);
  if (!variant.steps.empty()) json["steps"] = list_of(variant.steps, encode_step);
  return json;
}

Json encode_comparison(const Comparison& comparison, Fractions fractions) {
  Json json{{"traffic", comparison.traffic},
            {"metric", comparison.metric},
            {"variant", comparison.variant},
            {"baseline", comparison.baseline},
            {"ratio_ppm", comparison.ratio_ppm ? Json(*comparison.ratio_ppm) : Json(nullptr)}};
  if (!comparison.repeated_ppm.empty())
    json["repetitions"] = with_interval(Json::object(), comparison.repeated_ppm, fractions);
  // How far the costs decide the ratio is a diagnostic: not part of the hash.
  if (comparison.range && fractions == Fractions::Decimal)
    json["range"] = {{"low_ppm", comparison.range->low_ppm},
                     {"high_ppm", comparison.range->high_ppm}};
  return json;
}

Json encode_prediction(const Prediction& prediction) {
  return {{"variant", prediction.variant},
          {"traffic", prediction.traffic},
          {"metric", prediction.metric},
          {"measured", prediction.measured},
          {"predicted", prediction.predicted}};
}

Json encode_cross_check(const CrossCheck& check) {
  return {{"variant", check.variant},
          {"traffic", check.traffic},
          {"program", check.program},
          {"metric", check.metric},
          {"value", check.value}};
}

Json encode_machine(const NodeMachine& machine) {
  return {{"type", machine.type},
          {"cores", machine.cores},
          {"cores_from", to_string(machine.cores_from)},
          {"nic_bps", machine.nic_bps},
          {"nic_from", to_string(machine.nic_from)},
          {"sustained_bps", machine.sustained_bps ? Json(*machine.sustained_bps) : Json(nullptr)},
          {"sends_at_sustained_rate", machine.sends_at_sustained_rate}};
}

Json encode_comparisons(const RunReport& report, Fractions fractions) {
  return list_of(report.comparison, [&](const Comparison& comparison) {
    return encode_comparison(comparison, fractions);
  });
}

}  // namespace

nlohmann::ordered_json encode(const Assumption& assumption) {
  return {{"parameter", assumption.parameter},
          {"value", assumption.value},
          {"range", assumption.range},
          {"source", assumption.source},
          {"tag", assumption.tag}};
}

nlohmann::ordered_json encode(const RunReport& report) {
  nlohmann::ordered_json json{
      {"schema_version", kRunReportVersion},
      {"kind", "RunReport"},
      {"scenario", report.scenario},
      {"executor", to_string(report.executor)},
      {"seed", report.seed},
      {"result_hash", report.executor == Executor::Sim ? Json(result_hash(report)) : Json(nullptr)},
      {"assumptions",
       list_of(report.assumptions, [](const Assumption& one) { return encode(one); })},
      {"variants", list_of(report.variants, encode_variant_with_engine)},
      {"comparison", encode_comparisons(report, Fractions::Decimal)},
      {"cost_profile", report.cost_profile},
      {"environment", encode(report.environment)},
      {"findings", overlane::encode(report.findings)}};
  if (report.machine) json["machine"] = encode_machine(*report.machine);
  if (!report.predictions.empty())
    json["predictions"] = list_of(report.predictions, encode_prediction);
  if (!report.cross_checks.empty())
    json["cross_checks"] = list_of(report.cross_checks, encode_cross_check);
  if (report.seeds.size() > 1) json["seeds"] = report.seeds;
  if (!report.cost_hosts.empty()) json["cost_hosts"] = report.cost_hosts;
  if (!report.shoot.empty()) json["shoot"] = report.shoot;
  if (!report.events.empty()) json["events"] = list_of(report.events, encode_event);
  return json;
}

std::string result_hash(const RunReport& report) {
  const auto variant = [](Variant v) {
    for (Limit& limit : v.limits)
      limit.movements.clear();  // Diagnostics, not results.
    return encode_variant(v, Fractions::PartsPerMillion);
  };
  const nlohmann::json canonical = {
      {"scenario", report.scenario},
      {"variants", nlohmann::json(list_of(report.variants, variant))},
      {"comparison", nlohmann::json(encode_comparisons(report, Fractions::PartsPerMillion))}};
  // Names come from files and may contain invalid UTF-8.
  return digest_of(canonical.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

namespace {

/// A histogram that may be empty.
Histogram histogram_of(const JsonReader& json, const char* key) {
  const auto given = json.maybe(key);
  return given ? decode_histogram(*given) : Histogram{};
}

std::string text_or_null(const JsonReader& json, const char* key) {
  const auto given = json.maybe(key);
  return given ? given->string() : "";
}

std::optional<std::int64_t> integer_or_null(const JsonReader& json, const char* key) {
  const auto given = json.maybe(key);
  return given ? std::optional(given->integer()) : std::nullopt;
}

Assumption decode_assumption(const JsonReader& json) {
  return {.parameter = json["parameter"].string(),
          .value = json["value"].string(),
          .range = json["range"].string(),
          .source = json["source"].string(),
          .tag = json["tag"].string()};
}

VariantDataplane decode_dataplane(const JsonReader& json) {
  return {.mode = json["mode"].string(),
          .encapsulation = json["encapsulation"].string(),
          .backend = json["backend"].string(),
          .routes_by = json["routes_by"].string(),
          .service_routing = json["service_routing"].string(),
          .encryption = json["encryption"].string(),
          .cross_subnet = json["cross_subnet"].boolean(),
          .link_mtu = json["link_mtu"].integer(),
          .pod_mtu = json["pod_mtu"].integer(),
          .overhead_bytes = json["overhead_bytes"].integer()};
}

EngineFacts decode_engine(const JsonReader& json) {
  const auto reason = json.maybe("one_thread_because");
  return {.events = json["events"].integer(),
          .packet_hops = json["packet_hops"].integer(),
          .setup_seconds = json["setup_seconds"].number(),
          .loop_seconds = json["loop_seconds"].number(),
          .threads = json["threads"].integer(),
          .one_thread_because = reason ? reason->string() : ""};
}

PacketCounts decode_packets(const JsonReader& json) {
  const PacketCounts packets{.sent = json["sent"].integer(),
                             .delivered = json["delivered"].integer(),
                             .dropped = json["dropped"].integer(),
                             .in_flight = json["in_flight"].integer()};
  if (!packets.balanced()) json.fault("sent is not delivered + dropped + in_flight");
  return packets;
}

DropCounts decode_drops(const JsonReader& json) {
  DropCounts drops;
  for (const auto& [reason, count] : json.members()) {
    if (const auto drop = drop_named(reason))
      drops[*drop] = count.integer();
    else
      count.fault("not a reason for drops");
  }
  return drops;
}

Interruptions decode_interruptions(const JsonReader& json) {
  return {.flows = json["flows"].integer(),
          .interrupted = json["interrupted"].integer(),
          .not_resumed = json["not_resumed"].integer(),
          .longest_ns = histogram_of(json, "longest_ns")};
}

std::optional<SteadyState> steady_state_of(const JsonReader& json, const char* key) {
  const auto given = json.maybe(key);
  if (!given) return std::nullopt;
  const auto from = given->maybe("from_ns");
  return SteadyState{.reached = (*given)["reached"].boolean(),
                     .from = nanoseconds(from ? from->integer() : 0),
                     .drift_ppm = (*given)["drift_ppm"].integer(),
                     .bias_ppm = (*given)["bias_ppm"].integer()};
}

RepeatedFigure decode_repeated(const JsonReader& json) {
  return {.metric = json["metric"].string(), .values = json["values"].integers()};
}

CpuCost decode_cpu(const JsonReader& json) {
  return {.user_ns_per_gb = json["user_ns_per_gb"].integer(),
          .system_ns_per_gb = json["system_ns_per_gb"].integer(),
          .softirq_ns_per_gb = json["softirq_ns_per_gb"].integer(),
          .ns_per_message = json["ns_per_message"].integer()};
}

MeasuredHost decode_host(const JsonReader& json) {
  return {.address = json["address"].string(),
          .kernel = json["kernel"].string(),
          .processors = json["processors"].integer(),
          .uplink = json["uplink"].string(),
          .mtu = json["mtu"].integer(),
          .segmentation = json["segmentation"].boolean(),
          .receive = json["receive"].boolean()};
}

KernelFacts decode_kernel(const JsonReader& json) {
  KernelFacts facts{.release = json["release"].string(),
                    .wire = json["wire"].string(),
                    .segmentation = json["segmentation"].boolean(),
                    .receive = json["receive"].boolean(),
                    .is_emulated = json["emulated"].boolean(),
                    .slices = json["slices"].integer()};
  for (const auto& [name, count] : json["losses"].members())
    facts.losses[name] = count.integer();
  facts.hosts = json.maybe_list("hosts", decode_host);
  return facts;
}

TrafficResult decode_traffic(const JsonReader& json) {
  const auto interruptions = json.maybe("interruptions");
  const auto cpu = json.maybe("cpu");
  return {
      .name = json["name"].string(),
      .kind = json["kind"].word({TrafficKind::Udp, TrafficKind::Tcp, TrafficKind::RequestResponse}),
      .throughput_bps = json["throughput_bps"].integer(),
      .goodput_bps = json["goodput_bps"].integer(),
      .packets = decode_packets(json["packets"]),
      .latency_ns = histogram_of(json, "latency_ns"),
      .completion_ns = histogram_of(json, "completion_ns"),
      .transactions = json["transactions"].integer(),
      .connections_per_second = integer_or_null(json, "connections_per_second"),
      .drops = decode_drops(json["drops"]),
      .interruptions =
          interruptions ? std::optional(decode_interruptions(*interruptions)) : std::nullopt,
      .cpu = cpu ? std::optional(decode_cpu(*cpu)) : std::nullopt,
      .steady_state = steady_state_of(json, "steady_state"),
      .latency_steady_state = steady_state_of(json, "latency_steady_state"),
      .repeated = json.maybe_list("repetitions", decode_repeated)};
}

MovedFigure decode_moved(const JsonReader& json) {
  return {.metric = json["metric"].string(),
          .before = json["before"].integer(),
          .after = json["after"].integer()};
}

Movement decode_movement(const JsonReader& json) {
  return {.constant = json["constant"].string(),
          .value = json["value"].string(),
          .moved_to = json["moved_to"].string(),
          .source = json["source"].string(),
          .metric = json["metric"].string(),
          .before = json["before"].integer(),
          .after = json["after"].integer(),
          .also = json["also"].list(decode_moved)};
}

Limit decode_limit(const JsonReader& json) {
  return {.traffic = json["traffic"].string(),
          .flow = json["flow"].integer(),
          .station = json["station"].string(),
          .constant = json["constant"].string(),
          .source = json["source"].string(),
          .state_entry = text_or_null(json, "state_entry"),
          .movements = json.maybe_list("movements", decode_movement)};
}

Explained decode_explained(const JsonReader& json) {
  return {.traffic = text_or_null(json, "traffic"),
          .metric = json["metric"].string(),
          .movements = json["movements"].list(decode_movement)};
}

Event decode_event(const JsonReader& json) {
  return {.at_ns = json["at_ns"].integer(),
          .until_ns = integer_or_null(json, "until_ns"),
          .what = json["what"].string(),
          .place = json["place"].string()};
}

Step decode_step(const JsonReader& json) {
  return {.at_ns = json["at_ns"].integer(),
          .what = json["what"].string(),
          .lines = json["lines"].strings()};
}

Variant decode_variant(const JsonReader& json) {
  using enum VariantStatus;
  Variant variant{
      .name = json["name"].string(),
      .status =
          json["status"].word({Ok, NotAdmitted, NotDeliverable, Unsupported, Partial, NotRun}),
      .reason = json["reason"].string(),
      .ending = json["ending"].word({Ending::Complete, Ending::EventLimit, Ending::Interrupted}),
      .traffic = json["traffic"].list(decode_traffic),
      .limits = json["limits"].list(decode_limit),
      .explained = json.maybe_list("explained", decode_explained),
      .series = json.maybe_list("series", decode_series),
      .steps = json.maybe_list("steps", decode_step)};
  if (const auto dataplane = json.maybe("dataplane"))
    variant.dataplane = decode_dataplane(*dataplane);
  if (const auto kernel = json.maybe("kernel")) variant.kernel = decode_kernel(*kernel);
  if (const auto engine = json.maybe("engine")) variant.engine = decode_engine(*engine);
  if (const auto checked = json.maybe("byte_path"))
    variant.byte_path = {.checked = (*checked)["checked"].integer(),
                         .mismatched = (*checked)["mismatched"].integer()};
  if (const auto nodes = json.maybe("nodes"))
    variant.cpu_utilisation = {.mean_ppm = (*nodes)["cpu_utilisation"]["mean"].ppm(),
                               .max_ppm = (*nodes)["cpu_utilisation"]["max"].ppm()};
  return variant;
}

RatioRange decode_range(const JsonReader& json) {
  return {.low_ppm = json["low_ppm"].integer(), .high_ppm = json["high_ppm"].integer()};
}

Comparison decode_comparison(const JsonReader& json) {
  const auto repetitions = json.maybe("repetitions");
  const auto range = json.maybe("range");
  return {.traffic = json["traffic"].string(),
          .metric = json["metric"].string(),
          .variant = json["variant"].string(),
          .baseline = json["baseline"].string(),
          .ratio_ppm = integer_or_null(json, "ratio_ppm"),
          .repeated_ppm =
              repetitions ? (*repetitions)["values"].integers() : std::vector<std::int64_t>{},
          .range = range ? std::optional(decode_range(*range)) : std::nullopt};
}

Prediction decode_prediction(const JsonReader& json) {
  return {.variant = json["variant"].string(),
          .traffic = json["traffic"].string(),
          .metric = json["metric"].string(),
          .measured = json["measured"].integer(),
          .predicted = json["predicted"].integer()};
}

CrossCheck decode_cross_check(const JsonReader& json) {
  return {.variant = json["variant"].string(),
          .traffic = json["traffic"].string(),
          .program = json["program"].string(),
          .metric = json["metric"].string(),
          .value = json["value"].integer()};
}

NodeMachine decode_machine(const JsonReader& json) {
  const auto source = [&](const char* key) {
    return json[key].word({FigureSource::Topology, FigureSource::CloudProfile,
                           FigureSource::Published, FigureSource::Default});
  };
  const auto sustained = json.maybe("sustained_bps");
  return {.type = json["type"].string(),
          .cores = static_cast<std::uint32_t>(json["cores"].unsigned_integer()),
          .cores_from = source("cores_from"),
          .nic_bps = json["nic_bps"].integer(),
          .nic_from = source("nic_from"),
          .sustained_bps = sustained ? std::optional(sustained->integer()) : std::nullopt,
          .sends_at_sustained_rate = json["sends_at_sustained_rate"].boolean()};
}

RunReport decode(const JsonReader& json) {
  RunReport report{.scenario = json["scenario"].string(),
                   .executor = json["executor"].word({Executor::Sim, Executor::Kernel}),
                   .seed = json["seed"].unsigned_integer(),
                   .seeds = json.maybe_list(
                       "seeds", [](const JsonReader& seed) { return seed.unsigned_integer(); }),
                   .assumptions = json["assumptions"].list(decode_assumption),
                   .variants = json["variants"].list(decode_variant),
                   .comparison = json["comparison"].list(decode_comparison),
                   .predictions = json.maybe_list("predictions", decode_prediction),
                   .cross_checks = json.maybe_list("cross_checks", decode_cross_check),
                   .cost_profile = json["cost_profile"].string(),
                   .cost_hosts = json.maybe("cost_hosts") ? json["cost_hosts"].strings()
                                                          : std::vector<std::string>{},
                   .shoot = text_or_null(json, "shoot"),
                   .environment = decode_environment(json["environment"]),
                   .events = json.maybe_list("events", decode_event),
                   .findings = decode_findings(json["findings"])};
  if (const auto machine = json.maybe("machine")) report.machine = decode_machine(*machine);
  if (report.seeds.empty()) report.seeds = {report.seed};
  return report;
}

}  // namespace

Parsed<RunReport> decode_run_report(const nlohmann::ordered_json& document) {
  if (auto wrong = wrong_kind(document, "RunReport", kRunReportVersion))
    return fail(*std::move(wrong));
  return read_json(document, decode);
}

}  // namespace overlane::model
