#include <fmt/format.h>

#include "topologies/effective/rule_tables.h"
#include "topologies/manifest/network_config.h"

namespace overlane::effective {
namespace {

bool has_ipv6(const NetworkInputs& in) {
  return in.families.has(Family::Ipv6);
}

void check_ipv6_supported(const NetworkInputs& in, RuleReport& report) {
  if (!has_ipv6(in)) return;
  const bool single = !in.families.is_dual_stack();
  if (in.rules.ipv6 == Ipv6Rule::Forbidden || (single && in.rules.ipv6 == Ipv6Rule::DualOnly))
    report.add(*in.spec.ip_families,
               fmt::format("provider {} does not support {}", in.rules.name,
                           single ? "IPv6-only shoots" : "dual-stack shoots"));
}

void check_ipv6_routed(const NetworkInputs& in, RuleReport& report) {
  if (has_ipv6(in) && in.rules.ipv6_needs_routed && in.overlay.enabled != false)
    report.add(
        *in.spec.ip_families,
        fmt::format("provider {} admits IPv6 only with overlay.enabled: false", in.rules.name));
}

void check_overlay_enabled(const NetworkInputs& in, RuleReport& report) {
  const auto block = manifest::read_overlay(in.spec.provider_config.root());
  if (block && !block->value.enabled && in.rules.new_overlay != NewOverlay::Untouched)
    report.add(*block, fmt::format("admission of provider {} fails on an overlay block without "
                                   "the key enabled",
                                   in.rules.name));
}

void check_calico_overlay(const NetworkInputs& in, RuleReport& report) {
  const auto block = manifest::read_overlay(in.spec.provider_config.root());
  if (in.spec.type.value != "calico" || !block || !block->value.enabled ||
      !block->value.enabled->value || in.rules.calico_overlay_refused_by.empty() ||
      in.landscape.azure_calico_overlay)
    return;
  report.add(*block->value.enabled,
             fmt::format("provider {} does not admit calico with an overlay: its validator "
                         "refuses every one ({})",
                         in.rules.name, in.rules.calico_overlay_refused_by));
}

constexpr Check<NetworkInputs> kChecks[] = {
    {{.id = "provider-without-ipv6",
      .section = "§2.6",
      .title = "The provider supports the shoot's IP families.",
      .why = "azure knows neither IPv6-only nor dual-stack shoots, gcp and openstack no IPv6-only "
             "ones; their admission refuses them.",
      .remedy = "use ipFamilies: [IPv4]",
      .source = "gardener-extension-provider-<name> pkg/apis/<name>/validation/shoot.go"},
     check_ipv6_supported},
    {{.id = "ipv6-with-overlay",
      .section = "§2.6",
      .title = "On aws and gcp a shoot with IPv6 is routed.",
      .why = "Their validators demand the key overlay.enabled with the value false as soon as "
             "IPv6 is among the families.",
      .remedy = "set overlay.enabled: false",
      .source = "gardener-extension-provider-<name> pkg/apis/<name>/validation/shoot.go"},
     check_ipv6_routed},
    {{.id = "overlay-without-enabled",
      .section = "§2.6",
      .title = "An overlay block has the key enabled.",
      .why = "The network extensions read an empty overlay block as false, but the providers' "
             "admission takes the key for granted and fails.",
      .remedy = "write overlay.enabled: true or false",
      .source = "gardener-extension-provider-<name> pkg/admission/mutator/shoot.go"},
     check_overlay_enabled},
    {{.id = "calico-overlay-on-azure",
      .section = "§2.6",
      .title = "On azure calico runs without an overlay.",
      .why = "Azure's network drops IP protocol 4, and the provider's validator refuses every "
             "calico shoot with overlay.enabled: true. Newer releases admit it: see the "
             "landscape setting azure.calico-overlay.",
      .remedy = "set overlay.enabled: false or leave the overlay block out",
      .source = "gardener-extension-provider-azure pkg/apis/azure/validation/shoot.go"},
     check_calico_overlay},
};

}  // namespace

std::span<const Check<NetworkInputs>> provider_checks() {
  return kChecks;
}

}  // namespace overlane::effective
