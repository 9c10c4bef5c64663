#include "dataplane/node/state/fabric_state.h"

#include <algorithm>

#include <fmt/format.h>

#include "dataplane/wire/ip.h"

namespace overlane::node {

std::string_view to_string(RuleSource source) {
  switch (source) {
    case RuleSource::Networks:
      return "networks";
    case RuleSource::GroupInterfaces:
      return "interfaces of the group";
    case RuleSource::GroupAddresses:
      return "addresses of the group";
    case RuleSource::GroupFixedAddresses:
      return "fixed addresses of the group";
  }
  return "";
}

std::string to_string(const FabricRule& rule) {
  std::string text = "allow from";
  if (rule.source != RuleSource::Networks) text += fmt::format(" {}", to_string(rule.source));
  for (const IpPrefix& network : rule.networks)
    text += fmt::format(" {}", network.to_string());
  for (const std::uint8_t protocol : rule.protocols)
    text += fmt::format(" protocol {}", protocol);
  for (const PortRange& ports : rule.ports)
    text += fmt::format(" ports {}-{}", ports.first, ports.last);
  return text;
}

namespace {

std::string filter_protocol_name(std::uint8_t protocol) {
  switch (protocol) {
    case wire::kIcmp:
      return "icmp";
    case wire::kIpv4InIp:
      return "ipip";
    case wire::kTcp:
      return "tcp";
    case wire::kUdp:
      return "udp";
    case wire::kIcmpv6:
      return "icmpv6";
    default:
      return fmt::format("protocol {}", protocol);
  }
}

}  // namespace

std::string to_string(const DenyRule& rule) {
  std::string text = "deny " + filter_protocol_name(rule.protocol);
  if (rule.port) text += fmt::format(" port {}", *rule.port);
  if (rule.icmp_type) text += fmt::format(" type {}", *rule.icmp_type);
  if (rule.icmp_code) text += fmt::format(" code {}", *rule.icmp_code);
  return rule.disabled ? text + " disabled" : text;
}

std::string_view to_string(FabricTarget target) {
  switch (target) {
    case FabricTarget::Local:
      return "local";
    case FabricTarget::Instance:
      return "instance";
    case FabricTarget::Blackhole:
      return "blackhole";
    case FabricTarget::Internet:
      return "internet";
    case FabricTarget::Foreign:
      return "foreign instance";
  }
  return "";
}

std::string_view to_string(FabricRouteOwner owner) {
  switch (owner) {
    case FabricRouteOwner::System:
      return "system";
    case FabricRouteOwner::Infrastructure:
      return "infrastructure";
    case FabricRouteOwner::RouteController:
      return "route controller";
    case FabricRouteOwner::User:
      return "user";
    case FabricRouteOwner::Bgp:
      return "BGP";
  }
  return "";
}

bool Instance::owns(IpAddress address) const {
  return std::ranges::find(addresses, address) != addresses.end() ||
         std::ranges::any_of(prefixes,
                             [=](const IpPrefix& prefix) { return prefix.contains(address); });
}

bool FabricState::operator==(const FabricState& other) const {
  return name == other.name && mtu == other.mtu && path_mtu == other.path_mtu &&
         egress_mtu == other.egress_mtu && denied == other.denied && subnets == other.subnets &&
         route_tables == other.route_tables && instances == other.instances &&
         groups == other.groups && dropped_protocols == other.dropped_protocols &&
         drops_disordered_fragments == other.drops_disordered_fragments &&
         decrementing_hops == other.decrementing_hops &&
         honours_next_hop == other.honours_next_hop &&
         link_layer_answers == other.link_layer_answers &&
         protects_subnets == other.protects_subnets;
}

std::optional<IpAddress> router(const Subnet& subnet, bool ipv4) {
  for (const IpPrefix& cidr : subnet.cidrs)
    if (cidr.is_ipv4() == ipv4) return cidr.network() + 1;
  return std::nullopt;
}

std::string_view zone_of(const FabricState& state, const Instance& instance) {
  const std::string& zone = state.subnets.at(instance.subnet).zone;
  return zone.empty() ? instance.zone : zone;
}

std::uint32_t path_mtu(const FabricState& state, const Instance& from, const Instance& to) {
  const FabricPathMtu& path = state.path_mtu;
  if (path.within_zone == 0 && path.across_zones == 0) return state.mtu;
  const bool within = zone_of(state, from) == zone_of(state, to);
  const std::uint32_t bytes = within ? path.within_zone : path.across_zones;
  return bytes == 0 ? state.mtu : std::min(bytes, state.mtu);
}

InstanceOwners::InstanceOwners(const FabricState& state) {
  for (std::uint32_t i = 0; i < state.instances.size(); ++i) {
    const Instance& instance = state.instances[i];
    for (const IpAddress address : instance.addresses)
      by_address_.try_emplace(address, i);
    for (const IpPrefix& prefix : instance.prefixes) {
      if (by_prefix_.find(prefix) == nullptr) by_prefix_.set(prefix, i);
    }
  }
}

std::optional<std::uint32_t> InstanceOwners::find(IpAddress address) const {
  const auto at = by_address_.find(address);
  auto owner = at == by_address_.end() ? std::nullopt : std::optional(at->second);
  by_prefix_.longest_match(address, [&](const IpPrefix&, std::uint32_t instance) {
    owner = std::min(instance, owner.value_or(instance));
    return false;
  });
  return owner;
}

}  // namespace overlane::node
