#include <algorithm>

#include <fmt/format.h>

#include "topologies/cni/calico/rule_tables.h"
#include "topologies/cni/calico/sources.h"

namespace overlane::calico {
namespace {

using rules::Check;
using rules::Enforcer;
using rules::RuleReport;

bool is_ipv4_only(const LintInputs& in) {
  return !in.shoot.families.has(Family::Ipv6);
}

void check_backend(const LintInputs& in, RuleReport& report) {
  const std::string_view effective = to_string(in.dataplane.dataplane.backend);
  if (in.config.backend && in.shoot.overlay.enabled && in.config.backend->value != effective)
    report.add(*in.config.backend,
               fmt::format("backend {} is overwritten with {} because of the overlay",
                           in.config.backend->value, effective));
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
    report.add(mode, fmt::format("ipv4.mode {} is overwritten with {} because of the overlay",
                                 mode.value, effective));
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

std::span<const Check<LintInputs>> overwritten_lints() {
  return kOverwrittenLints;
}

}  // namespace overlane::calico
