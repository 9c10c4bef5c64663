#include "scenarios/migration/inputs/hazards.h"

#include <fmt/format.h>

#include "topologies/cni/profiles.h"
#include "topologies/effective/cloud_routes.h"

namespace overlane::migration {

namespace {

using effective::EffectiveDataplane;

/// Applies Neutron's security groups as OVN enforces them: a rule for a remote group matches fixed
/// addresses only, without allowed address pairs.
Loaded with_ovn(Loaded loaded) {
  for (compile::Compiled* states : {&loaded.transition.from, &loaded.transition.to})
    for (node::SecurityGroup& group : states->fabric.groups)
      for (node::FabricRule& rule : group.rules)
        if (rule.source == node::RuleSource::GroupAddresses)
          rule.source = node::RuleSource::GroupFixedAddresses;
  return loaded;
}

UncertainFact ovn(const Loaded& loaded, const provider::DroppingBackend& backend) {
  return {.assumption = {std::string(backend.setting), "false", "false or true",
                         std::string(backend.question), "default"},
          .holds = fmt::format("the network does not use {}", backend.name),
          .check = fmt::format("`{}`", backend.command),
          .command = std::string(backend.command),
          .reading = std::string(backend.reading),
          .setting = fmt::format("landscape.{}=false", backend.setting),
          .setting_otherwise = fmt::format("landscape.{}=true", backend.setting),
          .otherwise = with_ovn(loaded)};
}

/// What `ip -4 address show` prints on the first node for either route beyond the subnet.
std::string reading_of_address(const compile::Compiled& states) {
  const node::Device& uplink = *states.nodes.front().uplink();
  const IpAddress address = uplink.addresses.front();
  std::string by_gateway = "the length of the node's subnet";
  for (const node::Subnet& subnet : states.fabric.subnets)
    for (const IpPrefix& cidr : subnet.cidrs)
      if (cidr.contains(address))
        by_gateway =
            fmt::format("`inet {}/{}`, {}", address.to_string(), cidr.length(), by_gateway);
  return fmt::format("{}, means by the gateway; `inet {}/32` means unreachable routes", by_gateway,
                     address.to_string());
}

UncertainFact route_beyond_subnet(const Loaded& loaded) {
  const bool is_gateway = loaded.transition.beyond_subnet == BeyondSubnet::Gateway;
  Loaded other = loaded;
  other.transition.beyond_subnet = is_gateway ? BeyondSubnet::Unreachable : BeyondSubnet::Gateway;
  const auto setting = [](BeyondSubnet beyond) {
    return fmt::format("migration.bird.route-beyond-subnet={}", to_string(beyond));
  };
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
              "kubectl --kubeconfig \"$SHOOT\" run node-address --image=busybox --restart=Never "
              "--rm -i --overrides='{\"spec\":{\"hostNetwork\":true}}' -- ip -4 address show",
          .reading = reading_of_address(loaded.transition.from),
          .setting = setting(loaded.transition.beyond_subnet),
          .setting_otherwise = setting(other.transition.beyond_subnet),
          .assumes_first = is_gateway,
          .otherwise = std::move(other)};
}

/// The protocol of the tunnel's packets in a packet filter: "IP protocol 4", "UDP port 4789".
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

/// Why it is unknown whether the network's packet filters pass the tunnel, and how to show the
/// filters.
struct Filters {
  std::string why;
  std::string check = "the packet filters of nodes and network";
  std::string command =
      "kubectl --kubeconfig \"$SHOOT\" debug \"$(kubectl --kubeconfig \"$SHOOT\" "
      "get nodes -o name | head -n 1)\" -it --image=nicolaka/netshoot "
      "--profile=sysadmin -- nft list ruleset";
};

/// The filters as described in the provider's profile. `group` is the id of the nodes' security
/// group.
Filters described(const provider::UnknownFilter& filter, const std::string& group) {
  return {.why = fmt::format(fmt::runtime(filter.why), group),
          .check = fmt::format("`{}`", filter.tool),
          .command = fmt::format(fmt::runtime(filter.command), group)};
}

/// The packet filters that may block the tunnel; nothing if all known filters pass it.
std::optional<Filters> unknown_filters(const EffectiveDataplane& shoot) {
  const provider::Profile& profile = provider::profile_of(shoot.provider);
  if (!profile.is_known()) return Filters{.why = "Overlane does not know those of this provider"};
  if (!shoot.nodes_security_group.empty())
    return described(profile.fabric.given_group, shoot.nodes_security_group);
  if (profile.fabric.ipip_within_group_only &&
      shoot.dataplane.encapsulation == effective::Encapsulation::Ipip)
    return described(profile.fabric.ipip_filter, "");
  return std::nullopt;
}

UncertainFact packet_filters(const Loaded& loaded, Filters filters) {
  const std::string_view outer = outer_protocol(loaded.transition.after.dataplane.encapsulation);
  return {
      .assumption = {"fabric.passes-tunnel", "true", "true or false",
                     fmt::format("whether the packet filters of nodes and network pass {}; {}",
                                 outer, filters.why),
                     "default"},
      .holds = fmt::format("packet filters pass {} between nodes", outer),
      .check = std::move(filters.check),
      .command = std::move(filters.command),
      .reading = fmt::format("no rule of a node, a security group or a firewall drops {}", outer),
      .setting = "migration.fabric.passes-tunnel=true",
      .setting_otherwise = "migration.fabric.passes-tunnel=false"};
}

UncertainFact written_routes() {
  return {.assumption = {"fabric.writes-routes", "true", "true or false",
                         "whether the provider, of which Overlane knows nothing, writes routes to "
                         "the nodes' pods",
                         "default"},
          .holds = "the provider writes routes to the nodes' pods",
          .check = "the cloud's route table",
          .command =
              "kubectl --kubeconfig \"$SHOOT\" get nodes -o custom-columns="
              "NAME:.metadata.name,PODS:.spec.podCIDR,UNAVAILABLE:"
              "'.status.conditions[?(@.type==\"NetworkUnavailable\")].reason'",
          .reading =
              "a route controller sets the reason RouteCreated; without one, the cloud's "
              "route table shows whether each node's pod CIDR leads to the node",
          .setting = "migration.fabric.writes-routes=true",
          .setting_otherwise = "migration.fabric.writes-routes=false"};
}

/// Whether the switch begins to send packets of another protocol between nodes.
bool begins_tunnel(const Transition& transition) {
  return !transition.to_routed() &&
         transition.before.dataplane.encapsulation != transition.after.dataplane.encapsulation;
}

}  // namespace

std::vector<UncertainFact> uncertain_facts(const Loaded& loaded) {
  std::vector<UncertainFact> facts;
  const provider::Fabric& fabric = provider::profile_of(loaded.transition.after.provider).fabric;
  if (loaded.transition.may_meet_ovn()) facts.push_back(ovn(loaded, *fabric.dropping_backend));
  if (loaded.transition.drops_bird_tunnel() && !loaded.answers.beyond_subnet)
    facts.push_back(route_beyond_subnet(loaded));
  if (begins_tunnel(loaded.transition) && !loaded.answers.passes_tunnel)
    if (auto filters = unknown_filters(loaded.transition.after))
      facts.push_back(packet_filters(loaded, *std::move(filters)));
  const EffectiveDataplane& after = loaded.transition.after;
  if (loaded.transition.to_routed() && !loaded.answers.writes_routes &&
      !effective::condition_of_reach(after, after.dataplane).empty())
    facts.push_back(written_routes());
  return facts;
}

namespace {

using effective::Backend;
using effective::ServiceRouting;

bool is_calico(const EffectiveDataplane& shoot) {
  return cni::profile_of(shoot.agent).migration.start == cni::AgentStart::FelixAndBird;
}
bool enters_calico_vxlan(const EffectiveDataplane& shoot, Target to) {
  return is_calico(shoot) && to == Target::Vxlan;
}
bool leaves_calico_vxlan(const EffectiveDataplane& shoot, Target to) {
  return is_calico(shoot) && shoot.dataplane.backend == Backend::Vxlan && to != Target::Vxlan;
}
bool switches_calico_vxlan(const EffectiveDataplane& shoot, Target to) {
  return enters_calico_vxlan(shoot, to) || leaves_calico_vxlan(shoot, to);
}
bool enters_ebpf(const EffectiveDataplane& shoot, Target to) {
  return is_calico(shoot) && to == Target::Ebpf;
}
bool switches_ebpf(const EffectiveDataplane& shoot, Target to) {
  return enters_ebpf(shoot, to) ||
         (shoot.dataplane.service_routing == ServiceRouting::CalicoEbpf && to == Target::KubeProxy);
}
bool changes_families(const EffectiveDataplane& /*shoot*/, Target to) {
  return to == Target::DualStack || to == Target::SingleStack;
}
bool enters_dual_stack(const EffectiveDataplane& /*shoot*/, Target to) {
  return to == Target::DualStack;
}
bool gets_alias_ranges(const EffectiveDataplane& shoot, Target to) {
  return enters_dual_stack(shoot, to) &&
         provider::profile_of(shoot.provider).routes.dual_stack_by_interface;
}

struct Hazard {
  bool (*concerns)(const EffectiveDataplane& shoot, Target to);
  std::string_view what;
  sources::Citation source;
};

constexpr Hazard kHazards[] = {
    {enters_calico_vxlan,
     "IPAM changes from host-local to calico-ipam, without a migration: blocks of new pods may lie "
     "in the pod CIDR of another node, and packets to that node's pods then go to the wrong node",
     "gardener-extension-networking-calico charts/internal/calico: derived"},
    {leaves_calico_vxlan,
     "IPAM changes from calico-ipam to host-local: pods with addresses outside their node's pod "
     "CIDR are unreachable until they are made again",
     "assumed: derived"},
    {switches_calico_vxlan,
     "VXLAN is UDP port 4789 and IPIP is protocol 4: both have to pass the packet filters of nodes "
     "and cloud",
     "RFC 7348; RFC 2003"},
    {switches_ebpf,
     "gardenlet deploys or deletes kube-proxy at the same time as the Network, in no order: for a "
     "while Services have both, or none",
     "gardener/gardener pkg/gardenlet/operation"},
    {enters_ebpf,
     "without kube-proxy the Network is never reconciled where kubeProxy.mode is set, which "
     "Gardener's defaults do",
     "gardener-extension-networking-calico issue 918"},
    {switches_ebpf,
     "connections to Services are tracked by another program afterwards: established ones break",
     "assumed: derived"},
    {enters_dual_stack,
     "all nodes have to be replaced until they have pod CIDRs of both families; until then only "
     "the first family is used",
     "gardener/gardener "
     "docs/usage/networking/dual-stack-networking-migration.md"},
    {gets_alias_ranges,
     "all routes to pods are deleted first, and alias ranges are then added to one machine after "
     "the other: pods of machines without one are unreachable",
     "gardener-extension-provider-gcp docs/usage/ipv6.md: dual-stack "
     "migration"},
    {changes_families, "CoreDNS is restarted, and the Service kube-dns gets a second address",
     "gardener/gardener "
     "pkg/gardenlet/operation/botanist/dualstackmigration.go"},
};

}  // namespace

Findings known_hazards(const EffectiveDataplane& shoot, Target to) {
  Findings findings;
  for (const Hazard& hazard : kHazards) {
    if (!hazard.concerns(shoot, to)) continue;
    findings.push_back(Finding{.rule = "known-hazard",
                               .severity = Severity::Note,
                               .message = fmt::format("{} ({})", hazard.what, hazard.source.text()),
                               .object = {shoot.kind, shoot.namespace_, shoot.name},
                               .place = shoot.place});
  }
  return findings;
}

}  // namespace overlane::migration
