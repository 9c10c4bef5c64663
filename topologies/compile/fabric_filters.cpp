#include "topologies/compile/fabric_filters.h"

#include <utility>

#include "dataplane/wire/ip_protocol.h"

namespace overlane::compile {
namespace {

using effective::EffectiveDataplane;
using node::FabricRule;
using node::FabricState;
using node::PortRange;
using node::RuleSource;
using node::SecurityGroup;
using wire::kIcmp;
using wire::kIcmpv6;
using wire::kTcp;
using wire::kUdp;

constexpr PortRange kNodePorts{30'000, 32'767};

std::vector<IpPrefix> of_family(bool ipv4, const std::vector<IpPrefix>& one,
                                const std::vector<IpPrefix>& other) {
  std::vector<IpPrefix> networks;
  for (const auto* list : {&one, &other})
    for (const IpPrefix& network : *list)
      if (network.is_ipv4() == ipv4) networks.push_back(network);
  return networks;
}

FabricRule node_ports(std::vector<std::uint8_t> protocols) {
  return {.networks = {Ipv4Prefix{}, Ipv6Prefix{}},
          .protocols = std::move(protocols),
          .ports = {kNodePorts}};
}

/// gardener-extension-provider-gcp pkg/controller/infrastructure/infraflow,
/// "allow-internal-access": a rule without target tags, so it opens every instance of the VPC.
SecurityGroup gcp(const EffectiveDataplane& shoot) {
  SecurityGroup group{.name = shoot.name + "-allow-internal-access", .every_instance = true};
  group.rules.push_back({.networks = of_family(true, shoot.pods, shoot.nodes),
                         .protocols = {kIcmp, wire::kIpv4InIp, kTcp, kUdp}});
  const auto ipv6 = of_family(false, shoot.nodes, shoot.services);
  if (!ipv6.empty()) {
    group.rules.push_back({.networks = ipv6, .protocols = {kIcmpv6, wire::kIpv4InIp, kTcp, kUdp}});
  }
  return group;
}

/// gardener-extension-provider-aws pkg/controller/infrastructure/infraflow,
/// ensureNodesSecurityGroup.
SecurityGroup aws(const EffectiveDataplane& shoot) {
  return {.name = shoot.name + "-nodes",
          .rules = {{.source = RuleSource::GroupInterfaces}, node_ports({kTcp, kUdp})}};
}

/// gardener-extension-provider-openstack pkg/controller/infrastructure/infraflow,
/// ensureSecGroupRules. The remote group is taken as Open vSwitch resolves it; with OVN it would be
/// GroupFixedAddresses.
SecurityGroup openstack(const EffectiveDataplane& shoot) {
  return {.name = shoot.name,
          .rules = {{.source = RuleSource::GroupAddresses}, node_ports({kTcp, kUdp})}};
}

/// gardener-extension-provider-alicloud, the infrastructure's security group. From the VPC's range
/// TCP and UDP come in but for telnet (23) and shell (514); instances of one group reach each other
/// by the provider's default, which alone lets protocol 4 through.
SecurityGroup alicloud(const EffectiveDataplane& shoot) {
  return {.name = shoot.name + "-sg",
          .rules = {{.networks = of_family(true, shoot.pods, {})},
                    {.networks = of_family(true, shoot.nodes, {}),
                     .protocols = {kTcp, kUdp},
                     .ports = {{1, 22}, {24, 513}, {515, 65'535}}},
                    node_ports({kTcp}),
                    {.source = RuleSource::GroupInterfaces}}};
}

}  // namespace

void add_filters(FabricState& fabric, const EffectiveDataplane& shoot) {
  switch (shoot.provider) {
    case effective::Provider::Gcp:
      fabric.groups.push_back(gcp(shoot));
      return;
    case effective::Provider::Aws:
      fabric.groups.push_back(aws(shoot));
      break;
    case effective::Provider::OpenStack:
      fabric.groups.push_back(openstack(shoot));
      break;
    case effective::Provider::AliCloud:
      fabric.groups.push_back(alicloud(shoot));
      break;
    case effective::Provider::Azure:
    case effective::Provider::Metal:
    case effective::Provider::Local:
    case effective::Provider::Other:
      return;
  }
  const auto group = static_cast<std::uint32_t>(fabric.groups.size() - 1);
  for (node::Instance& instance : fabric.instances)
    instance.groups.push_back(group);
}

}  // namespace overlane::compile
