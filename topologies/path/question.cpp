#include "topologies/path/question.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "dataplane/forward/packet_builder.h"
#include "dataplane/forward/state_lookup.h"
#include "dataplane/node/state/node_state.h"
#include "dataplane/wire/transport.h"
#include "topologies/effective/cloud_routes.h"

namespace overlane::path {
namespace {

using compile::Compiled;
using effective::EffectiveDataplane;
using forward::PacketBuilder;
using node::NodeState;

constexpr std::uint16_t kSourcePort = 40'000;
constexpr std::uint16_t kDestinationPort = 80;
/// Question::backend of a service without endpoints.
constexpr std::string_view kNoBackend = "none";
/// Largest MTU that is assumed for links outside the VPC, bytes.
constexpr std::uint32_t kOutsideMtu = 1500;

tl::unexpected<Finding> refuse(std::string rule, std::string message, std::string hint) {
  return fail(Finding{.rule = std::move(rule),
                      .severity = Severity::Error,
                      .message = std::move(message),
                      .hint = std::move(hint)});
}

constexpr std::string_view name_of(Family family) {
  return family == Family::Ipv4 ? "IPv4" : "IPv6";
}

class Asking {
 public:
  Asking(const Compiled& states, const EffectiveDataplane& shoot, const Question& question)
      : states_(states), shoot_(shoot), question_(question) {}

  Result<ResolvedQuestion> run() {
    if (auto sent = check_target(); !sent) return fail(sent.error());
    const auto family = chosen_family();
    if (!family) return fail(family.error());
    auto from = question_.from.empty() ? first_pod(states_, *family)
                                       : find_endpoint(states_, shoot_, question_.from, *family);
    if (!from) return fail(from.error());
    if (from->kind != Endpoint::Kind::Pod && from->kind != Endpoint::Kind::Node) {
      return refuse(
          "no-such-endpoint",
          fmt::format("\"{}\" is no pod and no node, so no packet begins there", question_.from),
          "give a pod (node-1/pod-0) or a node (node-1) with --from");
    }
    auto to = question_.to.empty() ? pod_elsewhere(states_, from->node, from->address)
                                   : find_endpoint(states_, shoot_, question_.to, *family);
    if (!to) return fail(to.error());
    if (to->address == from->address) {
      return refuse("no-such-endpoint", fmt::format("{} is the sender itself", to->name),
                    "what a pod sends to itself does not leave it");
    }
    asked_.from = *std::move(from);
    asked_.to = *std::move(to);
    if (asked_.to.kind == Endpoint::Kind::Service) {
      if (auto backed = stand_behind(); !backed) return fail(backed.error());
    } else if (!question_.backend.empty()) {
      return refuse("no-such-endpoint", fmt::format("{} is no service", asked_.to.name),
                    "--backend names the pod behind a service");
    }
    if (auto routed = check_addresses(); !routed) return fail(routed.error());
    if (auto made = make_packet(); !made) return fail(made.error());
    return std::move(asked_);
  }

 private:
  /// The family of the given addresses, else the requested one, else the shoot's primary one.
  Result<Family> chosen_family() const {
    const auto from = address_in(question_.from);
    const auto to = address_in(question_.to);
    const Family family = to     ? to->family()
                          : from ? from->family()
                                 : question_.family.value_or(shoot_.primary_family());
    if (from && from->family() != family) {
      return refuse("no-such-endpoint",
                    fmt::format("{} is an {} address, and {} is none", question_.to,
                                name_of(family), question_.from),
                    "give both ends in one family");
    }
    if (question_.family && *question_.family != family) {
      return refuse("no-such-endpoint",
                    fmt::format("{} is an {} address, and {} is requested",
                                to ? question_.to : question_.from, name_of(family),
                                name_of(*question_.family)),
                    "leave --family out: addresses say it themselves");
    }
    if (shoot_.dataplane_of(family) == nullptr) {
      return refuse("no-such-endpoint", fmt::format("the shoot has no {}", name_of(family)),
                    fmt::format("it has {}", name_of(shoot_.primary_family())));
    }
    return family;
  }

  Result<void> check_target() const {
    const auto address = address_in(question_.to);
    if (!address || forward::is_forwardable(*address)) return {};
    return refuse("unsupported-target",
                  fmt::format("{} is a loopback, link-local, multicast or unspecified address: no "
                              "packet for it goes further than its sender's link",
                              address->to_string()),
                  "give a pod, a node, a service's address or one outside with --to");
  }

  /// Refuses packets and answers to pods of other nodes if the real pods have other addresses than
  /// the pods of the states.
  Result<void> check_addresses() const {
    const Finding* unrouted = effective::finding_about_addresses(shoot_);
    const Endpoint& to = receiver();
    const bool reaches_nodes = to.kind == Endpoint::Kind::Pod || to.kind == Endpoint::Kind::Node;
    if (unrouted == nullptr || !reaches_nodes || to.node == asked_.from.node) return {};
    const bool is_answered_to_pod = question_.answer && asked_.from.kind == Endpoint::Kind::Pod;
    if (to.kind != Endpoint::Kind::Pod && !is_answered_to_pod) return {};
    Finding refused = *unrouted;
    refused.severity = Severity::Error;
    refused.message +=
        fmt::format(": packets from {} to {} are not simulated, and arrive by chance only",
                    asked_.from.name, to.name);
    return fail(std::move(refused));
  }

  const Endpoint& receiver() const { return asked_.backend ? *asked_.backend : asked_.to; }

  std::uint16_t service_port() const {
    return question_.destination_port.value_or(asked_.to.port.value_or(kDestinationPort));
  }

  /// Refuses services that the states cannot contain: ICMP, and the API server's.
  Result<void> check_service() const {
    if (question_.protocol == forward::kIcmp) {
      return refuse("no-such-endpoint", fmt::format("{} is a service", asked_.to.name),
                    "services take TCP and UDP, and no ICMP");
    }
    const IpAddress address = asked_.to.address;
    if (std::ranges::any_of(shoot_.services, [=](const IpPrefix& services) {
          return services.contains(address) && services.network() + 1 == address;
        })) {
      return refuse("unsupported-target",
                    fmt::format("{} is the API server's address", asked_.to.name),
                    "its packets pass the control plane, which is not modelled: give another "
                    "service, a pod or a node");
    }
    return {};
  }

  /// Whether the service is translated at the sender's socket.
  bool knows_endpoint(std::optional<node::ServiceProxy> proxy) const {
    return proxy &&
           node::ServiceTable::make(*proxy, {}, {})->translates_at_socket(question_.protocol);
  }

  /// Sets the service and its endpoint, which is chosen because no manifest names one.
  Result<void> stand_behind() {
    if (auto taken = check_service(); !taken) return taken;
    const auto proxy = compile::service_proxy(shoot_.dataplane.service_routing);
    const bool at_socket = knows_endpoint(proxy);
    const IpAddress address = asked_.to.address;
    asked_.service = node::Service{{address, service_port(), question_.protocol}, {}};
    asked_.request.service =
        ServiceFront{.address = address,
                     .port = service_port(),
                     .translator = proxy ? std::string(to_string(*proxy)) : "the network extension",
                     .in_pod = at_socket};
    if (question_.backend == kNoBackend) {
      if (proxy && !at_socket) return {};
      return refuse("unsupported-target",
                    fmt::format("no packet leaves for {} without a backend", asked_.to.name),
                    "the sender's socket, or an unknown network extension, refuses it");
    }
    auto backend = question_.backend.empty()
                       ? pod_elsewhere(states_, asked_.from.node, asked_.from.address)
                       : find_endpoint(states_, shoot_, question_.backend, address.family());
    if (!backend) return fail(backend.error());
    const bool is_itself = backend->address == asked_.from.address;
    if (backend->kind != Endpoint::Kind::Pod || (is_itself && (at_socket || !proxy))) {
      return refuse("no-such-endpoint",
                    fmt::format("\"{}\" is not another pod than the sender", question_.backend),
                    "give a pod such as node-2/pod-0, or none, with --backend");
    }
    asked_.backend = *std::move(backend);
    asked_.service->endpoints = {{asked_.backend->address, service_port()}};
    if (question_.backend.empty()) {
      asked_.findings.push_back(
          {.rule = "assumed-backend",
           .severity = Severity::Note,
           .message = fmt::format("no manifest names the pods behind {}: {} is assumed to be one",
                                  asked_.to.name, asked_.backend->name),
           .hint = "--backend chooses another one"});
    }
    return {};
  }

  PacketBuilder first_of_flow(IpAddress from, IpAddress to) const {
    const std::uint16_t source_port = question_.source_port.value_or(kSourcePort);
    if (question_.protocol == forward::kIcmp)
      return PacketBuilder::echo_request(from, to, source_port);
    PacketBuilder builder = question_.protocol == forward::kTcp
                                ? PacketBuilder::tcp(from, to, wire::kTcpSyn)
                                : PacketBuilder::udp(from, to);
    return builder.ports(source_port, service_port());
  }

  Result<void> make_packet() {
    const node::NodeState& state = states_.nodes[asked_.from.node];
    const IpAddress to = receiver().address;
    const bool from_pod = asked_.from.kind == Endpoint::Kind::Pod;
    node::SocketRoute sender = node::socket_route(state, to);
    // A socket that sends to the Service itself gets the source address of the route to it.
    const auto& service = asked_.request.service;
    if (service && !service->in_pod)
      sender.source = node::socket_route(state, asked_.to.address).source;
    if (!from_pod) asked_.from.address = sender.source;
    const node::LocalPod* pod = from_pod ? state.find_pod(asked_.from.address) : nullptr;
    std::uint32_t size = pod != nullptr ? pod->sending_mtu() : sender.mtu;
    if (asked_.to.kind == Endpoint::Kind::Address) size = std::min(size, kOutsideMtu);
    size = question_.size.value_or(size);

    PacketBuilder builder = first_of_flow(asked_.from.address, to);
    const std::uint32_t least = builder.build().inner.total_length;
    // A SYN carries no data.
    if (question_.protocol == forward::kTcp && size > least)
      builder.tcp_flags(wire::kTcpPsh | wire::kTcpAck);
    if (size < least || size > forward::largest_packet(to.family())) {
      return refuse("bad-packet", fmt::format("there is no such packet of {} bytes", size),
                    fmt::format("its headers take {}, and {} is the most", least,
                                forward::largest_packet(to.family())));
    }
    asked_.request.from_node = asked_.from.node;
    asked_.request.from_pod = from_pod;
    asked_.request.packet = builder.length(size)
                                .identification(question_.dont_fragment || !to.is_ipv4() ? 0 : 1)
                                .dont_fragment(question_.dont_fragment)
                                .ttl(question_.ttl)
                                .build();
    asked_.request.answer = question_.answer;
    return {};
  }

  const Compiled& states_;
  const EffectiveDataplane& shoot_;
  const Question& question_;
  ResolvedQuestion asked_;
};

/// Documentation addresses (RFC 5737, RFC 9637) that stand for any external address. 2001:db8::/32
/// is not used, because shoots of examples have ranges of it.
constexpr std::string_view kOutside = "203.0.113.1";
constexpr std::string_view kOutsideV6 = "3fff::1";

tl::unexpected<Finding> unknown(const Compiled& states, std::string_view text) {
  return fail(Finding{
      .rule = "no-such-endpoint",
      .severity = Severity::Error,
      .message = fmt::format("there is no pod, node or address \"{}\"", text),
      .hint = fmt::format("nodes are {} to {}, pods {}/pod-0 and so on; or an address, a service's "
                          "ADDRESS:PORT, or internet",
                          states.nodes.front().member().name, states.nodes.back().member().name,
                          states.nodes.front().member().name)});
}

struct WithPort {
  std::string_view host;
  std::optional<std::uint16_t> port;
};

/// Splits off a port suffix ":53"; an IPv6 address with a port needs brackets. Nothing if the port
/// is invalid.
std::optional<WithPort> split_port(std::string_view text) {
  std::string_view host = text;
  std::string_view digits;
  const std::size_t colon = text.rfind(':');
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == text.npos) return std::nullopt;
    host = text.substr(1, end - 1);
    digits = text.substr(end + 1);
    if (digits.empty()) return WithPort{host, std::nullopt};
    if (!digits.starts_with(':')) return std::nullopt;
    digits.remove_prefix(1);
  } else if (colon == text.npos || text.find(':') != colon) {
    return WithPort{text, std::nullopt};
  } else {
    host = text.substr(0, colon);
    digits = text.substr(colon + 1);
  }
  std::uint16_t port = 0;
  const char* end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, port);
  if (error != std::errc() || rest != end || port == 0) return std::nullopt;
  return WithPort{host, port};
}

bool holds(const std::vector<IpPrefix>& networks, IpAddress address) {
  return std::ranges::any_of(networks,
                             [=](const IpPrefix& network) { return network.contains(address); });
}

Endpoint with_address(const Compiled& states, const effective::EffectiveDataplane& shoot,
                      IpAddress address) {
  for (std::uint32_t i = 0; i < states.nodes.size(); ++i) {
    const NodeState& state = states.nodes[i];
    if (state.find_pod(address) != nullptr) {
      return {Endpoint::Kind::Pod, pod_name(state, address), i, address, {}};
    }
    if (node::is_local(state, address)) {
      return {Endpoint::Kind::Node, state.member().name, i, address, {}};
    }
  }
  const bool is_service = holds(shoot.services, address);
  return {is_service ? Endpoint::Kind::Service : Endpoint::Kind::Address,
          address.to_string(),
          0,
          address,
          {}};
}

std::optional<Endpoint> with_name(const Compiled& states, std::string_view name, Family family) {
  for (std::uint32_t i = 0; i < states.nodes.size(); ++i) {
    const NodeState& state = states.nodes[i];
    const std::string& node = state.member().name;
    if (name == node && state.address(family)) {
      return Endpoint{Endpoint::Kind::Node, node, i, *state.address(family), {}};
    }
    if (!name.starts_with(node + '/')) continue;
    for (const node::LocalPod& pod : state.pods) {
      if (pod.address.family() == family && pod_name(state, pod.address) == name)
        return Endpoint{Endpoint::Kind::Pod, std::string(name), i, pod.address, {}};
    }
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(Endpoint::Kind kind) {
  switch (kind) {
    case Endpoint::Kind::Pod:
      return "pod";
    case Endpoint::Kind::Node:
      return "node";
    case Endpoint::Kind::Service:
      return "service";
    case Endpoint::Kind::Address:
      return "address";
  }
  return "";
}

Result<ResolvedQuestion> ask(const Compiled& states, const EffectiveDataplane& shoot,
                             const Question& question) {
  return Asking(states, shoot, question).run();
}

std::optional<IpAddress> address_in(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon != text.npos) {
    const std::string_view word = text.substr(0, colon);
    if (word == "pod" || word == "node" || word == "service") text.remove_prefix(colon + 1);
  }
  const auto split = split_port(text);
  const auto address = IpAddress::parse(split ? split->host : text);
  return address ? std::optional(*address) : std::nullopt;
}

Result<Endpoint> find_endpoint(const Compiled& states, const effective::EffectiveDataplane& shoot,
                               std::string_view text, Family family) {
  std::string_view rest = text;
  std::optional<Endpoint::Kind> wanted;
  for (const auto kind : {Endpoint::Kind::Pod, Endpoint::Kind::Node, Endpoint::Kind::Service}) {
    const std::string word = std::string(to_string(kind)) + ':';
    if (!text.starts_with(word)) continue;
    rest.remove_prefix(word.size());
    wanted = kind;
  }
  const auto split = split_port(rest);
  if (!split) return unknown(states, text);
  const bool outside = split->host == "internet" || split->host == "outside";
  auto address = IpAddress::parse(split->host);
  if (outside) address = IpAddress::parse(family == Family::Ipv4 ? kOutside : kOutsideV6);
  std::optional<Endpoint> found = address ? std::optional(with_address(states, shoot, *address))
                                          : with_name(states, split->host, family);
  if (!found || (wanted && *wanted != found->kind)) return unknown(states, text);
  found->port = split->port;
  return *std::move(found);
}

Result<Endpoint> first_pod(const Compiled& states, Family family) {
  for (const NodeState& state : states.nodes) {
    const auto found = with_name(states, state.member().name + "/pod-0", family);
    if (found) return *found;
  }
  return unknown(states, states.nodes.front().member().name + "/pod-0");
}

Result<Endpoint> pod_elsewhere(const Compiled& states, std::uint32_t node, IpAddress besides) {
  std::optional<Endpoint> here;
  for (std::uint32_t i = 0; i < states.nodes.size(); ++i) {
    for (const node::LocalPod& pod : states.nodes[i].pods) {
      if (pod.address.family() != besides.family() || pod.address == besides) continue;
      const Endpoint found{
          Endpoint::Kind::Pod, pod_name(states.nodes[i], pod.address), i, pod.address, {}};
      if (i != node) return found;
      if (!here) here = found;
    }
  }
  if (here) return *here;
  return unknown(states, "another pod");
}

}  // namespace overlane::path
