#include "dataplane/kernel/experiment_json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

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

MacAddress mac_of(const json& document) {
  MacAddress mac;
  std::ranges::copy(from_hex(document), mac.bytes.begin());
  return mac;
}

template <typename Enum>
json number(Enum value) {
  return static_cast<int>(value);
}
template <typename Enum>
Enum enumerator(const json& document) {
  return static_cast<Enum>(document.get<int>());
}

/// Each element of a list through `convert`.
template <typename List, typename Convert>
json list_of(const List& list, Convert convert) {
  json document = json::array();
  for (const auto& element : list)
    document.push_back(convert(element));
  return document;
}
template <typename T, typename Convert>
std::vector<T> vector_of(const json& document, Convert convert) {
  std::vector<T> list;
  for (const json& element : document)
    list.push_back(convert(element));
  return list;
}

json encode_set_up(const SetUp& set_up) {
  return {{"commands", list_of(set_up.commands,
                               [](const Command& c) {
                                 return json{number(c.program), c.arguments, c.table};
                               })},
          {"ports", list_of(set_up.ports,
                            [](const Port& p) {
                              return json{p.device, number(p.egress), hex(p.node_mac.bytes)};
                            })},
          {"neighbours", list_of(set_up.neighbours, [](const Neighbour& n) {
             return json{n.device, n.address.to_string(), hex(n.mac.bytes)};
           })}};
}

SetUp decode_set_up(const json& document) {
  return {.commands =
              vector_of<Command>(document.at("commands"),
                                 [](const json& c) {
                                   return Command{enumerator<Program>(c.at(0)), c.at(1), c.at(2)};
                                 }),
          .ports = vector_of<Port>(
              document.at("ports"),
              [](const json& p) {
                return Port{p.at(0), enumerator<forward::Egress>(p.at(1)), mac_of(p.at(2))};
              }),
          .neighbours = vector_of<Neighbour>(document.at("neighbours"), [](const json& n) {
            return Neighbour{n.at(0), IpAddress::parse(n.at(1).get<std::string>()).value(),
                             mac_of(n.at(2))};
          })};
}

json encode_injection(const Injection& injection) {
  return {number(injection.ingress), injection.device,       hex(injection.packet),
          injection.expected,        injection.udp_listener, injection.wait_ms};
}

Injection decode_injection(const json& document) {
  return {.ingress = enumerator<forward::Ingress>(document.at(0)),
          .device = document.at(1),
          .packet = from_hex(document.at(2)),
          .expected = document.at(3),
          .udp_listener = document.at(4),
          .wait_ms = document.at(5)};
}

json encode_experiment(const Experiment& experiment) {
  return {{"set_up", encode_set_up(experiment.set_up)},
          {"tunnel_ports", experiment.tunnel_ports},
          {"injections", list_of(experiment.injections, encode_injection)}};
}

Experiment decode_experiment(const json& document) {
  return {.set_up = decode_set_up(document.at("set_up")),
          .tunnel_ports = document.at("tunnel_ports"),
          .injections = vector_of<Injection>(document.at("injections"), decode_injection)};
}

json encode_emitted(const Emitted& emitted) {
  return {number(emitted.egress), emitted.device,
          emitted.next_hop ? emitted.next_hop->to_string() : "", hex(emitted.packet)};
}

Emitted decode_emitted(const json& document) {
  Emitted emitted{.egress = enumerator<forward::Egress>(document.at(0)),
                  .device = document.at(1),
                  .packet = from_hex(document.at(3))};
  const auto next_hop = IpAddress::parse(document.at(2).get<std::string>());
  if (next_hop) emitted.next_hop = *next_hop;
  return emitted;
}

json encode_observed(const Observed& observed) {
  return {{"emitted", list_of(observed.emitted, encode_emitted)},
          {"counters", observed.counters},
          {"refused", observed.refused}};
}

Observed decode_observed(const json& document) {
  return {.emitted = vector_of<Emitted>(document.at("emitted"), decode_emitted),
          .counters = document.at("counters"),
          .refused = document.at("refused")};
}

using Outcome = Parsed<std::vector<Observed>>;

json encode_outcome(const Outcome& outcome) {
  if (!outcome) return outcome.error();
  return list_of(*outcome, encode_observed);
}

Outcome decode_outcome(const json& document) {
  if (document.is_string()) return fail(document.get<std::string>());
  return vector_of<Observed>(document, decode_observed);
}

}  // namespace

json encode(const Request& request) {
  return {{"probe", request.probe},
          {"experiments", list_of(request.experiments, encode_experiment)}};
}

json encode(const Answer& answer) {
  return {{"kernel", answer.kernel},
          {"outcomes", list_of(answer.outcomes, encode_outcome)},
          {"abilities", list_of(answer.abilities, [](const Ability& ability) {
             return json{ability.name, ability.missing};
           })}};
}

Request decode_request(const json& document) {
  return {.experiments = vector_of<Experiment>(document.at("experiments"), decode_experiment),
          .probe = document.at("probe")};
}

Answer decode_answer(const json& document) {
  return {.kernel = document.at("kernel"),
          .outcomes = vector_of<Outcome>(document.at("outcomes"), decode_outcome),
          .abilities = vector_of<Ability>(document.at("abilities"), [](const json& ability) {
            return Ability{ability.at(0), ability.at(1)};
          })};
}

}  // namespace overlane::kernel
