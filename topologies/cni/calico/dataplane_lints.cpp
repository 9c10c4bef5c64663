#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "topologies/cni/calico/calico.h"
#include "topologies/cni/calico/config.h"
#include "topologies/cni/calico/dataplane.h"
#include "topologies/effective/cloud_routes.h"
#include "topologies/rules/lint_conditions.h"

namespace overlane::calico {

namespace {

using effective::AddressGap;
using effective::Dataplane;
using rules::Check;
using rules::Enforcer;
using rules::RuleReport;

void check_left_over_vxlan(const LintInputs& in, RuleReport& report) {
  const bool is_unrouted =
      in.dataplane.dataplane.address_gap == effective::AddressGap::LeftOverVxlan;
  if (is_unrouted || in.dataplane.row == to_string(RowId::T5))
    report.add(*in.config.vxlan,
               is_unrouted
                   ? "vxlan.enabled without an overlay makes calico-ipam allocate addresses "
                     "that the network's routes do not cover: pods on different nodes "
                     "cannot reach each other"
                   : "vxlan.enabled without an overlay makes calico-ipam allocate pods' "
                     "addresses");
}

void check_vxlan_without_key(const LintInputs& in, RuleReport& report) {
  if (in.dataplane.row == to_string(RowId::T8))
    report.add(
        "the pool becomes VXLAN while the backend stays bird: without the key overlay.enabled the "
        "extension does not keep the two consistent");
}

void check_cross_subnet(const LintInputs& in, RuleReport& report) {
  if (in.dataplane.row == to_string(RowId::T9))
    report.add(*in.config.ipv4->value.mode,
               "between nodes of one subnet, packets have the pods' own addresses");
}

void check_unused_tunnel(const LintInputs& in, RuleReport& report) {
  if (in.dataplane.row == to_string(RowId::T10))
    report.add(
        *in.config.ipv4->value.mode,
        fmt::format(
            "nothing is encapsulated, but Felix's IPIP stays enabled and pods keep its MTU of {}",
            in.dataplane.dataplane.pod_mtu));
}

void check_contradiction(const LintInputs& in, RuleReport& report) {
  if (!in.dataplane.not_modelled_because.empty())
    report.add(
        "with IPv6 and an overlay, the IPv4 pool has IPIP while Felix's IPIP is off, and IPv6 has "
        "no tunnel");
}

constexpr Check<LintInputs> kRowLints[] = {
    {{.id = "vxlan-left-over",
      .section = "T5",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "vxlan.enabled is set although the overlay is off.",
      .why = "The chart reads vxlan.enabled regardless of the overlay: it selects calico-ipam, "
             "which allocates /26 blocks anywhere in the pod range, while the cloud's routes "
             "follow each node's podCIDR.",
      .remedy = "remove the vxlan block",
      .source = kCharts},
     check_left_over_vxlan},
    {{.id = "vxlan-without-overlay-key",
      .section = "T8",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "VXLAN is enabled without the key overlay.enabled.",
      .why =
          "Without the key the pool becomes VXLAN while BIRD keeps running and the chart does not "
          "enable Felix's VXLAN. No default produces this combination, and it is not tested.",
      .remedy = "set overlay.enabled: true together with vxlan.enabled: true",
      .source = kCharts},
     check_vxlan_without_key},
    {{.id = "cross-subnet-shows-pods",
      .section = "T9",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "With CrossSubnet, the network sees pod addresses within a subnet.",
      .why = "Within a subnet the cloud's source checks and packet filters see pod addresses, "
             "between subnets node addresses. All pods keep the tunnel's smaller MTU.",
      .remedy = "make sure that source checks are off, or use mode Always",
      .source = "projectcalico/calico felix/dataplane/linux/int_dataplane.go"},
     check_cross_subnet},
    {{.id = "tunnel-mtu-without-tunnel",
      .section = "T10",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "Felix's IPIP is on although the mode encapsulates nothing.",
      .why =
          "Mode Never or Off does not change backend bird and Felix's IPIP: pods lose 20 bytes of "
          "MTU for a tunnel that carries nothing, and BIRD routes need all nodes on one link.",
      .remedy = "set overlay.enabled: false instead of the mode",
      .source = kCharts},
     check_unused_tunnel},
    {{.id = "overlay-with-ipv6",
      .section = "D2",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "A calico shoot with IPv6 has an overlay.",
      .why = "The chart switches Felix's IPIP off as soon as IPv6 is among the families, and the "
             "pools never encapsulate IPv6. The IPv4 pool then contradicts Felix's settings; aws "
             "and gcp refuse such a shoot.",
      .remedy = "set overlay.enabled: false",
      .source = kCharts},
     check_contradiction},
};

bool is_explicit(const LintInputs& in) {
  return in.config.veth_mtu && in.config.veth_mtu->value > 0;
}

std::uint32_t size_on_link(const Dataplane& dataplane) {
  return dataplane.pod_mtu + dataplane.overhead_bytes;
}

void add_excess(const LintInputs& in, const Dataplane& dataplane, RuleReport& report) {
  add_against_link(
      in.shoot, *in.config.veth_mtu,
      fmt::format("vethMTU {} and {} bytes of headers exceed {} by {}: full-size "
                  "packets are fragmented or lost",
                  dataplane.pod_mtu, dataplane.overhead_bytes, rules::link_mtu_in_words(in.shoot),
                  size_on_link(dataplane) - dataplane.link_mtu),
      report);
}

void check_too_large(const LintInputs& in, RuleReport& report) {
  const Dataplane& primary = in.dataplane.dataplane;
  if (is_explicit(in) && size_on_link(primary) > primary.link_mtu) add_excess(in, primary, report);
}

void check_second_family(const LintInputs& in, RuleReport& report) {
  const Dataplane& primary = in.dataplane.dataplane;
  const auto& secondary = in.dataplane.secondary_dataplane;
  if (is_explicit(in) && secondary && size_on_link(*secondary) > secondary->link_mtu &&
      size_on_link(primary) <= primary.link_mtu)
    add_excess(in, *secondary, report);
}

void check_small(const LintInputs& in, RuleReport& report) {
  const Dataplane& primary = in.dataplane.dataplane;
  const auto& secondary = in.dataplane.secondary_dataplane;
  const std::uint32_t most =
      std::max(size_on_link(primary), secondary ? size_on_link(*secondary) : 0);
  if (is_explicit(in) && most < primary.link_mtu)
    add_against_link(in.shoot, *in.config.veth_mtu,
                     fmt::format("vethMTU {} leaves {} bytes of {} unused", primary.pod_mtu,
                                 primary.link_mtu - most, rules::link_mtu_in_words(in.shoot)),
                     report);
}

void check_too_small(const LintInputs& in, RuleReport& report) {
  const std::uint32_t least = rules::least_mtu(in.shoot.families);
  if (is_explicit(in) && in.config.veth_mtu->value < least)
    report.add(*in.config.veth_mtu, fmt::format("vethMTU {} is less than the minimum of {} bytes",
                                                in.config.veth_mtu->value, least));
}

void check_wire_guard(const LintInputs& in, RuleReport& report) {
  const Dataplane& primary = in.dataplane.dataplane;
  if (in.config.wireguard && in.config.wireguard->value &&
      primary.encapsulation != effective::Encapsulation::None)
    report.add(*in.config.wireguard,
               fmt::format("between nodes WireGuard replaces {}, which stays enabled",
                           to_string(primary.encapsulation)));
}

constexpr const char* kFelix = "projectcalico/calico felix/dataplane/linux/int_dataplane.go";

constexpr Check<LintInputs> kMtuLints[] = {
    {{.id = "mtu-too-large",
      .section = "§2.4",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "The explicit vethMTU leaves no room for the tunnel's headers.",
      .why = "vethMTU is used for the pods and for every tunnel device alike, and Felix only logs "
             "a value that is too large. Full-size packets are then fragmented or lost.",
      .remedy = "write \"0\" and let Calico choose",
      .source = kFelix},
     check_too_large},
    {{.id = "mtu-too-large-for-second-family",
      .section = "§2.4",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "The explicit vethMTU leaves no room for the headers of the second IP family.",
      .why = "WireGuard adds 60 bytes over IPv4 and 80 over IPv6. A value that fits the first "
             "family may be too large for the other.",
      .remedy = "write \"0\" and let Calico choose",
      .source = kFelix},
     check_second_family},
    {{.id = "mtu-smaller-than-needed",
      .section = "§2.4",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "The explicit vethMTU is smaller than the link allows.",
      .why = "Until April 2024 the extension fixed 1440, and many manifests still do. Where the "
             "link has a larger MTU, packets are smaller than they could be.",
      .remedy = "write \"0\" and let Calico choose",
      .source = kFelix},
     check_small},
    {{.id = "mtu-too-small",
      .section = "§2.4",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "The explicit vethMTU is smaller than an IP family allows.",
      .why = "Every IPv4 host accepts packets of 576 bytes, and every IPv6 link carries 1280 "
             "bytes: Linux disables IPv6 on a device with a smaller MTU.",
      .remedy = "write \"0\" and let Calico choose",
      .source = "RFC 791; RFC 8200"},
     check_too_small},
    {{.id = "wireguard-beside-tunnel",
      .section = "§2.4",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "An encrypted shoot also has a tunnel.",
      .why = "Felix sends packets to nodes with WireGuard through WireGuard. The other tunnel "
             "carries only packets to nodes without it, unencrypted, and the pods' MTU allows for "
             "the larger overhead.",
      .remedy = "set overlay.enabled: false where the network allows it",
      .source = kFelix},
     check_wire_guard},
};

bool is_vxlan(const LintInputs& in) {
  return in.config.vxlan && in.config.vxlan->value;
}

bool has_gap(const LintInputs& in, AddressGap gap) {
  return in.dataplane.dataplane.address_gap == gap;
}

void check_cidr_unused(const LintInputs& in, RuleReport& report) {
  if (has_own_ipam_range(in.config) && !has_gap(in, AddressGap::SharedRange))
    report.add(*in.config.ipam_cidr, fmt::format("{} has no effect", in.config.ipam_cidr->path));
}

void check_cidr_shared(const LintInputs& in, RuleReport& report) {
  if (has_gap(in, AddressGap::SharedRange))
    report.add(*in.config.ipam_cidr, fmt::format("every node allocates addresses from the same {}",
                                                 in.config.ipam_cidr->value));
}

void check_routed(const LintInputs& in, RuleReport& report) {
  if (has_gap(in, AddressGap::CalicoIpam))
    report.add(*in.config.ipam_type, std::string(in_words(AddressGap::CalicoIpam)));
}

void check_overwritten(const LintInputs& in, RuleReport& report) {
  if (is_vxlan(in) && in.config.ipam_type && in.config.ipam_type->value != "calico-ipam")
    report.add(*in.config.ipam_type,
               fmt::format("{} is overwritten with calico-ipam", in.config.ipam_type->path));
}

constexpr Check<LintInputs> kIpamLints[] = {
    {{.id = "ipam-cidr-unused",
      .section = "§1.3",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "ipam.cidr is set although it applies only to host-local in a single-stack shoot.",
      .why = "calico-ipam allocates from the pools, and a dual-stack shoot allocates both families "
             "from each node's pod CIDRs.",
      .remedy = "remove ipam.cidr",
      .source = kCharts},
     check_cidr_unused},
    {{.id = "ipam-cidr-shared-by-nodes",
      .section = "§1.3",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "All nodes allocate pod addresses from the same range.",
      .why = "host-local knows only its node. With one range for all, pods on different nodes get "
             "the same address, and no route leads to them.",
      .remedy = "write ipam.cidr: usePodCIDR",
      .source = kCharts},
     check_cidr_shared},
    {{.id = "calico-ipam-without-overlay",
      .section = "T5",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "A routed shoot uses calico-ipam.",
      .why = "The cloud's routes follow each node's podCIDR, while calico-ipam allocates /26 "
             "blocks anywhere in the pod range: pods on different nodes cannot reach each other.",
      .remedy = "use ipam.type: host-local",
      .source = kCharts},
     check_routed},
    {{.id = "ipam-overwritten-by-vxlan",
      .section = "§2.2",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "The IPAM is overwritten because VXLAN needs calico-ipam.",
      .why = "vxlan.enabled selects it, regardless of ipam.type.",
      .remedy = "remove ipam.type",
      .source = kCharts},
     check_overwritten},
};

bool is_ipv4_only(const LintInputs& in) {
  return !in.shoot.families.has(Family::Ipv6);
}

void check_backend(const LintInputs& in, RuleReport& report) {
  const std::string_view effective = to_string(in.dataplane.dataplane.backend);
  if (in.config.backend && in.shoot.overlay.enabled && in.config.backend->value != effective)
    report.add(*in.config.backend,
               fmt::format("backend {} is overwritten with {} because overlay.enabled is {}",
                           in.config.backend->value, effective, *in.shoot.overlay.enabled));
}

void check_backend_forced(const LintInputs& in, RuleReport& report) {
  if (in.config.backend && in.config.backend->value != "none" &&
      !in.shoot.provider.admission.backend_none_webhook.empty() && !in.shoot.overlay.enabled)
    report.add(*in.config.backend,
               fmt::format("backend {} is overwritten with none by a webhook of provider {}",
                           in.config.backend->value, in.shoot.provider.name));
}

void check_mode(const LintInputs& in, RuleReport& report) {
  if (!is_ipv4_only(in) || !in.shoot.overlay.enabled || !in.config.ipv4 ||
      !in.config.ipv4->value.mode)
    return;
  const auto& mode = *in.config.ipv4->value.mode;
  const char* const effective = *in.shoot.overlay.enabled ? "Always" : "Never";
  if (mode.value != effective)
    report.add(mode,
               fmt::format("ipv4.mode {} is overwritten with {} because overlay.enabled is {}",
                           mode.value, effective, *in.shoot.overlay.enabled));
}

bool any_of_family(const std::vector<manifest::Located<IpPrefix>>& ranges, bool ipv4) {
  return std::ranges::any_of(ranges, [&](const auto& r) { return r.value.is_ipv4() == ipv4; });
}

void check_detection(const LintInputs& in, RuleReport& report) {
  const manifest::ShootSpec& shoot = in.shoot.spec.shoot;
  const bool nodes = shoot.nodes && shoot.nodes->value.is_ipv4();
  if (in.config.ipv4 && in.config.ipv4->value.auto_detection_method &&
      (nodes || any_of_family(shoot.status_nodes, true)))
    report.add(*in.config.ipv4->value.auto_detection_method,
               "the IPv4 autodetection method is overwritten with the nodes' range");
  if (in.config.ipv6 && in.config.ipv6->value.auto_detection_method &&
      any_of_family(shoot.status_nodes, false))
    report.add(*in.config.ipv6->value.auto_detection_method,
               "the IPv6 autodetection method is overwritten with the nodes' ranges");
}

void check_source_nat(const LintInputs& in, RuleReport& report) {
  const bool encrypted = in.config.wireguard && in.config.wireguard->value;
  if (encrypted && in.config.ipv6 && in.config.ipv6->value.source_nat &&
      !in.config.ipv6->value.source_nat->value)
    report.add(*in.config.ipv6->value.source_nat,
               "wireguardEncryption turns the source NAT of IPv6 on");
}

void check_snat(const LintInputs& in, RuleReport& report) {
  if (in.config.snat_to_upstream_dns && in.shoot.overlay.enabled != false)
    report.add(*in.config.snat_to_upstream_dns,
               "snatToUpstreamDNS has no effect unless overlay.enabled is false");
}

constexpr Check<LintInputs> kOverwrittenLints[] = {
    {{.id = "backend-overwritten",
      .section = "§2.1",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "backend is overwritten because overlay.enabled is set.",
      .why = "The overlay decides the backend: bird or vxlan with it, none or, with "
             "createPodRoutes, bird without.",
      .remedy = "remove backend",
      .source = kActuator},
     check_backend},
    {{.id = "backend-forced-by-webhook",
      .section = "§2.6",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "A webhook on Azure forces calico's backend to none.",
      .why = "A webhook writes it into every Network of type calico.",
      .remedy = "remove backend",
      .source = "gardener-extension-provider-azure pkg/webhook/network/mutate.go"},
     check_backend_forced},
    {{.id = "mode-overwritten",
      .section = "§2.1",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "ipv4.mode is overwritten because overlay.enabled is set.",
      .why = "The overlay decides the mode of an IPv4-only shoot: Always with it, Never without.",
      .remedy = "remove ipv4.mode",
      .source = kActuator},
     check_mode},
    {{.id = "autodetection-overwritten",
      .section = "§2.1",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "autoDetectionMethod is overwritten because networking.nodes is set.",
      .why = "The actuator writes cidr= with the node range and discards the user's value.",
      .remedy = "remove autoDetectionMethod",
      .source = kActuator},
     check_detection},
    {{.id = "ipv6-snat-by-wireguard",
      .section = "§1.3",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "wireguardEncryption overrides ipv6.sourceNATEnabled.",
      .why = "The chart enables it for encrypted shoots, regardless of ipv6.sourceNATEnabled.",
      .remedy = "remove ipv6.sourceNATEnabled",
      .source = kCharts},
     check_source_nat},
    {{.id = "snat-without-effect",
      .section = "§1.3",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "snatToUpstreamDNS is set although the overlay is not switched off.",
      .why = "The chart reads the switch only where overlay.enabled is false. With an overlay pods "
             "leave under their node's address anyway.",
      .remedy = "remove snatToUpstreamDNS, or set overlay.enabled: false",
      .source = kCharts},
     check_snat},
};

}  // namespace

std::span<const Check<LintInputs>> row_lints() {
  return kRowLints;
}

std::span<const Check<LintInputs>> mtu_lints() {
  return kMtuLints;
}

std::span<const Check<LintInputs>> ipam_lints() {
  return kIpamLints;
}

std::span<const Check<LintInputs>> overwritten_lints() {
  return kOverwrittenLints;
}

}  // namespace overlane::calico
