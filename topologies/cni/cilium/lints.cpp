#include <fmt/format.h>

#include "topologies/cni/cilium/cilium.h"
#include "topologies/cni/cilium/config.h"
#include "topologies/cni/cilium/dataplane.h"
#include "topologies/rules/lint_conditions.h"

// Rules about configuration of a Cilium shoot that is accepted, but loses packets or has no effect,
// one table per subject; and rules about changes of the dataplane of a running shoot.
namespace overlane::cilium {

namespace {

using cni::SwitchInputs;
using effective::Dataplane;
using effective::Mode;
using rules::Check;
using rules::Enforcer;
using rules::RuleReport;

void check_ignored(const LintInputs& in, RuleReport& report) {
  if (in.shoot.overlay.enabled == false && in.config.tunnel &&
      in.config.tunnel->value != "disabled")
    report.add(*in.config.tunnel, fmt::format("tunnel {} has no effect: overlay.enabled is false",
                                              in.config.tunnel->value));
}

void check_disabled(const LintInputs& in, RuleReport& report) {
  if (in.shoot.overlay.enabled == true && in.config.tunnel && in.config.tunnel->value == "disabled")
    report.add(*in.config.tunnel,
               "tunnel disabled has no effect: overlay.enabled is true, which means vxlan");
}

void check_dsr(const LintInputs& in, RuleReport& report) {
  const auto& mode = in.config.load_balancing_mode;
  if (mode && mode->value == "dsr" && in.dataplane.dataplane.mode == Mode::Overlay)
    report.add(*mode, fmt::format("loadBalancingMode dsr is used inside a tunnel of {}",
                                  to_string(in.dataplane.dataplane.encapsulation)));
}

/// Reports dsr without a native routing CIDR on live shoots: an older release of the chart may have
/// rendered it, while a new shoot is refused (rule_tables.cpp).
void check_live_dsr(const LintInputs& in, RuleReport& report) {
  if (in.shoot.stage == effective::Stage::Live && lacks_native_cidr_for_dsr(in.config, in.shoot) &&
      in.dataplane.dataplane.mode == Mode::Routed)
    report.add(*in.config.load_balancing_mode,
               "the live shoot has loadBalancingMode dsr without a native routing CIDR: its next "
               "reconciliation fails");
}

/// Reports native routing that the manifest itself requests without a native routing CIDR. If
/// admission writes the tunnel, it writes the CIDR too.
void check_native_cidr(const LintInputs& in, RuleReport& report) {
  const auto& cidr = in.config.ipv4_native_routing_cidr;
  const bool by_tunnel = in.dataplane.dataplane.mode == Mode::Routed && in.config.tunnel &&
                         in.shoot.overlay.enabled != false;
  if (by_tunnel && in.shoot.families.has(Family::Ipv4) && !(cidr && cidr->value))
    report.add(*in.config.tunnel, "routing is native, but there is no native routing CIDR");
}

void check_overwritten(const LintInputs& in, RuleReport& report) {
  if (!in.shoot.overlay.enabled) return;
  for (const auto& given : {in.config.ipv4_native_routing_cidr, in.config.ipv6_native_routing_cidr})
    if (given && given->value == *in.shoot.overlay.enabled)
      report.add(*given, fmt::format("{} is overwritten with {} because overlay.enabled is {}",
                                     given->path, !given->value, *in.shoot.overlay.enabled));
}

void check_identities(const LintInputs& in, RuleReport& report) {
  if (in.dataplane.dataplane.mode == Mode::Routed)
    report.add("routing is native: a packet between nodes does not carry its pod's identity");
}

void check_mtu(const LintInputs& in, RuleReport& report) {
  const auto& mtu = in.config.mtu;
  const std::int64_t link = in.shoot.link_mtu.value;
  if (mtu && mtu->value > link)
    add_against_link(in.shoot, *mtu,
                     fmt::format("mtu {} exceeds {} by {}: full-size packets are fragmented or "
                                 "lost",
                                 mtu->value, rules::link_mtu_in_words(in.shoot), mtu->value - link),
                     report);
}

void check_small_mtu(const LintInputs& in, RuleReport& report) {
  const auto& mtu = in.config.mtu;
  const std::uint32_t least = rules::least_mtu(in.shoot.families);
  const std::uint32_t left = in.dataplane.dataplane.pod_mtu;
  if (mtu && mtu->value > 0 && left < least)
    report.add(*mtu,
               fmt::format("mtu {} leaves pods packets of {} bytes, less than the minimum of {}",
                           mtu->value, left, least));
}

constexpr Check<LintInputs> kTunnelLints[] = {
    {{.id = "tunnel-ignored",
      .section = "C3",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "Cilium ignores tunnel because the shoot has no overlay.",
      .why = "overlay.enabled: false means native routing, regardless of tunnel.",
      .remedy = "remove tunnel, or set overlay.enabled: true",
      .source = kCharts},
     check_ignored},
    {{.id = "tunnel-disabled-ignored",
      .section = "C1",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "Cilium ignores tunnel: disabled because the shoot has an overlay.",
      .why = "overlay.enabled: true means a tunnel; with tunnel: disabled it is vxlan.",
      .remedy = "remove tunnel, or set overlay.enabled: false",
      .source = kCharts},
     check_disabled},
    {{.id = "dsr-in-tunnel",
      .section = "§6",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "loadBalancingMode: dsr is combined with a tunnel.",
      .why = "In a tunnel the backend's answer takes another path than the request, and the "
             "service's address needs an option of Geneve, 12 bytes in every packet. Rendering "
             "refuses most such shoots; live ones may still have it.",
      .remedy = "set overlay.enabled: false, or use loadBalancingMode: snat",
      .source = kCharts},
     check_dsr},
    {{.id = "live-dsr-without-native-routing-cidr",
      .section = "§2.5",
      .severity = Severity::Warning,
      .enforcer = Enforcer::Reconcile,
      .title = "A live shoot has loadBalancingMode: dsr without a native routing CIDR.",
      .why = "Rendering the chart fails without one. The running configuration was rendered by an "
             "older release, and no change is applied any more.",
      .remedy = "set overlay.enabled: false, or ipv4NativeRoutingCIDREnabled: true",
      .source = kCharts},
     check_live_dsr},
    {{.id = "native-routing-without-cidr",
      .section = "C5",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "tunnel: disabled without a native routing CIDR.",
      .why = "Cilium must know which addresses the network routes. Without the key overlay.enabled "
             "the extension does not set the range, and the agent then refuses to masquerade.",
      .remedy = "set overlay.enabled: false, or ipv4NativeRoutingCIDREnabled: true",
      .source = "cilium/cilium daemon/cmd: ipv4-native-routing-cidr"},
     check_native_cidr},
    {{.id = "native-cidr-overwritten",
      .section = "§2.5",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title =
          "The switch for the native routing CIDR is overwritten because overlay.enabled is set.",
      .why = "The overlay decides it: off with an overlay, on without.",
      .remedy = "remove ipv4NativeRoutingCIDREnabled and ipv6NativeRoutingCIDREnabled",
      .source = kCharts},
     check_overwritten},
    {{.id = "identity-in-native-routing",
      .section = "§6",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "Native routing does not carry pod identities: network policies may drop packets.",
      .why =
          "In native routing the receiving node looks up a pod's identity by its address. An "
          "unknown address has the identity world, and policies that name pods drop its packets.",
      .remedy = "watch for drops from the identity world after pods start, or use an overlay",
      .source = "gardener-extension-networking-cilium pull request 151; cilium/cilium "
                "issue 23376"},
     check_identities},
    {{.id = "cilium-mtu-too-large",
      .section = "§2.5",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "The explicit mtu exceeds the link's MTU.",
      .why = "Cilium treats it as the link's MTU and only subtracts its own overhead. Full-size "
             "packets are then fragmented or lost.",
      .remedy = "write 0 and let Cilium choose",
      .source = "cilium/cilium pkg/mtu/mtu.go"},
     check_mtu},
    {{.id = "cilium-mtu-too-small",
      .section = "§2.5",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "The explicit mtu is smaller than an IP family allows.",
      .why =
          "Admission accepts any number. Every IPv4 host accepts packets of 576 bytes, and every "
          "IPv6 link carries 1280 bytes: Linux disables IPv6 on a device with a smaller MTU.",
      .remedy = "write 0 and let Cilium choose",
      .source = "RFC 791; RFC 8200"},
     check_small_mtu},
};

bool is_on(const Field<bool>& field) {
  return field && field->value;
}

void check_switched_off(const LintInputs& in, RuleReport& report) {
  const EncryptionConfig& encryption = in.config.encryption;
  if (is_on(encryption.enabled)) return;
  for (const auto& setting : {encryption.node_to_node, encryption.strict})
    if (is_on(setting))
      report.add(*setting, fmt::format("{} has no effect while encryption is off", setting->path));
}

void check_strict(const LintInputs& in, RuleReport& report) {
  const EncryptionConfig& encryption = in.config.encryption;
  if (is_on(encryption.enabled) && is_on(encryption.strict) &&
      in.dataplane.dataplane.mode == effective::Mode::Overlay)
    report.add(*encryption.strict,
               "in a tunnel, strict mode lets unencrypted packets of remote nodes pass");
}

constexpr Check<LintInputs> kEncryptionLints[] = {
    {{.id = "encryption-switched-off",
      .section = "§1.4",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "encryption has settings but is not enabled.",
      .why = "nodeToNodeEnabled and strictMode alone encrypt nothing.",
      .remedy = "set encryption.enabled: true, or remove them",
      .source = "gardener-extension-networking-cilium pkg/apis/cilium/validation/"
                "networkconfig.go"},
     check_switched_off},
    {{.id = "strict-mode-in-tunnel",
      .section = "§2.5",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "Strict encryption is combined with a tunnel.",
      .why = "When tunnelling, and where pods and nodes overlap, strict mode must allow the "
             "identities of remote nodes: it does not guarantee encryption.",
      .remedy = "set overlay.enabled: false where every packet must be encrypted",
      .source = "gardener-extension-networking-cilium pkg/charts/utils.go"},
     check_strict},
};

void lint_late_restart(const SwitchInputs& in, RuleReport& report) {
  const Dataplane& before = in.before.dataplane;
  const Dataplane& after = in.after.dataplane;
  if (before.encapsulation != after.encapsulation || before.mode != after.mode ||
      before.routes_by != after.routes_by)
    report.add(
        "cilium's agents restart only with the reconciliation after the one that writes "
        "their configuration: until then new and old agents run side by side");
}

constexpr Check<SwitchInputs> kSwitchLints[] = {
    {{.id = "cilium-rolls-late",
      .section = "§2.5",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "A change of cilium's routing needs a second reconciliation.",
      .why = "The hash that makes the agents restart is computed from the configuration before the "
             "reconciliation.",
      .remedy = "reconcile the shoot once more after the update",
      .source = "gardener-extension-networking-cilium pkg/controller/actuator_reconcile.go"},
     lint_late_restart},
};

using effective::Stage;

void check_forced_off(const LintInputs& in, RuleReport& report) {
  const auto& enabled = in.shoot.spec.shoot.kube_proxy_enabled;
  if (in.shoot.stage == Stage::Create && enabled && enabled->value)
    report.add(*enabled, "admission disables kube-proxy in every new cilium shoot");
}

void check_half_address(const LintInputs& in, RuleReport& report) {
  const auto& host = in.config.api_server_host;
  const auto& port = in.config.api_server_port;
  if (host && !port) report.add(*host, fmt::format("{} has no effect without a port", host->path));
  if (port && !host) report.add(*port, fmt::format("{} has no effect without a host", port->path));
}

void check_external_address(const LintInputs& in, RuleReport& report) {
  if (replaces_kube_proxy(in.shoot) && !gives_api_server(in.config) &&
      in.shoot.spec.shoot.advertised_addresses.empty())
    report.add(
        "without kube-proxy, agents reach the API server by the shoot's advertised address "
        "\"external\"");
}

void check_announcements(const LintInputs& in, RuleReport& report) {
  if (in.config.l2_announcements && in.config.l2_announcements->value &&
      !replaces_kube_proxy(in.shoot))
    report.add(*in.config.l2_announcements, "l2Announcements is on, but so is kube-proxy");
}

void check_mode(const LintInputs& in, RuleReport& report) {
  const auto& mode = in.config.load_balancing_mode;
  if (mode && mode->value != "snat" && !replaces_kube_proxy(in.shoot))
    report.add(*mode, fmt::format("loadBalancingMode {} has no effect while kube-proxy is on",
                                  mode->value));
}

constexpr Check<LintInputs> kServiceLints[] = {
    {{.id = "kube-proxy-forced-off",
      .section = "§2.6",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "A new cilium shoot asks for kube-proxy, which admission disables.",
      .why = "The extension's admission writes kubeProxy.enabled: false into every new shoot, "
             "regardless of the manifest. It can be enabled later.",
      .remedy = "remove kubeProxy.enabled, or enable it after the shoot was created",
      .source = "gardener-extension-networking-cilium pkg/admission/mutator/shoot.go"},
     check_forced_off},
    {{.id = "cilium-half-api-server-address",
      .section = "§6",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "Only one of k8sServiceHost and k8sServicePort is given.",
      .why = "The chart uses them only if both are given; otherwise it uses the shoot's advertised "
             "address.",
      .remedy = "give both, or neither",
      .source = kCharts},
     check_half_address},
    {{.id = "cilium-needs-external-address",
      .section = "§6",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "Without kube-proxy, cilium has no known address of the API server.",
      .why = "The address comes from kubeproxy.k8sServiceHost and k8sServicePort, otherwise from "
             "the shoot's advertised address with the name external in its status. Without one, "
             "reconciliation fails.",
      .remedy = "give both fields where the shoot has no external address",
      .source = kCharts},
     check_external_address},
    {{.id = "l2-announcements-with-kube-proxy",
      .section = "§1.4",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "l2Announcements is enabled although kube-proxy runs.",
      .why = "Cilium announces addresses of services that it translates itself; with kube-proxy it "
             "translates none.",
      .remedy = "set kubeProxy.enabled: false, or remove l2Announcements",
      .source = "Cilium documentation, L2 announcements"},
     check_announcements},
    {{.id = "load-balancing-with-kube-proxy",
      .section = "§6",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "loadBalancingMode is set although kube-proxy runs.",
      .why = "While kube-proxy is on, it handles services from outside and translates the source "
             "address.",
      .remedy = "set kubeProxy.enabled: false, or remove loadBalancingMode",
      .source = kCharts},
     check_mode},
};

bool is_enabled(const Field<bool>& field) {
  return field && field->value;
}

void check_given_up(const LintInputs& in, RuleReport& report) {
  if (!is_enabled(in.config.bpf_masquerade)) return;
  for (const auto& snat : {in.config.snat_to_upstream_dns, in.config.snat_out_of_cluster})
    if (is_enabled(snat))
      report.add(*in.config.bpf_masquerade,
                 fmt::format("enableBPFMasquerade has no effect together with {}", snat->path));
}

void check_ipv6(const LintInputs& in, RuleReport& report) {
  if (is_enabled(in.config.ipv6_masquerade) && !in.shoot.families.has(Family::Ipv6))
    report.add(*in.config.ipv6_masquerade, "the shoot has no IPv6 to masquerade");
}

void check_bpf_ipv6(const LintInputs& in, RuleReport& report) {
  if (is_enabled(in.config.bpf_masquerade) && !in.shoot.families.has(Family::Ipv4))
    report.add(*in.config.bpf_masquerade, "masquerading in eBPF is rendered for IPv4 only");
}

void check_pods_shown(const LintInputs& in, RuleReport& report) {
  if (in.config.ipv4_masquerade && !in.config.ipv4_masquerade->value &&
      in.shoot.families.has(Family::Ipv4))
    report.add(*in.config.ipv4_masquerade,
               "packets leave the cluster with pods' own IPv4 addresses");
}

constexpr Check<LintInputs> kMasqueradeLints[] = {
    {{.id = "bpf-masquerade-given-up",
      .section = "§2.5",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "enableBPFMasquerade is dropped because of snatToUpstreamDNS or snatOutOfCluster.",
      .why = "snatToUpstreamDNS and snatOutOfCluster are iptables rules: with either, the chart "
             "leaves all masquerading to iptables.",
      .remedy = "remove enableBPFMasquerade, or both snat switches",
      .source = kCharts},
     check_given_up},
    {{.id = "masquerade-of-absent-ipv6",
      .section = "§1.4",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "enableIpv6Masquerade is set in a shoot without IPv6.",
      .why = "Without IPv6 among the families it has no effect.",
      .remedy = "remove enableIpv6Masquerade",
      .source = kCharts},
     check_ipv6},
    {{.id = "bpf-masquerade-without-ipv4",
      .section = "§2.5",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "enableBPFMasquerade is set in a shoot without IPv4.",
      .why = "The chart renders it for IPv4 only.",
      .remedy = "remove enableBPFMasquerade",
      .source = kCharts},
     check_bpf_ipv6},
    {{.id = "pods-not-masqueraded",
      .section = "§2.5",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "Pods leave the cluster with their own addresses, not their nodes'.",
      .why = "With enableIpv4Masquerade: false, destinations see pod addresses and need a route to "
             "them; internet gateways usually have none.",
      .remedy = "remove enableIpv4Masquerade: false unless the network routes pods",
      .source = kCharts},
     check_pods_shown},
};

void compare_switch(const LintInputs& in, const Field<bool>& given, Family family,
                    RuleReport& report) {
  const bool written = in.shoot.families.has(family);
  if (given && given->value != written)
    report.add(*given, fmt::format("{} is overwritten with {} because of ipFamilies", given->path,
                                   written));
}

void check_switches(const LintInputs& in, RuleReport& report) {
  compare_switch(in, in.config.ipv4_enabled, Family::Ipv4, report);
  compare_switch(in, in.config.ipv6_enabled, Family::Ipv6, report);
}

void check_operator(const LintInputs& in, RuleReport& report) {
  constexpr std::int64_t kNodesForTwo = 2;
  const auto& workers = in.shoot.spec.shoot.workers;
  if (!workers.empty() && rules::count_nodes(in.shoot.spec.shoot).minimum < kNodesForTwo)
    report.add("spec.provider.workers", workers.front().place,
               "with a minimum of fewer than two nodes, Cilium's operator has one replica");
}

constexpr Check<LintInputs> kAgentLints[] = {
    {{.id = "family-switch-overwritten",
      .section = "§1.4",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "ipv4.enabled or ipv6.enabled contradicts ipFamilies and is overwritten.",
      .why = "The actuator writes both from the shoot's families and discards the user's values.",
      .remedy = "remove ipv4 and ipv6, and set ipFamilies",
      .source = "gardener-extension-networking-cilium pkg/controller/actuator_reconcile.go"},
     check_switches},
    {{.id = "cilium-single-operator",
      .section = "§2.5",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "Cilium's operator has one replica.",
      .why = "It has two replicas where the workers' minimum is two nodes or more. With one, new "
             "nodes and identities wait while it moves.",
      .remedy = "raise a pool's minimum",
      .source = kCharts},
     check_operator},
};

constexpr rules::RuleTable<LintInputs> kLintTables[] = {
    rules::table_of<kTunnelLints>, rules::table_of<kServiceLints>,
    rules::table_of<kMasqueradeLints>, rules::table_of<kEncryptionLints>,
    rules::table_of<kAgentLints>};

}  // namespace

rules::RuleTables<LintInputs> lints() {
  return kLintTables;
}

std::span<const Check<SwitchInputs>> switch_lints() {
  return kSwitchLints;
}

}  // namespace overlane::cilium
