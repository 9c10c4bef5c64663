#include "dataplane/forward/fabric_filter.h"

#include <algorithm>

namespace overlane::forward {
namespace {

using node::FabricRule;
using node::FabricState;
using node::Instance;
using node::PortRange;
using node::RuleSource;

/// What the fabric sees of a packet that instance `from` sends to instance `to`.
struct Seen {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  FlowKey flow;
};

Seen reverse(const Seen& seen) {
  const FlowKey& flow = seen.flow;
  return {seen.to,
          seen.from,
          {flow.destination, flow.source, flow.destination_port, flow.source_port, flow.protocol}};
}

FlowKey outermost_flow(const Packet& packet) {
  const IpFields& header = packet.outermost();
  FlowKey flow{
      .source = header.source, .destination = header.destination, .protocol = header.protocol};
  if (header.fragment_offset != 0 || !has_ports(header.protocol)) return flow;
  const bool tunnelled = packet.is_encapsulated();
  flow.source_port = tunnelled ? packet.outer_source_port : packet.source_port;
  flow.destination_port = tunnelled ? packet.outer_destination_port : packet.destination_port;
  return flow;
}

bool is_member(const FabricState& state, std::uint32_t group, const Instance& instance) {
  return state.groups[group].every_instance ||
         std::ranges::find(instance.groups, group) != instance.groups.end();
}

bool contains(const std::vector<IpPrefix>& networks, IpAddress address) {
  return std::ranges::any_of(networks,
                             [=](const IpPrefix& network) { return network.contains(address); });
}

/// Mostly the sender itself has the address, so it is asked first.
bool has_address(const FabricState& state, std::uint32_t group, const Seen& seen, bool pairs) {
  const IpAddress source = seen.flow.source;
  const auto has = [&](const Instance& instance) {
    const bool own = std::ranges::find(instance.addresses, source) != instance.addresses.end();
    return (own || (pairs && contains(instance.allowed, source))) &&
           is_member(state, group, instance);
  };
  return has(state.instances[seen.from]) || std::ranges::any_of(state.instances, has);
}

bool comes_from(const FabricState& state, std::uint32_t group, const FabricRule& rule,
                const Seen& seen) {
  switch (rule.source) {
    case RuleSource::Networks:
      return contains(rule.networks, seen.flow.source);
    case RuleSource::GroupInterfaces:
      return is_member(state, group, state.instances[seen.from]);
    case RuleSource::GroupAddresses:
      return has_address(state, group, seen, true);
    case RuleSource::GroupFixedAddresses:
      return has_address(state, group, seen, false);
  }
  return false;
}

bool takes(const FabricState& state, std::uint32_t group, const FabricRule& rule,
           const Seen& seen) {
  if (!rule.protocols.empty() &&
      std::ranges::find(rule.protocols, seen.flow.protocol) == rule.protocols.end()) {
    return false;
  }
  const auto fits = [&](PortRange range) { return range.contains(seen.flow.destination_port); };
  if (!rule.ports.empty() && std::ranges::none_of(rule.ports, fits)) return false;
  return comes_from(state, group, rule, seen);
}

/// What the groups of a packet's receiver say of it, as one that opens a connection.
struct Judged {
  bool is_filtered = false;  ///< Whether any group applies.
  std::optional<TakingRule> taken_by;

  bool admitted() const { return taken_by || !is_filtered; }
};

Judged judge(const FabricState& state, const Seen& seen) {
  Judged judged;
  for (std::uint32_t group = 0; group < state.groups.size(); ++group) {
    if (!is_member(state, group, state.instances[seen.to])) continue;
    judged.is_filtered = true;
    for (const FabricRule& rule : state.groups[group].rules) {
      if (!takes(state, group, rule, seen)) continue;
      judged.taken_by = TakingRule{&state.groups[group], &rule};
      return judged;
    }
  }
  return judged;
}

bool admits_new(const FabricState& state, const Seen& seen) {
  return judge(state, seen).admitted();
}

/// The flow whose answers a packet passes with: its own, or that of the packet it quotes.
FlowKey answering_flow(const Packet& packet) {
  if (!packet.icmp || packet.is_encapsulated()) return outermost_flow(packet);
  const IcmpError& error = *packet.icmp;
  const bool ports = has_ports(error.quoted_protocol);
  return {error.quoted_destination, error.quoted_source,
          ports ? error.quoted_destination_port : std::uint16_t{0},
          ports ? error.quoted_source_port : std::uint16_t{0}, error.quoted_protocol};
}

}  // namespace

const node::DenyRule* denying_rule(const FabricState& state, const Packet& packet) {
  if (state.denied.empty()) return nullptr;
  const FlowKey flow = outermost_flow(packet);
  const IpFields& header = packet.outermost();
  // Type · 256 + code.
  std::optional<std::uint16_t> message;
  if (header.is_icmp() && header.fragment_offset == 0)
    message = packet.icmp ? packet.icmp->type << 8 | packet.icmp->code : packet.destination_port;
  const auto denies = [&](const node::DenyRule& rule) {
    if (rule.disabled || rule.protocol != header.protocol) return false;
    if (rule.port && (header.fragment_offset != 0 || *rule.port != flow.destination_port))
      return false;
    if (rule.icmp_type && (!message || *rule.icmp_type != *message >> 8)) return false;
    return !rule.icmp_code || (message && *rule.icmp_code == (*message & 0xff));
  };
  const auto found = std::ranges::find_if(state.denied, denies);
  return found == state.denied.end() ? nullptr : &*found;
}

std::optional<TakingRule> taking_rule(const FabricState& state, std::uint32_t from,
                                      std::uint32_t to, const Packet& packet) {
  return judge(state, {from, to, outermost_flow(packet)}).taken_by;
}

bool admits(const FabricState& state, std::uint32_t from, std::uint32_t to, const Packet& packet,
            node::FabricRuntime* runtime, Picos now) {
  if (state.groups.empty()) return true;
  const Seen seen{from, to, outermost_flow(packet)};
  if (!admits_new(state, seen)) {
    return runtime != nullptr && runtime->answers.expects(answering_flow(packet), now);
  }
  if (runtime != nullptr) {
    const Seen answer = reverse(seen);
    if (!admits_new(state, answer)) runtime->answers.expect(answer.flow, now);
  }
  return true;
}

}  // namespace overlane::forward
