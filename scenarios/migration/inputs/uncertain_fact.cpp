#include "scenarios/migration/inputs/uncertain_fact.h"

#include <fmt/format.h>

namespace overlane::migration {
namespace {

/// Neutron's security groups as OVN enforces them: a rule for a remote group matches fixed
/// addresses only, without allowed address pairs.
Loaded with_ovn(Loaded loaded) {
  for (compile::Compiled* states : {&loaded.transition.from, &loaded.transition.to})
    for (node::SecurityGroup& group : states->fabric.groups)
      for (node::FabricRule& rule : group.rules)
        if (rule.source == node::RuleSource::GroupAddresses)
          rule.source = node::RuleSource::GroupFixedAddresses;
  return loaded;
}

UncertainFact ovn(const Loaded& loaded) {
  return {.assumption = {"openstack.ovn", "false", "false or true",
                         "whether the networks are OVN's, which drops pods' own addresses "
                         "(gardener-extension-provider-openstack issue 1404)",
                         "default"},
          .holds = "the network does not use OVN",
          .check = "`openstack network agent list`",
          .command = "openstack network agent list",
          .reading = "OVN lists agents of type \"OVN Controller agent\"",
          .setting = "landscape.openstack.ovn=false",
          .otherwise = with_ovn(loaded)};
}

UncertainFact route_beyond_subnet(const Loaded& loaded) {
  const bool is_gateway = loaded.transition.beyond_subnet == BeyondSubnet::Gateway;
  Loaded other = loaded;
  other.transition.beyond_subnet = is_gateway ? BeyondSubnet::Unreachable : BeyondSubnet::Gateway;
  return {.assumption = {"bird.route-beyond-subnet",
                         std::string(to_string(loaded.transition.beyond_subnet)),
                         "gateway or unreachable",
                         "the route that BIRD writes to a peer that is no neighbour once its "
                         "export filter names no tunnel (BIRD 1.6.8: unreachable where nodes have "
                         "/32 addresses; networking-calico pull requests 229 and 546)",
                         "derived"},
          .holds = is_gateway ? "BIRD routes to other subnets by the gateway"
                              : "BIRD writes unreachable routes to other subnets",
          .check = "`ip -4 address show` on a node",
          .command =
              "kubectl --kubeconfig \"$SHOOT\" debug \"$(kubectl --kubeconfig \"$SHOOT\" "
              "get nodes -o name | head -n 1)\" -it --image=busybox -- "
              "ip -4 address show",
          .reading =
              "BIRD routes by the gateway where the node's address has the length of its "
              "subnet, and writes unreachable routes where it is a /32",
          .setting = fmt::format("migration.bird.route-beyond-subnet={}",
                                 to_string(loaded.transition.beyond_subnet)),
          .assumes_first = is_gateway,
          .otherwise = std::move(other)};
}

/// The tunnel's packets as packet filters see them: "IP protocol 4", "UDP port 4789".
std::string_view outer_protocol(effective::Encapsulation encapsulation) {
  switch (encapsulation) {
    case effective::Encapsulation::Ipip:
      return "IP protocol 4";
    case effective::Encapsulation::Vxlan:
      return "UDP port 4789";
    case effective::Encapsulation::Geneve:
      return "UDP port 6081";
    default:
      return "";
  }
}

UncertainFact packet_filters(const Loaded& loaded) {
  const std::string_view outer = outer_protocol(loaded.transition.after.dataplane.encapsulation);
  return {
      .assumption = {"fabric.passes-tunnel", "true", "true or false",
                     fmt::format("whether the packet filters of nodes and network pass {}; "
                                 "Overlane does not know those of this provider",
                                 outer),
                     "default"},
      .holds = fmt::format("packet filters pass {} between nodes", outer),
      .check = "the packet filters of nodes and network",
      .command =
          "kubectl --kubeconfig \"$SHOOT\" debug \"$(kubectl --kubeconfig \"$SHOOT\" "
          "get nodes -o name | head -n 1)\" -it --image=nicolaka/netshoot "
          "--profile=sysadmin -- nft list ruleset",
      .reading = fmt::format("no rule of a node, a security group or a firewall drops {}", outer),
      .setting = "migration.fabric.passes-tunnel=true"};
}

/// Whether the switch begins to send tunnelled packets through filters that Gardener does not make.
bool may_be_filtered(const Loaded& loaded) {
  const Transition& transition = loaded.transition;
  return !transition.to_routed() && !loaded.answers.passes_tunnel &&
         transition.before.dataplane.encapsulation != transition.after.dataplane.encapsulation &&
         !provider::profile_of(transition.after.provider).is_known();
}

}  // namespace

std::vector<UncertainFact> uncertain_facts(const Loaded& loaded) {
  std::vector<UncertainFact> facts;
  if (loaded.transition.may_meet_ovn()) facts.push_back(ovn(loaded));
  if (loaded.transition.drops_bird_tunnel() && !loaded.answers.beyond_subnet)
    facts.push_back(route_beyond_subnet(loaded));
  if (may_be_filtered(loaded)) facts.push_back(packet_filters(loaded));
  return facts;
}

}  // namespace overlane::migration
