#include <string>

#include <nlohmann/json.hpp>

#include "results/finding/finding_json.h"
#include "results/finding/json_reader.h"
#include "results/model/environment_json.h"
#include "results/model/histogram_json.h"
#include "results/model/run_report_json.h"
#include "results/model/series_json.h"

namespace overlane::model {
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
