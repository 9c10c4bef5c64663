#include "dataplane/kernel/experiment/experiment_json.h"

#include <type_traits>

#include <nlohmann/json.hpp>

#include "results/base/json_fields.h"

namespace overlane::kernel {
namespace {

using nlohmann::json;
using Bytes = std::vector<std::uint8_t>;

std::string hex(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const std::uint8_t byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 0xf];
  }
  return text;
}

Bytes from_hex(const std::string& text) {
  Bytes bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2)
    bytes.push_back(static_cast<std::uint8_t>(std::stoi(text.substr(i, 2), nullptr, 16)));
  return bytes;
}

template <typename T>
inline constexpr bool kIsList = false;
template <typename Item>
inline constexpr bool kIsList<std::vector<Item>> = true;
/// Whether T is Parsed, which is written as the value or as the text of the error.
template <typename T>
inline constexpr bool kIsParsed = false;
template <typename T>
inline constexpr bool kIsParsed<Parsed<T>> = true;

template <typename T>
json encode_value(const T& value);
template <typename T>
T decode_value(const json& document);

/// Writes a struct as the list of its members, in the order of fields().
struct Writer {
  json members = json::array();

  template <typename... Member>
  void operator()(const Member&... member) {
    (members.push_back(encode_value(member)), ...);
  }
};

/// Reads the members in the order of fields().
struct Reader {
  const json& members;
  std::size_t next = 0;

  template <typename... Member>
  void operator()(Member&... member) {
    ((member = decode_value<Member>(members.at(next++))), ...);
  }
};

template <typename T>
json encode_value(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return static_cast<int>(value);
  } else if constexpr (std::is_same_v<T, Bytes>) {
    return hex(value);
  } else if constexpr (std::is_same_v<T, MacAddress>) {
    return hex(value.bytes);
  } else if constexpr (std::is_same_v<T, IpAddress>) {
    return value.to_string();
  } else if constexpr (std::is_same_v<T, std::optional<IpAddress>>) {
    return value ? value->to_string() : "";
  } else if constexpr (kIsParsed<T>) {
    return value ? encode_value(*value) : json(value.error());
  } else if constexpr (kIsList<T>) {
    json list = json::array();
    for (const auto& item : value)
      list.push_back(encode_value(item));
    return list;
  } else if constexpr (std::is_constructible_v<json, T>) {
    return value;
  } else {
    Writer writer;
    fields(writer, value);
    return writer.members;
  }
}

template <typename T>
T decode_value(const json& document) {
  if constexpr (std::is_enum_v<T>) {
    return static_cast<T>(document.get<int>());
  } else if constexpr (std::is_same_v<T, Bytes>) {
    return from_hex(document);
  } else if constexpr (std::is_same_v<T, MacAddress>) {
    MacAddress mac;
    std::ranges::copy(from_hex(document), mac.bytes.begin());
    return mac;
  } else if constexpr (std::is_same_v<T, IpAddress>) {
    return IpAddress::parse(document.get<std::string>()).value();
  } else if constexpr (std::is_same_v<T, std::optional<IpAddress>>) {
    if (document == "") return std::nullopt;
    return decode_value<IpAddress>(document);
  } else if constexpr (kIsParsed<T>) {
    if (document.is_string()) return fail(document.get<std::string>());
    return decode_value<typename T::value_type>(document);
  } else if constexpr (kIsList<T>) {
    T list;
    for (const json& item : document)
      list.push_back(decode_value<typename T::value_type>(item));
    return list;
  } else if constexpr (std::is_constructible_v<json, T>) {
    return document.get<T>();
  } else {
    T value;
    Reader reader{document};
    fields(reader, value);
    return value;
  }
}

template <typename Archive, same_as_or_const<Command> Value>
void fields(Archive& archive, Value& command) {
  archive(command.program, command.arguments, command.table);
}

template <typename Archive, same_as_or_const<Port> Value>
void fields(Archive& archive, Value& port) {
  archive(port.device, port.egress, port.node_mac);
}

template <typename Archive, same_as_or_const<Neighbour> Value>
void fields(Archive& archive, Value& neighbour) {
  archive(neighbour.device, neighbour.address, neighbour.mac);
}

template <typename Archive, same_as_or_const<SetUp> Value>
void fields(Archive& archive, Value& set_up) {
  archive(set_up.commands, set_up.ports, set_up.neighbours);
}

template <typename Archive, same_as_or_const<Injection> Value>
void fields(Archive& archive, Value& injection) {
  archive(injection.ingress, injection.device, injection.packet, injection.expected,
          injection.udp_listener, injection.wait_ms);
}

template <typename Archive, same_as_or_const<Experiment> Value>
void fields(Archive& archive, Value& experiment) {
  archive(experiment.set_up, experiment.tunnel_ports, experiment.injections);
}

template <typename Archive, same_as_or_const<FabricPort> Value>
void fields(Archive& archive, Value& port) {
  archive(port.uplink, port.device, port.node_commands);
}

template <typename Archive, same_as_or_const<FabricSetUp> Value>
void fields(Archive& archive, Value& fabric) {
  archive(fabric.sysctls, fabric.commands, fabric.ports);
}

template <typename Archive, same_as_or_const<Launch> Value>
void fields(Archive& archive, Value& launch) {
  archive(launch.node, launch.injection);
}

template <typename Archive, same_as_or_const<ClusterExperiment> Value>
void fields(Archive& archive, Value& cluster) {
  archive(cluster.nodes, cluster.fabric, cluster.launches);
}

template <typename Archive, same_as_or_const<Emitted> Value>
void fields(Archive& archive, Value& emitted) {
  archive(emitted.egress, emitted.device, emitted.next_hop, emitted.packet);
}

template <typename Archive, same_as_or_const<Observed> Value>
void fields(Archive& archive, Value& observed) {
  archive(observed.emitted, observed.counters, observed.refused);
}

template <typename Archive, same_as_or_const<Arrival> Value>
void fields(Archive& archive, Value& arrival) {
  archive(arrival.node, arrival.device, arrival.packet);
}

template <typename Archive, same_as_or_const<Ability> Value>
void fields(Archive& archive, Value& ability) {
  archive(ability.name, ability.missing);
}

template <typename Archive, same_as_or_const<Request> Value>
void fields(Archive& archive, Value& request) {
  archive(request.experiments, request.clusters, request.probe);
}

template <typename Archive, same_as_or_const<Answer> Value>
void fields(Archive& archive, Value& answer) {
  archive(answer.kernel, answer.outcomes, answer.arrivals, answer.abilities);
}

}  // namespace

json encode(const Request& request) {
  return encode_value(request);
}
json encode(const Answer& answer) {
  return encode_value(answer);
}

Request decode_request(const json& document) {
  return decode_value<Request>(document);
}
Answer decode_answer(const json& document) {
  return decode_value<Answer>(document);
}

}  // namespace overlane::kernel
