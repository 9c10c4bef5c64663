#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "dataplane/wire/ip_packet.h"
#include "topologies/effective/cloud_routes.h"
#include "topologies/rules/lint_conditions.h"
#include "topologies/rules/subject_tables.h"

namespace overlane::rules {

using effective::Encapsulation;
using effective::Provider;
namespace {

void check_dropped_ipip(const LintInputs& in, RuleReport& report) {
  if (!in.dataplane.opaque && effective::drops_tunnel(in.shoot.provider, in.dataplane.dataplane))
    report.add(fmt::format(
        "pods' traffic is encapsulated in IPIP, which the network of {} drops "
        "({})",
        in.shoot.provider.name, in.shoot.provider.fabric.dropped_protocols_source.text()));
}

void check_single_flow(const LintInputs& in, RuleReport& report) {
  if (is_encapsulated(in, Encapsulation::Ipip) &&
      !in.shoot.provider.machines.single_flow_source.empty())
    report.add(
        fmt::format("all IPIP traffic between two nodes is one flow for the network of {} "
                    "({})",
                    in.shoot.provider.name, in.shoot.provider.machines.single_flow_source.text()));
}

void check_inner_group(const LintInputs& in, RuleReport& report) {
  if (in.shoot.provider.fabric.ipip_within_group_only && is_encapsulated(in, Encapsulation::Ipip))
    report.add("IPIP between nodes is allowed only by the default access within a security group");
}

/// The protocols that the network's filter lets through between pods and nodes; empty: all.
std::span<const std::uint8_t> protocols_of_pods(const provider::Fabric& fabric) {
  if (!fabric.filter) return {};
  const auto rule = std::ranges::find(
      fabric.filter->rules, provider::FilterRule::From::PodsAndNodes, &provider::FilterRule::from);
  if (rule == fabric.filter->rules.end()) return {};
  return rule->protocols;
}

std::string name_of_protocol(std::uint8_t protocol) {
  constexpr std::pair<std::uint8_t, std::string_view> kNames[] = {
      {wire::kIcmp, "ICMP"}, {wire::kIpv4InIp, "IPIP"}, {wire::kTcp, "TCP"}, {wire::kUdp, "UDP"}};
  for (const auto& [number, name] : kNames)
    if (number == protocol) return std::string(name);
  return fmt::format("protocol {}", protocol);
}

void check_other_protocols(const LintInputs& in, RuleReport& report) {
  const auto protocols = protocols_of_pods(in.shoot.provider.fabric);
  if (protocols.empty() || !is_routed(in)) return;
  std::vector<std::string> names;
  std::ranges::transform(protocols, std::back_inserter(names), name_of_protocol);
  report.add(
      fmt::format("the firewall between nodes allows only {}: it drops pods' packets of other "
                  "protocols",
                  fmt::join(names, ", ")));
}

void check_closed_ports(const LintInputs& in, RuleReport& report) {
  const std::string_view closed = in.shoot.provider.fabric.closed_ports;
  if (!closed.empty() && !in.dataplane.opaque)
    report.add(fmt::format("the nodes' security group closes the ports {} to the VPC", closed));
}

void check_ovn(const LintInputs& in, RuleReport& report) {
  if (!in.dataplane.opaque && effective::drops_pod_sources(in.dataplane, in.dataplane.dataplane))
    report.add(
        "pods are routed, and OVN drops packets from pod addresses: the security group has no rule "
        "for them");
}

void check_unknown_ovn(const LintInputs& in, RuleReport& report) {
  if (!in.dataplane.opaque && !in.dataplane.ovn &&
      effective::shows_pod_sources(in.shoot.provider, in.dataplane.dataplane))
    report.add(
        "pods are routed, and OpenStack's network backend decides whether their addresses are "
        "allowed");
}

constexpr const char* kInfraflow =
    "gardener-extension-provider-<name> pkg/controller/infrastructure/infraflow";

constexpr Check<LintInputs> kFabricLints[] = {
    {{.id = "ipip-dropped-by-fabric",
      .section = "§4.7",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "IPIP is used where the network drops IP protocol 4.",
      .why = "Azure's network drops it silently: pods on different nodes cannot reach each other. "
             "VXLAN, which is UDP, is not dropped.",
      .remedy = "set vxlan.enabled: true, or overlay.enabled: false",
      .source = kInfraflow},
     check_dropped_ipip},
    {{.id = "ipip-single-flow",
      .section = "§4.7",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "A per-flow limit of the network applies to all traffic of a tunnel.",
      .why = "IPIP has no ports: all traffic between two nodes shares the limit of one flow. VXLAN "
             "hashes inner flows into its source port, and routed pods have flows of their own.",
      .remedy = "set vxlan.enabled: true, or overlay.enabled: false",
      .source = "Amazon EC2 user guide, instance network bandwidth"},
     check_single_flow},
    {{.id = "alicloud-ipip-by-default-access",
      .section = "§4.7",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "IPIP on Alibaba Cloud depends on the security group's default inner access.",
      .why = "No rule of the shoot's group allows IPIP between nodes. It is allowed because "
             "members of a group reach each other by default; without that access, all traffic "
             "between pods stops.",
      .remedy = "keep the group's inner access, or set overlay.enabled: false",
      .source = kInfraflow},
     check_inner_group},
    {{.id = "gcp-other-protocols",
      .section = "§4.7",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "GCP drops routed pod packets that are not ICMP, TCP, UDP or IPIP.",
      .why = "The shoot's firewall rule names these protocols only. SCTP, for example, works "
             "between nodes only inside a tunnel.",
      .remedy = "add a firewall rule to the VPC where pods need more",
      .source = kInfraflow},
     check_other_protocols},
    {{.id = "alicloud-closed-ports",
      .section = "§4.7",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "Ports 23 and 514 of Alibaba Cloud nodes are closed to others in the VPC.",
      .why = "The nodes' security group opens all ports to the VPC but these two.",
      .remedy = "use other ports",
      .source = kInfraflow},
     check_closed_ports},
    {{.id = "openstack-pod-sources-dropped",
      .section = "§4.7",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "OVN drops packets from pod addresses of a routed OpenStack shoot.",
      .why = "The nodes' security group allows its own members, which with OVN are the ports' "
             "fixed addresses only: pods on different nodes cannot reach each other.",
      .remedy = "set overlay.enabled: true, or add the pods' range to the security group",
      .source = "gardener-extension-provider-openstack issue 1404"},
     check_ovn},
    {{.id = "openstack-port-security",
      .section = "§4.7",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "OpenStack port security may drop packets from pod addresses.",
      .why = "Pod ranges are in the allowed address pairs of each port. With OVN these do not "
             "apply to the rule between members of the security group.",
      .remedy = "set the backend: --set landscape.openstack.ovn=true or false",
      .source = "gardener-extension-provider-openstack issue 1404"},
     check_unknown_ovn},
};

}  // namespace

std::span<const Check<LintInputs>> fabric_lints() {
  return kFabricLints;
}

}  // namespace overlane::rules
