#include "dataplane/kernel/agent/protocol/messages.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "results/base/json_reader.h"

namespace overlane::agent {

std::string_view to_string(HostNetwork network) {
  return network == HostNetwork::Pods ? "pods" : "as-is";
}

namespace {

using kernel::FlowEnds;
using kernel::FlowKind;
using Json = nlohmann::ordered_json;

constexpr std::chrono::milliseconds kLongestSlice = std::chrono::minutes(1);
constexpr std::int64_t kMaxMessageBytes = 16 << 20;
constexpr std::int64_t kMaxDatagramBytes = 65'507;  ///< 65,535 without the headers of IPv4 and UDP.
constexpr std::int64_t kMaxThinkNs = 3'600'000'000'000;
constexpr double kMaxPerSecond = 1e9;
constexpr std::int64_t kMinPort = 1024;
constexpr std::int64_t kMinMtu = 68;  ///< Smallest MTU of IPv4 (RFC 791).
constexpr std::int64_t kMaxMtu = 65'535;
constexpr std::size_t kMaxNameBytes = 256;
constexpr std::size_t kMaxReasonBytes = 4096;
constexpr std::size_t kMaxAbilities = 64;

std::string_view word_of(FlowKind kind) {
  constexpr std::array<std::string_view, 3> kWords = {"stream", "datagrams", "requests"};
  return kWords[static_cast<std::size_t>(kind)];
}
std::string_view word_of(FlowEnds ends) {
  constexpr std::array<std::string_view, 3> kWords = {"both", "client", "server"};
  return kWords[static_cast<std::size_t>(ends)];
}
std::string_view word_of(Encapsulation encapsulation) {
  return to_string(encapsulation);
}
std::string_view word_of(HostNetwork network) {
  return to_string(network);
}

template <typename Word>
Word word(const JsonReader& json, std::initializer_list<Word> values) {
  const std::string text = json.string();
  for (const Word value : values)
    if (word_of(value) == text) return value;
  json.fault("not a word that is known here");
  return *values.begin();
}

/// An object with these members and no other.
const JsonReader& only(const JsonReader& json, std::initializer_list<std::string_view> names) {
  for (const auto& [name, value] : json.members())
    if (std::ranges::find(names, name) == names.end()) json.fault("has a member that is not known");
  return json;
}

template <typename Number>
Number integer(const JsonReader& json, std::int64_t least, std::int64_t most) {
  const std::int64_t value = json.integer();
  if (value < least || value > most) {
    json.fault(fmt::format("not within {} and {}", least, most));
    return static_cast<Number>(least);
  }
  return static_cast<Number>(value);
}

std::int64_t count(const JsonReader& json) {
  return integer<std::int64_t>(json, 0, INT64_MAX);
}

double number(const JsonReader& json, double most) {
  const double value = json.number();
  if (std::isfinite(value) && value >= 0 && value <= most) return value;
  json.fault(fmt::format("not within 0 and {:g}", most));
  return 0;
}

/// Printable, so that a terminal shows it as it is.
std::string text(const JsonReader& json, std::size_t most) {
  const std::string value = json.string();
  const bool is_printable = std::ranges::all_of(
      value, [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f; });
  if (is_printable && value.size() <= most) return value;
  json.fault("too long, or has control characters");
  return "";
}

/// Makes a string that text() accepts: programs and kernels may print any bytes.
std::string as_text(std::string value) {
  std::ranges::replace_if(
      value, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  value.resize(std::min(value.size(), kMaxReasonBytes));
  return value;
}

template <typename T>
T parsed(const JsonReader& json, Parsed<T> value) {
  if (value) return *std::move(value);
  json.fault(value.error());
  return {};
}
IpAddress address(const JsonReader& json) {
  return parsed(json, IpAddress::parse(text(json, kMaxNameBytes)));
}
IpPrefix prefix(const JsonReader& json) {
  return parsed(json, IpPrefix::parse(text(json, kMaxNameBytes)));
}
Bytes32 bytes(const JsonReader& json) {
  return parsed(json, from_hex(text(json, kMaxNameBytes)));
}

template <typename Decode>
auto list(const JsonReader& json, std::size_t most, Decode decode_one) {
  using List = std::vector<decltype(decode_one(json))>;
  if (json.json().size() <= most) return List(json.list(decode_one));
  json.fault(fmt::format("has more than {} items", most));
  return List();
}

Json encode_offloads(const kernel::DeviceOffloads& offloads) {
  return {{"checksums", offloads.checksums},
          {"segmentation", offloads.segmentation},
          {"receive", offloads.receive}};
}
kernel::DeviceOffloads decode_offloads(const JsonReader& json) {
  only(json, {"checksums", "segmentation", "receive"});
  return {.checksums = json["checksums"].boolean(),
          .segmentation = json["segmentation"].boolean(),
          .receive = json["receive"].boolean()};
}

Json encode_pods(const PodNetwork& pods) {
  Json addresses = Json::array();
  for (const IpAddress& pod : pods.pods)
    addresses.push_back(pod.to_string());
  return {{"encapsulation", to_string(pods.encapsulation)},
          {"vni", pods.vni},
          {"udp_port", pods.udp_port},
          {"mtu", pods.mtu},
          {"first", pods.is_first},
          {"own_range", pods.own_range.to_string()},
          {"peer_range", pods.peer_range.to_string()},
          {"pods", addresses}};
}

/// The ranges are apart and of one family, and the pods are within the host's.
void check(const JsonReader& json, const PodNetwork& network) {
  if (network.own_range.is_ipv4() != network.peer_range.is_ipv4() ||
      network.own_range.overlaps(network.peer_range))
    json.fault("the two ranges overlap, or differ in their family");
  for (const IpAddress& pod : network.pods)
    if (!network.own_range.contains(pod) || pod == network.own_range.network())
      json.fault("a pod is outside of the host's range, or has its first address");
  const auto sorted = [&] {
    auto pods = network.pods;
    std::ranges::sort(pods);
    return pods;
  }();
  if (std::ranges::adjacent_find(sorted) != sorted.end()) json.fault("two pods have one address");
}

PodNetwork decode_pods(const JsonReader& json) {
  only(json,
       {"encapsulation", "vni", "udp_port", "mtu", "first", "own_range", "peer_range", "pods"});
  PodNetwork network{
      .encapsulation = word(json["encapsulation"], {Encapsulation::None, Encapsulation::Ipip,
                                                    Encapsulation::Vxlan, Encapsulation::Geneve}),
      .vni = integer<std::uint32_t>(json["vni"], 0, (1 << 24) - 1),
      .udp_port = integer<std::uint16_t>(json["udp_port"], 0, UINT16_MAX),
      .mtu = integer<std::uint32_t>(json["mtu"], kMinMtu, kMaxMtu),
      .is_first = json["first"].boolean(),
      .own_range = prefix(json["own_range"]),
      .peer_range = prefix(json["peer_range"]),
      .pods = list(json["pods"], kMaxPods, address)};
  check(json, network);
  return network;
}

Json encode_load(const kernel::FlowLoad& load) {
  Json json;
  json["kind"] = word_of(load.kind);
  if (load.kind == FlowKind::Datagrams) json["payload_bytes"] = load.payload_bytes;
  if (load.kind != FlowKind::Stream) {
    json["per_second"] = load.per_second;
    json["poisson"] = load.poisson;
  }
  if (load.kind == FlowKind::Requests) {
    json["over_udp"] = load.over_udp;
    json["connection_each"] = load.connection_each;
    json["request_bytes"] = load.request_bytes;
    json["response_bytes"] = load.response_bytes;
    json["think_ns"] = load.think_time.count();
  }
  return json;
}

kernel::FlowLoad decode_load(const JsonReader& json) {
  kernel::FlowLoad load{
      .kind = word(json["kind"], {FlowKind::Stream, FlowKind::Datagrams, FlowKind::Requests})};
  switch (load.kind) {
    case FlowKind::Stream:
      only(json, {"kind"});
      return load;
    case FlowKind::Datagrams:
      only(json, {"kind", "payload_bytes", "per_second", "poisson"});
      load.payload_bytes = integer<std::uint32_t>(json["payload_bytes"], 1, kMaxDatagramBytes);
      break;
    case FlowKind::Requests:
      only(json, {"kind", "per_second", "poisson", "over_udp", "connection_each", "request_bytes",
                  "response_bytes", "think_ns"});
      load.over_udp = json["over_udp"].boolean();
      load.connection_each = json["connection_each"].boolean();
      const std::int64_t most = load.over_udp ? kMaxDatagramBytes : kMaxMessageBytes;
      load.request_bytes = integer<std::uint32_t>(json["request_bytes"], 1, most);
      load.response_bytes = integer<std::uint32_t>(json["response_bytes"], 1, most);
      load.think_time =
          std::chrono::nanoseconds(integer<std::int64_t>(json["think_ns"], 0, kMaxThinkNs));
      break;
  }
  load.per_second = number(json["per_second"], kMaxPerSecond);
  load.poisson = json["poisson"].boolean();
  return load;
}

Json encode_flow(const AgentFlow& flow) {
  return {{"load", encode_load(flow.load)},
          {"here", word_of(flow.here)},
          {"client", flow.client.to_string()},
          {"server", flow.server.to_string()},
          {"port", flow.port},
          {"seed", flow.seed}};
}
AgentFlow decode_flow(const JsonReader& json) {
  only(json, {"load", "here", "client", "server", "port", "seed"});
  return {.load = decode_load(json["load"]),
          .here = word(json["here"], {FlowEnds::Both, FlowEnds::Client, FlowEnds::Server}),
          .client = address(json["client"]),
          .server = address(json["server"]),
          .port = integer<std::uint16_t>(json["port"], kMinPort, UINT16_MAX),
          .seed = json["seed"].unsigned_integer()};
}

Json encode_figures(const kernel::FlowFigures& figures) {
  const model::Histogram& latency = figures.latency_ns;
  return {{"counted_ns", figures.counted.count()},
          {"received_bytes", figures.received_bytes},
          {"sent_messages", figures.sent_messages},
          {"received_messages", figures.received_messages},
          {"latency",
           {{"buckets", latency.buckets_text()},
            {"sum", latency.sum_text()},
            {"min", latency.min()},
            {"max", latency.max()}}},
          {"failure", as_text(figures.failure)}};
}

model::Histogram decode_latency(const JsonReader& json) {
  only(json, {"buckets", "sum", "min", "max"});
  const std::string buckets = json["buckets"].string();
  return buckets.empty()
             ? model::Histogram()
             : parsed(json, model::Histogram::from_text(buckets, json["sum"].string(),
                                                        count(json["min"]), count(json["max"])));
}
kernel::FlowFigures decode_figures(const JsonReader& json) {
  only(json, {"counted_ns", "received_bytes", "sent_messages", "received_messages", "latency",
              "failure"});
  return {.counted =
              std::chrono::nanoseconds(integer<std::int64_t>(json["counted_ns"], 1, kMaxThinkNs)),
          .received_bytes = count(json["received_bytes"]),
          .sent_messages = count(json["sent_messages"]),
          .received_messages = count(json["received_messages"]),
          .latency_ns = decode_latency(json["latency"]),
          .failure = text(json["failure"], kMaxReasonBytes)};
}

Json encode_cpu(const kernel::CpuTimes& cpu) {
  return {{"user", cpu.user},
          {"system", cpu.system},
          {"softirq", cpu.softirq},
          {"idle", cpu.idle},
          {"stolen", cpu.stolen}};
}
kernel::CpuTimes decode_cpu(const JsonReader& json) {
  only(json, {"user", "system", "softirq", "idle", "stolen"});
  // Limit for the time of all processors in a slice.
  constexpr double kMaxSeconds = 1e9;
  return {.user = number(json["user"], kMaxSeconds),
          .system = number(json["system"], kMaxSeconds),
          .softirq = number(json["softirq"], kMaxSeconds),
          .idle = number(json["idle"], kMaxSeconds),
          .stolen = number(json["stolen"], kMaxSeconds)};
}

/// A list of what `encode_one` makes.
template <typename List, typename Encode>
Json list_of(const List& values, Encode encode_one) {
  Json json = Json::array();
  for (const auto& value : values)
    json.push_back(encode_one(value));
  return json;
}

// What each message holds besides its type.

void put(const Authenticate& message, Json& json) {
  json["nonce"] = hex(message.nonce);
  json["proof"] = hex(message.proof);
}
void put(const SetUpVariant& message, Json& json) {
  json["number"] = message.number;
  json["peer"] = message.peer.to_string();
  json["offloads"] = encode_offloads(message.offloads);
  if (message.pods) json["pods"] = encode_pods(*message.pods);
}
void put(const Prepare& message, Json& json) {
  json["variant"] = message.variant;
  json["flows"] = list_of(message.flows, encode_flow);
}
void put(const CarryFlows& message, Json& json) {
  json["warm_up_ms"] = message.warm_up.count();
  json["counted_ms"] = message.counted.count();
}
void put(const Hello& message, Json& json) {
  json["protocol"] = message.protocol;
  json["nonce"] = hex(message.nonce);
}
void put(const Welcome& message, Json& json) {
  json["proof"] = hex(message.proof);
}
void put(const Refused& message, Json& json) {
  json["reason"] = as_text(message.reason);
}
void put(const HostFacts& message, Json& json) {
  json["network"] = to_string(message.network);
  json["kernel"] = message.kernel;
  json["boot"] = message.boot;
  json["processors"] = message.processors;
  json["uplink"] = message.uplink;
  json["mtu"] = message.mtu;
  json["offloads"] = encode_offloads(message.offloads);
  if (message.ipv4) json["ipv4"] = message.ipv4->to_string();
  if (message.ipv6) json["ipv6"] = message.ipv6->to_string();
  json["abilities"] = message.abilities;
}
void put(const Failed& message, Json& json) {
  json["reason"] = as_text(message.reason);
}
void put(const Figures& message, Json& json) {
  json["flows"] = list_of(message.carried.flows, encode_figures);
  json["cpu"] = encode_cpu(message.carried.cpu);
}
template <typename Empty>
void put(const Empty&, Json&) {}

std::string_view type_of(const Request& request) {
  constexpr std::array<std::string_view, std::variant_size_v<Request>> kTypes = {
      "authenticate", "facts", "set-up", "prepare", "carry", "finish", "remove-all"};
  return kTypes[request.index()];
}
std::string_view type_of(const Answer& answer) {
  constexpr std::array<std::string_view, std::variant_size_v<Answer>> kTypes = {
      "hello", "welcome", "refused", "facts", "done", "failed", "figures"};
  return kTypes[answer.index()];
}

template <typename Message>
std::string encode_line(const Message& message) {
  Json json;
  json["type"] = type_of(message);
  std::visit([&](const auto& one) { put(one, json); }, message);
  // What is no UTF-8, in what a kernel or a program said, does not end the agent.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void get(const JsonReader& json, Authenticate& message) {
  only(json, {"type", "nonce", "proof"});
  message = {.nonce = bytes(json["nonce"]), .proof = bytes(json["proof"])};
}
void get(const JsonReader& json, SetUpVariant& message) {
  only(json, {"type", "number", "peer", "offloads", "pods"});
  message = {.number = integer<std::uint32_t>(json["number"], 0, kMaxVariants - 1),
             .peer = address(json["peer"]),
             .offloads = decode_offloads(json["offloads"]),
             .pods = std::nullopt};
  if (const auto pods = json.maybe("pods")) message.pods = decode_pods(*pods);
  if (message.pods && message.pods->own_range.is_ipv4() != message.peer.is_ipv4())
    json.fault("the pods and the peer differ in their family");
}
void get(const JsonReader& json, Prepare& message) {
  only(json, {"type", "variant", "flows"});
  message = {.variant = integer<std::uint32_t>(json["variant"], 0, kMaxVariants - 1),
             .flows = list(json["flows"], kMaxFlows, decode_flow)};
}
void get(const JsonReader& json, CarryFlows& message) {
  only(json, {"type", "warm_up_ms", "counted_ms"});
  const auto time = [](const JsonReader& value) {
    return std::chrono::milliseconds(integer<std::int64_t>(value, 1, kLongestSlice.count()));
  };
  message = {.warm_up = time(json["warm_up_ms"]), .counted = time(json["counted_ms"])};
}
void get(const JsonReader& json, Hello& message) {
  // Another version may have other members.
  message.protocol = integer<std::int64_t>(json["protocol"], 0, INT64_MAX);
  if (message.protocol != kProtocol) return;
  only(json, {"type", "protocol", "nonce"});
  message.nonce = bytes(json["nonce"]);
}
void get(const JsonReader& json, Welcome& message) {
  only(json, {"type", "proof"});
  message.proof = bytes(json["proof"]);
}
void get(const JsonReader& json, Refused& message) {
  only(json, {"type", "reason"});
  message.reason = text(json["reason"], kMaxReasonBytes);
}
void get(const JsonReader& json, HostFacts& message) {
  only(json, {"type", "network", "kernel", "boot", "processors", "uplink", "mtu", "offloads",
              "ipv4", "ipv6", "abilities"});
  const auto name = [](const JsonReader& value) { return text(value, kMaxNameBytes); };
  message = {.network = word(json["network"], {HostNetwork::Pods, HostNetwork::AsIs}),
             .kernel = name(json["kernel"]),
             .boot = name(json["boot"]),
             .processors = integer<std::uint32_t>(json["processors"], 1, 1 << 20),
             .uplink = name(json["uplink"]),
             .mtu = integer<std::uint32_t>(json["mtu"], kMinMtu, INT32_MAX),
             .offloads = decode_offloads(json["offloads"]),
             .ipv4 = std::nullopt,
             .ipv6 = std::nullopt,
             .abilities = list(json["abilities"], kMaxAbilities, name)};
  for (const auto& [key, value] : {std::pair("ipv4", &message.ipv4), {"ipv6", &message.ipv6}}) {
    const auto given = json.maybe(key);
    if (!given) continue;
    *value = address(*given);
    if ((*value)->is_ipv4() != (value == &message.ipv4)) given->fault("of the other family");
  }
}
void get(const JsonReader& json, Failed& message) {
  only(json, {"type", "reason"});
  message.reason = text(json["reason"], kMaxReasonBytes);
}
void get(const JsonReader& json, Figures& message) {
  only(json, {"type", "flows", "cpu"});
  message.carried = {.flows = list(json["flows"], kMaxFlows, decode_figures),
                     .cpu = decode_cpu(json["cpu"])};
}
template <typename Empty>
void get(const JsonReader& json, Empty&) {
  only(json, {"type"});
}

/// The empty message whose type this is.
template <typename Message, std::size_t... kIndex>
std::optional<Message> message_of_type(std::string_view type, std::index_sequence<kIndex...>) {
  std::optional<Message> found;
  const auto attempt = [&](Message message) {
    if (type_of(message) == type) found = std::move(message);
  };
  (attempt(Message(std::in_place_index<kIndex>)), ...);
  return found;
}

template <typename Message>
Parsed<Message> decode_line(std::string_view line) {
  const Json document = Json::parse(line, nullptr, false);
  if (document.is_discarded()) return fail("not a JSON document");
  return read_json(document, [](const JsonReader& json) {
    auto message = message_of_type<Message>(
        json["type"].string(), std::make_index_sequence<std::variant_size_v<Message>>());
    if (!message) {
      json.fault("of a type that is not known");
      return Message();
    }
    std::visit([&](auto& one) { get(json, one); }, *message);
    return *std::move(message);
  });
}

}  // namespace

std::string encode(const Request& request) {
  return encode_line(request);
}
std::string encode(const Answer& answer) {
  return encode_line(answer);
}

Parsed<Request> decode_request(std::string_view line) {
  return decode_line<Request>(line);
}
Parsed<Answer> decode_answer(std::string_view line) {
  return decode_line<Answer>(line);
}

}  // namespace overlane::agent
