#include "dataplane/kernel/experiment/experiment_json.h"

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

json encode_commands(const std::vector<Command>& commands) {
  return list_of(commands, [](const Command& command) {
    return json{number(command.program), command.arguments, command.table};
  });
}

std::vector<Command> decode_commands(const json& document) {
  return vector_of<Command>(document, [](const json& command) {
    return Command{enumerator<Program>(command.at(0)), command.at(1), command.at(2)};
  });
}

json encode_set_up(const SetUp& set_up) {
  return {{"commands", encode_commands(set_up.commands)},
          {"ports", list_of(set_up.ports,
                            [](const Port& p) {
                              return json{p.device, number(p.egress), hex(p.node_mac.bytes)};
                            })},
          {"neighbours", list_of(set_up.neighbours, [](const Neighbour& n) {
             return json{n.device, n.address.to_string(), hex(n.mac.bytes)};
           })}};
}

SetUp decode_set_up(const json& document) {
  return {.commands = decode_commands(document.at("commands")),
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

json encode_cluster(const ClusterExperiment& cluster) {
  const auto port = [](const FabricPort& p) {
    return json{p.uplink, p.device, encode_commands(p.node_commands)};
  };
  const auto launch = [](const Launch& l) { return json{l.node, encode_injection(l.injection)}; };
  return {{"nodes", list_of(cluster.nodes, encode_set_up)},
          {"sysctls", encode_commands(cluster.fabric.sysctls)},
          {"commands", encode_commands(cluster.fabric.commands)},
          {"ports", list_of(cluster.fabric.ports, port)},
          {"launches", list_of(cluster.launches, launch)}};
}

ClusterExperiment decode_cluster(const json& document) {
  const auto port = [](const json& p) {
    return FabricPort{p.at(0), p.at(1), decode_commands(p.at(2))};
  };
  const auto launch = [](const json& l) { return Launch{l.at(0), decode_injection(l.at(1))}; };
  return {.nodes = vector_of<SetUp>(document.at("nodes"), decode_set_up),
          .fabric = {.sysctls = decode_commands(document.at("sysctls")),
                     .commands = decode_commands(document.at("commands")),
                     .ports = vector_of<FabricPort>(document.at("ports"), port)},
          .launches = vector_of<Launch>(document.at("launches"), launch)};
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

json encode_arrivals(const std::vector<Arrival>& arrivals) {
  return list_of(arrivals, [](const Arrival& arrival) {
    return json{arrival.node, arrival.device, hex(arrival.packet)};
  });
}

std::vector<Arrival> decode_arrivals(const json& document) {
  return vector_of<Arrival>(document, [](const json& arrival) {
    return Arrival{arrival.at(0), arrival.at(1), from_hex(arrival.at(2))};
  });
}

/// What an experiment gave, or the text of why it could not be made.
template <typename T, typename Convert>
json encode_outcomes(const std::vector<Parsed<std::vector<T>>>& outcomes, Convert convert) {
  return list_of(outcomes, [&](const auto& outcome) {
    return outcome ? list_of(*outcome, convert) : json(outcome.error());
  });
}
template <typename T, typename Convert>
std::vector<Parsed<std::vector<T>>> decode_outcomes(const json& document, Convert convert) {
  using Outcome = Parsed<std::vector<T>>;
  return vector_of<Outcome>(document, [&](const json& outcome) -> Outcome {
    if (outcome.is_string()) return fail(outcome.get<std::string>());
    return vector_of<T>(outcome, convert);
  });
}

}  // namespace

json encode(const Request& request) {
  return {{"probe", request.probe},
          {"experiments", list_of(request.experiments, encode_experiment)},
          {"clusters", list_of(request.clusters, encode_cluster)}};
}

json encode(const Answer& answer) {
  return {{"kernel", answer.kernel},
          {"outcomes", encode_outcomes(answer.outcomes, encode_observed)},
          {"arrivals", encode_outcomes(answer.arrivals, encode_arrivals)},
          {"abilities", list_of(answer.abilities, [](const Ability& ability) {
             return json{ability.name, ability.missing};
           })}};
}

Request decode_request(const json& document) {
  return {.experiments = vector_of<Experiment>(document.at("experiments"), decode_experiment),
          .clusters = vector_of<ClusterExperiment>(document.at("clusters"), decode_cluster),
          .probe = document.at("probe")};
}

Answer decode_answer(const json& document) {
  return {
      .kernel = document.at("kernel"),
      .outcomes = decode_outcomes<Observed>(document.at("outcomes"), decode_observed),
      .arrivals = decode_outcomes<std::vector<Arrival>>(document.at("arrivals"), decode_arrivals),
      .abilities = vector_of<Ability>(document.at("abilities"), [](const json& ability) {
        return Ability{ability.at(0), ability.at(1)};
      })};
}

}  // namespace overlane::kernel
