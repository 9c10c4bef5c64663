#include <fmt/format.h>

#include "topologies/rules/subject_tables.h"

namespace overlane::rules {

using effective::NetworkInputs;
using provider::NewOverlay;
namespace {

void check_overlay_enabled(const NetworkInputs& in, RuleReport& report) {
  const auto& block = in.overlay.given;
  if (block && !block->value.enabled && in.provider.admission.new_overlay != NewOverlay::Untouched)
    report.add(*block, fmt::format("admission of provider {} fails on an overlay block without "
                                   "the key enabled",
                                   in.provider.name));
}

void check_calico_overlay(const NetworkInputs& in, RuleReport& report) {
  const auto& block = in.overlay.given;
  if (in.spec.type.value != "calico" || !block || !block->value.enabled ||
      !block->value.enabled->value || in.provider.admission.calico_overlay_refused_by.empty() ||
      in.landscape.azure_calico_overlay)
    return;
  report.add(
      *block->value.enabled,
      fmt::format(
          "provider {} does not admit calico with an overlay: its validator refuses every one ({})",
          in.provider.name, in.provider.admission.calico_overlay_refused_by.text()));
}

constexpr Check<NetworkInputs> kOverlayChecks[] = {
    {{.id = "overlay-without-enabled",
      .section = "§2.6",
      .title = "An overlay block has no key enabled.",
      .why = "The network extensions read an empty overlay block as false, but the providers' "
             "admission requires the key and fails.",
      .remedy = "write overlay.enabled: true or false",
      .source = "gardener-extension-provider-<name> pkg/admission/mutator/shoot.go"},
     check_overlay_enabled},
    {{.id = "calico-overlay-on-azure",
      .section = "§2.6",
      .title = "A calico shoot on Azure has an overlay.",
      .why = "Azure's network drops IP protocol 4, and the provider's validator refuses every "
             "calico shoot with overlay.enabled: true. Newer releases admit it: see the "
             "landscape setting azure.calico-overlay.",
      .remedy = "set overlay.enabled: false or leave the overlay block out",
      .source = "gardener-extension-provider-azure pkg/apis/azure/validation/shoot.go"},
     check_calico_overlay},
};

}  // namespace

std::span<const Check<NetworkInputs>> overlay_checks() {
  return kOverlayChecks;
}

}  // namespace overlane::rules
