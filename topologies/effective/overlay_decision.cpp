#include "topologies/effective/overlay_decision.h"

#include <string_view>

#include <fmt/format.h>

namespace overlane::effective {
namespace {

std::string written(bool value) {
  return value ? "true" : "false";
}

OverlayDecision as_written(const manifest::Located<manifest::Overlay>& block) {
  OverlayDecision decision;
  const auto& enabled = block.value.enabled;
  decision.enabled = enabled && enabled->value;
  decision.basis =
      enabled ? Provenance{LazyText(enabled->path, enabled->value ? " is true" : " is false"),
                           enabled->place}
              : Provenance{LazyText(block.path, " has no key enabled, which reads as false"),
                           block.place};
  if (const auto& pod_routes = block.value.create_pod_routes) {
    decision.pod_routes = pod_routes->value;
    decision.pod_routes_basis = {
        LazyText(pod_routes->path, pod_routes->value ? " is true" : " is false"),
        pod_routes->place};
  }
  return decision;
}

/// The value that admission writes into a new shoot without overlay key; nothing: no key.
std::optional<bool> written_into_new(const provider::Admission& admission, std::string_view type,
                                     const Landscape& landscape) {
  if (!admission.writes_new_overlay_of(type)) return std::nullopt;
  if (admission.new_overlay != provider::NewOverlay::ByLandscape) return false;
  return type == "calico" ? landscape.openstack_calico_overlay : landscape.openstack_cilium_overlay;
}

OverlayDecision without_key(const provider::Profile& provider, std::string_view type,
                            const Landscape& landscape, Stage stage) {
  const auto written_by_admission = written_into_new(provider.admission, type, landscape);
  if (stage == Stage::Create && written_by_admission)
    return {.enabled = written_by_admission,
            .basis = as_assumed(
                fmt::format("there is no overlay key, and admission of provider {} writes "
                            "overlay.enabled: {} into a new shoot without one",
                            provider.name, written(*written_by_admission)),
                provider.admission.mutator)};
  if (stage == Stage::Live)
    return {.basis = as_assumed("the object is live and has no overlay key, which leaves the "
                                "decision to the network extension's own defaults",
                                "gardener-extension-networking-<name> "
                                "pkg/controller/actuator_reconcile.go")};
  return {.basis = as_assumed(provider.name.empty()
                                  ? "there is no overlay key, and no provider is known that writes "
                                    "one"
                                  : fmt::format("there is no overlay key, and provider {} writes "
                                                "none into a new shoot of this network type",
                                                provider.name),
                              provider.admission.mutator)};
}

}  // namespace

OverlayDecision decide_overlay(const manifest::PodNetworkSpec& spec,
                               const provider::Profile& provider, const Landscape& landscape,
                               Stage stage) {
  const bool admission_runs = stage == Stage::Create || spec.is_changed;
  const auto block = manifest::overlay_of(spec);
  OverlayDecision decision =
      block ? as_written(*block) : without_key(provider, spec.type.value, landscape, stage);
  decision.given = block;
  const bool pod_routes_given = block && block->value.create_pod_routes;
  if (provider.admission.pod_routes_when_routed && admission_runs && decision.enabled == false &&
      !pod_routes_given) {
    decision.pod_routes = true;
    decision.pod_routes_basis =
        as_assumed(fmt::format("admission of provider {} sets overlay.createPodRoutes: true when "
                               "the overlay is off",
                               provider.name),
                   provider.admission.mutator);
  }
  return decision;
}

}  // namespace overlane::effective
