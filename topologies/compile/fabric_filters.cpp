#include "topologies/compile/fabric_filters.h"

#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace overlane::compile {
namespace {

using effective::EffectiveDataplane;
using node::FabricRule;
using node::FabricState;
using node::RuleSource;
using node::SecurityGroup;

std::vector<IpPrefix> of_family(bool ipv4, const std::vector<IpPrefix>& one,
                                const std::vector<IpPrefix>& other = {}) {
  std::vector<IpPrefix> networks;
  for (const auto* list : {&one, &other})
    for (const IpPrefix& network : *list)
      if (network.is_ipv4() == ipv4) networks.push_back(network);
  return networks;
}

/// The networks and members that a rule allows; nullopt where the shoot has no such networks.
std::optional<FabricRule> rule_from(provider::FilterRule::From from,
                                    const EffectiveDataplane& shoot) {
  using From = provider::FilterRule::From;
  switch (from) {
    case From::Anywhere:
      return FabricRule{.networks = {Ipv4Prefix{}, Ipv6Prefix{}}};
    case From::Pods:
      return FabricRule{.networks = of_family(true, shoot.pods)};
    case From::Nodes:
      return FabricRule{.networks = of_family(true, shoot.nodes)};
    case From::PodsAndNodes:
      return FabricRule{.networks = of_family(true, shoot.pods, shoot.nodes)};
    case From::NodesAndServicesIpv6: {
      auto networks = of_family(false, shoot.nodes, shoot.services);
      if (networks.empty()) return std::nullopt;
      return FabricRule{.networks = std::move(networks)};
    }
    case From::GroupInterfaces:
      return FabricRule{.source = RuleSource::GroupInterfaces};
    case From::GroupAddresses:
      return FabricRule{.source = shoot.ovn.value_or(false) ? RuleSource::GroupFixedAddresses
                                                            : RuleSource::GroupAddresses};
  }
  return std::nullopt;
}

}  // namespace

void add_filters(FabricState& fabric, const EffectiveDataplane& shoot) {
  const auto& filter = provider::profile_of(shoot.provider).fabric.filter;
  if (!filter) return;
  SecurityGroup group{.name = fmt::format(fmt::runtime(filter->name), shoot.name),
                      .every_instance = filter->every_instance};
  for (const provider::FilterRule& known : filter->rules) {
    std::optional<FabricRule> rule = rule_from(known.from, shoot);
    if (!rule) continue;
    rule->protocols.assign(known.protocols.begin(), known.protocols.end());
    for (const provider::FilterRule::Ports& ports : known.ports)
      rule->ports.push_back({ports.first, ports.last});
    group.rules.push_back(*std::move(rule));
  }
  fabric.groups.push_back(std::move(group));
  if (filter->every_instance) return;
  const auto number = static_cast<std::uint32_t>(fabric.groups.size() - 1);
  for (node::Instance& instance : fabric.instances)
    instance.groups.push_back(number);
}

}  // namespace overlane::compile
