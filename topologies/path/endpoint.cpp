#include "topologies/path/endpoint.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace overlane::path {
namespace {

using compile::Compiled;
using node::NodeState;

/// A documentation address (RFC 5737, RFC 9637) for any external address. Not from 2001:db8::/32,
/// which shoots use here.
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

/// Splits off a port ":53"; an IPv6 address then needs brackets. Nothing if the port is invalid.
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
