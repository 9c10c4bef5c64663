#include <fmt/format.h>

#include "topologies/rules/subject_tables.h"

namespace overlane::rules {

using effective::NetworkInputs;
using effective::Provider;
using provider::Ipv6Rule;
namespace {

constexpr const char* kShootValidator =
    "gardener-extension-provider-<name> pkg/apis/<name>/validation/shoot.go";

bool has_ipv6(const NetworkInputs& in) {
  return in.families.has(Family::Ipv6);
}

void check_ipv6_supported(const NetworkInputs& in, RuleReport& report) {
  if (!has_ipv6(in)) return;
  const bool single = !in.families.is_dual_stack();
  if (in.provider.admission.ipv6 == Ipv6Rule::Forbidden ||
      (single && in.provider.admission.ipv6 == Ipv6Rule::DualOnly))
    report.add(*in.spec.ip_families,
               fmt::format("provider {} does not support {}", in.provider.name,
                           single ? "IPv6-only shoots" : "dual-stack shoots"));
}

void check_ipv6_routed(const NetworkInputs& in, RuleReport& report) {
  if (has_ipv6(in) && in.provider.admission.ipv6_needs_routed && in.overlay.enabled != false)
    report.add(
        *in.spec.ip_families,
        fmt::format("provider {} admits IPv6 only with overlay.enabled: false", in.provider.name));
}

void check_openstack_networks(const NetworkInputs& in, RuleReport& report) {
  if (!in.provider.infrastructure.dual_stack_needs_networks || !in.families.is_dual_stack() ||
      in.spec.shoot.infrastructure.ipv6_networks)
    return;
  report.add(*in.spec.ip_families,
             "the shoot is dual-stack, but its infrastructureConfig has no networks.ipv6");
}

constexpr Check<NetworkInputs> kFamilyChecks[] = {
    {{.id = "provider-without-ipv6",
      .section = "§2.6",
      .title = "The provider does not support the shoot's IP families.",
      .why = "azure knows neither IPv6-only nor dual-stack shoots, gcp and openstack no IPv6-only "
             "ones; their admission refuses them.",
      .remedy = "use ipFamilies: [IPv4]",
      .source = kShootValidator},
     check_ipv6_supported},
    {{.id = "ipv6-with-overlay",
      .section = "§2.6",
      .title = "A shoot with IPv6 has an overlay, which AWS and GCP refuse.",
      .why = "Their validators demand the key overlay.enabled with the value false as soon as "
             "IPv6 is among the families.",
      .remedy = "set overlay.enabled: false",
      .source = kShootValidator},
     check_ipv6_routed},
    {{.id = "openstack-dual-stack-networks",
      .section = "§4.5",
      .title = "A dual-stack OpenStack shoot does not say where its IPv6 ranges come from.",
      .why = "The provider's validator demands networks.ipv6, with a subnet pool or with ranges.",
      .remedy = "give networks.ipv6 in the infrastructureConfig",
      .source = "gardener-extension-provider-openstack pkg/apis/openstack/validation/shoot.go"},
     check_openstack_networks},
};

}  // namespace

std::span<const Check<NetworkInputs>> family_checks() {
  return kFamilyChecks;
}

}  // namespace overlane::rules
