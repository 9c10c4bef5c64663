#include "dataplane/kernel/agent/protocol/messages.h"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <initializer_list>
#include <type_traits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "results/base/json_fields.h"
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

/// Makes a string that text() accepts from any bytes that a program or a kernel printed.
std::string as_text(std::string value) {
  std::ranges::replace_if(
      value, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  value.resize(std::min(value.size(), kMaxReasonBytes));
  return value;
}

/// Reads a printable text, which cannot change the state of a terminal.
std::string text(const JsonReader& json, std::size_t most) {
  const std::string value = json.string();
  const bool is_printable = std::ranges::all_of(
      value, [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f; });
  if (is_printable && value.size() <= most) return value;
  json.fault("too long, or has control characters");
  return "";
}

template <typename T>
T parsed(const JsonReader& json, Parsed<T> value) {
  if (value) return *std::move(value);
  json.fault(value.error());
  return {};
}

template <typename T>
Json encode_value(const T& value);
template <typename T>
T decode_value(const JsonReader& json);

/// Writes the members that fields() lists.
class Writer {
 public:
  static constexpr bool kReads = false;

  template <typename T>
  void value(const char* key, const T& value) {
    json_[key] = encode_value(value);
  }
  template <typename T>
  void optional(const char* key, const std::optional<T>& value) {
    if (value) json_[key] = encode_value(*value);
  }
  void optional(const char* key, const std::optional<IpAddress>& value, Family) {
    optional(key, value);
  }
  template <typename T>
  void list(const char* key, const std::vector<T>& values, std::size_t) {
    Json list = Json::array();
    for (const T& value : values)
      list.push_back(encode_value(value));
    json_[key] = std::move(list);
  }
  /// An integer or a duration.
  template <typename T>
  void count(const char* key, const T& value, std::int64_t, std::int64_t) {
    if constexpr (std::integral<T>)
      json_[key] = value;
    else
      json_[key] = value.count();
  }
  void number(const char* key, double value, double) { json_[key] = value; }
  template <typename Word>
  void word(const char* key, Word value, std::initializer_list<Word>) {
    json_[key] = word_of(value);
  }
  /// Writes a message of a kernel or a program.
  void reason(const char* key, const std::string& value) { json_[key] = as_text(value); }
  /// A text of any length.
  void unlimited(const char* key, const std::string& value) { json_[key] = value; }
  void require(bool, std::string_view) {}

  Json take() { return std::move(json_); }
  /// Writes `key` before the members of fields().
  void put_first(const char* key, std::string_view value) { json_[key] = value; }

 private:
  Json json_ = Json::object();
};

/// Reads the members that fields() lists, and rejects values out of range.
class Reader {
 public:
  static constexpr bool kReads = true;

  explicit Reader(const JsonReader& json) : json_(json) {}

  const JsonReader& json() const { return json_; }

  template <typename T>
  void value(const char* key, T& value) {
    value = decode_value<T>(member(key));
  }
  template <typename T>
  void optional(const char* key, std::optional<T>& value) {
    known_.push_back(key);
    if (const auto given = json_.maybe(key)) value = decode_value<T>(*given);
  }
  void optional(const char* key, std::optional<IpAddress>& value, Family family) {
    optional(key, value);
    if (value && value->family() != family) json_[key].fault("of the other family");
  }
  template <typename T>
  void list(const char* key, std::vector<T>& values, std::size_t most) {
    const JsonReader list = member(key);
    if (list.json().size() <= most)
      values = list.list([](const JsonReader& item) { return decode_value<T>(item); });
    else
      list.fault(fmt::format("has more than {} items", most));
  }
  template <typename T>
  void count(const char* key, T& value, std::int64_t least, std::int64_t most) {
    const JsonReader json = member(key);
    const std::int64_t given = json.integer();
    const bool is_within = least <= given && given <= most;
    if (!is_within) json.fault(fmt::format("not within {} and {}", least, most));
    value = static_cast<T>(is_within ? given : least);
  }
  void number(const char* key, double& value, double most) {
    const JsonReader json = member(key);
    value = json.number();
    if (std::isfinite(value) && value >= 0 && value <= most) return;
    json.fault(fmt::format("not within 0 and {:g}", most));
    value = 0;
  }
  template <typename Word>
  void word(const char* key, Word& value, std::initializer_list<Word> values) {
    const JsonReader json = member(key);
    const std::string text = json.string();
    const auto* found =
        std::ranges::find_if(values, [&](Word one) { return word_of(one) == text; });
    if (found == values.end()) json.fault("not a word that is known here");
    value = found == values.end() ? *values.begin() : *found;
  }
  void reason(const char* key, std::string& value) { value = text(member(key), kMaxReasonBytes); }
  void unlimited(const char* key, std::string& value) { value = member(key).string(); }
  void require(bool holds, std::string_view otherwise) {
    if (!holds) json_.fault(otherwise);
  }

  /// Marks `key` as known, because it was read outside of fields().
  void know(const char* key) { known_.push_back(key); }
  /// Allows unknown members, because another version of the protocol may have them.
  void allow_unknown() { is_strict_ = false; }
  /// Rejects members that fields() does not list.
  void end() const {
    if (!is_strict_) return;
    for (const auto& [name, value] : json_.members())
      if (std::ranges::find(known_, name) == known_.end())
        json_.fault("has a member that is not known");
  }

 private:
  JsonReader member(const char* key) {
    known_.push_back(key);
    return json_[key];
  }

  JsonReader json_;
  std::vector<std::string_view> known_;
  bool is_strict_ = true;
};

template <typename T>
Json encode_value(const T& value) {
  if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
    return value;
  } else if constexpr (std::is_same_v<T, IpAddress> || std::is_same_v<T, IpPrefix>) {
    return value.to_string();
  } else if constexpr (std::is_same_v<T, Bytes32>) {
    return hex(value);
  } else {
    Writer writer;
    fields(writer, value);
    return writer.take();
  }
}

template <typename T>
T decode_value(const JsonReader& json) {
  if constexpr (std::is_same_v<T, bool>) {
    return json.boolean();
  } else if constexpr (std::is_same_v<T, std::uint64_t>) {
    return json.unsigned_integer();
  } else if constexpr (std::is_same_v<T, std::string>) {
    return text(json, kMaxNameBytes);
  } else if constexpr (std::is_same_v<T, IpAddress> || std::is_same_v<T, IpPrefix>) {
    return parsed(json, T::parse(text(json, kMaxNameBytes)));
  } else if constexpr (std::is_same_v<T, Bytes32>) {
    return parsed(json, from_hex(text(json, kMaxNameBytes)));
  } else {
    T value{};
    Reader reader(json);
    fields(reader, value);
    reader.end();
    return value;
  }
}

// Members of each message, besides its type, and of each part of a message.

template <typename Archive, same_as_or_const<kernel::DeviceOffloads> Value>
void fields(Archive& archive, Value& offloads) {
  archive.value("checksums", offloads.checksums);
  archive.value("segmentation", offloads.segmentation);
  archive.value("receive", offloads.receive);
}

bool has_twins(std::vector<IpAddress> pods) {
  std::ranges::sort(pods);
  return std::ranges::adjacent_find(pods) != pods.end();
}

template <typename Archive, same_as_or_const<PodNetwork> Value>
void fields(Archive& archive, Value& network) {
  using enum Encapsulation;
  archive.word("encapsulation", network.encapsulation, {None, Ipip, Vxlan, Geneve});
  archive.count("vni", network.vni, 0, (1 << 24) - 1);
  archive.count("udp_port", network.udp_port, 0, UINT16_MAX);
  archive.count("mtu", network.mtu, kMinMtu, kMaxMtu);
  archive.value("first", network.is_first);
  archive.value("own_range", network.own_range);
  archive.value("peer_range", network.peer_range);
  archive.list("pods", network.pods, kMaxPods);
  if constexpr (Archive::kReads) {
    archive.require(network.own_range.is_ipv4() == network.peer_range.is_ipv4() &&
                        !network.own_range.overlaps(network.peer_range),
                    "the two ranges overlap, or differ in their family");
    archive.require(std::ranges::all_of(network.pods,
                                        [&](const IpAddress& pod) {
                                          return network.own_range.contains(pod) &&
                                                 pod != network.own_range.network();
                                        }),
                    "a pod is outside of the host's range, or has its first address");
    archive.require(!has_twins(network.pods), "two pods have one address");
  }
}

template <typename Archive, same_as_or_const<kernel::FlowLoad> Value>
void fields(Archive& archive, Value& load) {
  using enum FlowKind;
  archive.word("kind", load.kind, {Stream, Datagrams, Requests});
  if (load.kind != Datagrams) archive.value("congestion_control", load.congestion_control);
  if (load.kind == Datagrams)
    archive.count("payload_bytes", load.payload_bytes, 1, kMaxDatagramBytes);
  if (load.kind != Stream) {
    archive.number("per_second", load.per_second, kMaxPerSecond);
    archive.value("poisson", load.poisson);
  }
  if (load.kind == Requests) {
    archive.value("over_udp", load.over_udp);
    archive.value("connection_each", load.connection_each);
    const std::int64_t most = load.over_udp ? kMaxDatagramBytes : kMaxMessageBytes;
    archive.count("request_bytes", load.request_bytes, 1, most);
    archive.count("response_bytes", load.response_bytes, 1, most);
    archive.count("think_ns", load.think_time, 0, kMaxThinkNs);
  }
}

template <typename Archive, same_as_or_const<AgentFlow> Value>
void fields(Archive& archive, Value& flow) {
  using enum FlowEnds;
  archive.value("load", flow.load);
  archive.word("here", flow.here, {Both, Client, Server});
  archive.value("client", flow.client);
  archive.value("server", flow.server);
  archive.count("port", flow.port, kMinPort, UINT16_MAX);
  archive.value("seed", flow.seed);
}

/// Members of a histogram. An empty histogram has no buckets, and its other members are ignored.
template <typename Archive, same_as_or_const<model::Histogram> Value>
void fields(Archive& archive, Value& latency) {
  struct {
    std::string buckets, sum;
    std::int64_t min, max;
  } texts{latency.buckets_text(), latency.sum_text(), latency.min(), latency.max()};
  archive.unlimited("buckets", texts.buckets);
  archive.unlimited("sum", texts.sum);
  archive.count("min", texts.min, 0, INT64_MAX);
  archive.count("max", texts.max, 0, INT64_MAX);
  if constexpr (Archive::kReads) {
    if (!texts.buckets.empty())
      latency = parsed(archive.json(),
                       model::Histogram::from_text(texts.buckets, texts.sum, texts.min, texts.max));
  }
}

template <typename Archive, same_as_or_const<kernel::FlowFigures> Value>
void fields(Archive& archive, Value& figures) {
  archive.count("counted_ns", figures.counted, 1, kMaxThinkNs);
  archive.count("received_bytes", figures.received_bytes, 0, INT64_MAX);
  archive.count("sent_messages", figures.sent_messages, 0, INT64_MAX);
  archive.count("received_messages", figures.received_messages, 0, INT64_MAX);
  archive.value("latency", figures.latency_ns);
  archive.reason("failure", figures.failure);
}

template <typename Archive, same_as_or_const<kernel::CpuTimes> Value>
void fields(Archive& archive, Value& cpu) {
  // Limit for the sum of all processors' time in a slice, in seconds.
  constexpr double kMaxSeconds = 1e9;
  archive.number("user", cpu.user, kMaxSeconds);
  archive.number("system", cpu.system, kMaxSeconds);
  archive.number("softirq", cpu.softirq, kMaxSeconds);
  archive.number("idle", cpu.idle, kMaxSeconds);
  archive.number("stolen", cpu.stolen, kMaxSeconds);
}

template <typename Archive, same_as_or_const<Authenticate> Value>
void fields(Archive& archive, Value& message) {
  archive.value("nonce", message.nonce);
  archive.value("proof", message.proof);
}

template <typename Archive, same_as_or_const<SetUpVariant> Value>
void fields(Archive& archive, Value& message) {
  archive.count("number", message.number, 0, kMaxVariants - 1);
  archive.value("peer", message.peer);
  archive.value("offloads", message.offloads);
  archive.optional("pods", message.pods);
  archive.require(!message.pods || message.pods->own_range.is_ipv4() == message.peer.is_ipv4(),
                  "the pods and the peer differ in their family");
}

template <typename Archive, same_as_or_const<Prepare> Value>
void fields(Archive& archive, Value& message) {
  archive.count("variant", message.variant, 0, kMaxVariants - 1);
  archive.list("flows", message.flows, kMaxFlows);
}

template <typename Archive, same_as_or_const<CarryFlows> Value>
void fields(Archive& archive, Value& message) {
  archive.count("warm_up_ms", message.warm_up, 1, kLongestSlice.count());
  archive.count("counted_ms", message.counted, 1, kLongestSlice.count());
}

template <typename Archive, same_as_or_const<Hello> Value>
void fields(Archive& archive, Value& message) {
  archive.count("protocol", message.protocol, 0, INT64_MAX);
  if constexpr (Archive::kReads)
    if (message.protocol != kProtocol) return archive.allow_unknown();
  archive.value("nonce", message.nonce);
}

template <typename Archive, same_as_or_const<Welcome> Value>
void fields(Archive& archive, Value& message) {
  archive.value("proof", message.proof);
}

template <typename Archive, typename Value>
requires same_as_or_const<Value, Refused> || same_as_or_const<Value, Failed>
void fields(Archive& archive, Value& message) {
  archive.reason("reason", message.reason);
}

template <typename Archive, same_as_or_const<HostFacts> Value>
void fields(Archive& archive, Value& message) {
  archive.word("network", message.network, {HostNetwork::Pods, HostNetwork::AsIs});
  archive.value("kernel", message.kernel);
  archive.value("boot", message.boot);
  archive.count("processors", message.processors, 1, 1 << 20);
  archive.value("uplink", message.uplink);
  archive.count("mtu", message.mtu, kMinMtu, INT32_MAX);
  archive.value("offloads", message.offloads);
  archive.optional("ipv4", message.ipv4, Family::Ipv4);
  archive.optional("ipv6", message.ipv6, Family::Ipv6);
  archive.list("abilities", message.abilities, kMaxAbilities);
}

template <typename Archive, same_as_or_const<Figures> Value>
void fields(Archive& archive, Value& message) {
  archive.list("flows", message.carried.flows, kMaxFlows);
  archive.value("cpu", message.carried.cpu);
}

template <typename Archive, typename Value>
requires std::is_empty_v<Value>
void fields(Archive&, Value&) {}

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
  Writer writer;
  writer.put_first("type", type_of(message));
  std::visit([&](const auto& one) { fields(writer, one); }, message);
  // Replaces invalid UTF-8 in a message of a kernel or a program instead of throwing.
  return writer.take().dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// An empty message of the given type.
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
    Reader reader(json);
    reader.know("type");
    std::visit([&](auto& one) { fields(reader, one); }, *message);
    reader.end();
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
