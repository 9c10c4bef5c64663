#include <fmt/format.h>

#include "topologies/cni/cilium/config.h"
#include "topologies/cni/cilium/dataplane.h"
#include "topologies/cni/cilium/rule_tables.h"
#include "topologies/rules/lint_conditions.h"

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

/// An older release of the chart may have rendered it; a new shoot is refused (rule_tables.cpp).
void check_live_dsr(const LintInputs& in, RuleReport& report) {
  if (in.shoot.stage == effective::Stage::Live && lacks_native_cidr_for_dsr(in.config, in.shoot) &&
      in.dataplane.dataplane.mode == Mode::Routed)
    report.add(*in.config.load_balancing_mode,
               "the live shoot has loadBalancingMode dsr without a native routing CIDR: its next "
               "reconciliation fails");
}

/// Native routing that the manifest itself asks for; admission that writes the tunnel writes the
/// CIDR too.
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
      report.add(*given, fmt::format("{} is overwritten with {} because of the overlay",
                                     given->path, !given->value));
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

}  // namespace

std::span<const Check<LintInputs>> tunnel_lints() {
  return kTunnelLints;
}

std::span<const Check<LintInputs>> encryption_lints() {
  return kEncryptionLints;
}

std::span<const Check<SwitchInputs>> switch_lints() {
  return kSwitchLints;
}

}  // namespace overlane::cilium
