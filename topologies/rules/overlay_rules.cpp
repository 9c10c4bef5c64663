#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "topologies/document/fields/fields.h"
#include "topologies/provider/profile.h"
#include "topologies/rules/lint_conditions.h"
#include "topologies/rules/rule_tables.h"

// Rules about the overlay setting: who decides it if the manifest does not, and shoots without
// overlay for which no controller writes routes to pods.
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
      .remedy =
          "set overlay.enabled: false or leave the overlay block out, or, for a landscape that "
          "admits it, give --set landscape.azure.calico-overlay=true",
      .source = "gardener-extension-provider-azure pkg/apis/azure/validation/shoot.go"},
     check_calico_overlay},
};

}  // namespace

std::span<const Check<NetworkInputs>> overlay_checks() {
  return kOverlayChecks;
}

using effective::CloudRoutes;
using effective::OverlayDecision;
using effective::Provider;
using effective::RouteGap;
using effective::Stage;
namespace {

void check_left_to_admission(const LintInputs& in, RuleReport& report) {
  const OverlayDecision& overlay = in.shoot.overlay;
  if (!overlay.given && overlay.enabled)
    report.add(
        fmt::format("{}; a live shoot without the key has an overlay", overlay.basis.because));
}

void check_live_without_key(const LintInputs& in, RuleReport& report) {
  const OverlayDecision& overlay = in.shoot.overlay;
  if (!overlay.given && in.shoot.stage == Stage::Live && in.shoot.provider.routes.follow_overlay)
    report.add(
        fmt::format("the live object has no overlay key: provider {} treats its overlay as on and "
                    "writes no routes, and the network extension uses its own defaults",
                    in.shoot.provider.name));
}

void check_routes_missing(const LintInputs& in, RuleReport& report) {
  const effective::Reason* why = unwritten_routes(in.dataplane);
  const RouteGap gap = in.dataplane.dataplane.route_gap;
  // Other rules cover these gaps.
  if (why == nullptr || gap == RouteGap::PodsInSubnet || gap == RouteGap::BetweenSubnets) return;
  report.add(
      fmt::format("pods are routed (row {}), but {}", in.dataplane.row, why->because.to_string()),
      remedy_of(gap, in.shoot.stage));
}

void check_between_subnets(const LintInputs& in, RuleReport& report) {
  const effective::Reason* why = unwritten_routes(in.dataplane);
  if (why != nullptr && in.dataplane.dataplane.route_gap == RouteGap::BetweenSubnets)
    report.add(why->because.to_string(), remedy_of(RouteGap::BetweenSubnets, in.shoot.stage));
}

void check_silent_migration(const LintInputs& in, RuleReport& report) {
  const NetworkInputs& shoot = in.shoot;
  if (shoot.provider.admission.new_overlay != provider::NewOverlay::ByLandscape ||
      shoot.stage != Stage::Live || shoot.overlay.given)
    return;
  const bool written = shoot.spec.type.value == "cilium" ? shoot.landscape.openstack_cilium_overlay
                                                         : shoot.landscape.openstack_calico_overlay;
  if (!written)
    report.add(
        "the live shoot has no overlay key, and the landscape's flag is false: the next "
        "change of its spec switches the overlay off");
}

void check_pod_routes_unused(const LintInputs& in, RuleReport& report) {
  const auto& block = in.shoot.overlay.given;
  if (block && in.shoot.overlay.enabled == true && block->value.create_pod_routes &&
      block->value.create_pod_routes->value)
    report.add(*block->value.create_pod_routes,
               "createPodRoutes has no effect while the overlay is on");
}

void check_snat_forced_off(const LintInputs& in, RuleReport& report) {
  const document::Value given =
      in.shoot.spec.provider_config.root()["snatToUpstreamDNS"]["enabled"];
  if (in.shoot.admission_runs() &&
      in.shoot.provider.admission.forces_dns_snat_off(in.shoot.spec.type.value) &&
      in.shoot.overlay.enabled == false && given.as_bool() == true)
    report.add(given.path(), given.place(),
               fmt::format("admission of provider {} sets {} to false without an overlay",
                           in.shoot.provider.name, given.path()));
}

/// The provider whose name is close to a misspelt one; empty if there is none.
std::string_view meant_provider(std::string_view name) {
  // gardener-extension-provider-onmetal is not modelled, and its name is no misspelling of metal.
  constexpr std::string_view kOnMetal = "onmetal";
  std::vector<std::string_view> names{kOnMetal};
  for (const provider::Profile* profile : provider::profiles())
    names.push_back(profile->name);
  const std::string_view meant = document::closest(name, names);
  return meant == kOnMetal ? "" : meant;
}

void check_provider_spelling(const LintInputs& in, RuleReport& report) {
  const auto& provider = in.shoot.spec.shoot.provider;
  if (in.shoot.provider.is_known() || !provider) return;
  const std::string_view meant = meant_provider(provider->value);
  if (!meant.empty())
    report.add(*provider,
               fmt::format("provider {} is not known: no cloud's defaults and rules are applied",
                           provider->value),
               fmt::format("did you mean {}?", meant));
}

void check_provider_known(const LintInputs& in, RuleReport& report) {
  const auto& provider = in.shoot.spec.shoot.provider;
  if (!in.shoot.provider.is_known() && provider && meant_provider(provider->value).empty())
    report.add(*provider, fmt::format("provider {} is not modelled: Overlane assumes that its "
                                      "admission writes nothing and its network is Ethernet",
                                      provider->value));
}

constexpr const char* kMutator =
    "gardener-extension-provider-<name> pkg/admission/mutator/shoot.go";
constexpr const char* kHelper =
    "gardener-extension-provider-<name> pkg/utils/networking/overlay.go";

constexpr Check<LintInputs> kOverlayLints[] = {
    {{.id = "overlay-left-to-admission",
      .section = "§2.6",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "A new shoot leaves the overlay to admission.",
      .why = "Without the key overlay.enabled, the provider's admission writes one, by rules that "
             "differ between providers and landscapes. The same manifest of a live shoot means the "
             "opposite on most clouds.",
      .remedy = "write overlay.enabled: true or false",
      .source = kMutator},
     check_left_to_admission},
    {{.id = "overlay-key-absent-live",
      .section = "§2.6",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "A live shoot has no key overlay.enabled.",
      .why = "The provider treats a missing key as true, calico as \"no decision\".",
      .remedy = "write overlay.enabled: true to keep what the shoot has",
      .source = kHelper},
     check_live_without_key},
    {{.id = "routed-without-cloud-routes",
      .section = "§2.6",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "A shoot is routed, but no controller writes the cloud's routes to its pods.",
      .why = "aws, gcp and openstack write routes only if overlay.enabled is false, not if a "
             "backend, mode or tunnel alone disables the tunnel. On aws a live shoot's controller "
             "runs only if its ControlPlane has useCustomRouteController: true. On stackit the "
             "controller is part of the cloud controller manager openstack, which the "
             "controlPlaneConfig must name, and calico's backend bird switches it off. On hcloud "
             "only private pod ranges (RFC 1918) get routes. Pods on different nodes cannot reach "
             "each other.",
      .remedy = "write overlay.enabled, or use an overlay",
      .source = kHelper},
     check_routes_missing},
    {{.id = "no-route-between-subnets",
      .section = "T6",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "Nodes of several subnets have only their own routes to each other's pods.",
      .why = "A node's route names another node as next hop, which must be a neighbour: a node of "
             "another subnet is none. Without a controller that writes the network's routes, pods "
             "reach nodes of their own subnet only.",
      .remedy = "set overlay.enabled: true, put all workers into one subnet, or have the routers "
                "between the subnets get a route to each node's pod CIDR",
      .source = "cilium/cilium issue 24618; cilium/cilium issue 31124"},
     check_between_subnets},
    {{.id = "openstack-silent-migration",
      .section = "§2.6",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "A spec change switches off the overlay of a live OpenStack shoot.",
      .why = "Where the landscape's flag is false, admission writes overlay.enabled: false and "
             "createPodRoutes: true into a shoot without the key at any change of its spec: an "
             "unintended migration.",
      .remedy = "write overlay.enabled: true, or prepare for the migration",
      .source = "gardener-extension-provider-openstack pkg/admission/mutator/shoot.go"},
     check_silent_migration},
    {{.id = "pod-routes-without-effect",
      .section = "§1.3",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "createPodRoutes is set although the shoot has an overlay.",
      .why = "The network extensions read it only where overlay.enabled is false.",
      .remedy = "remove createPodRoutes",
      .source = "gardener-extension-networking-calico pkg/controller/actuator_reconcile.go"},
     check_pod_routes_unused},
    {{.id = "snat-forced-off",
      .section = "§2.6",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "Admission disables snatToUpstreamDNS for this routed shoot.",
      .why = "Admission overwrites the switch with false: queries to the nodes' nameservers have "
             "pod addresses.",
      .remedy = "remove snatToUpstreamDNS",
      .source = kMutator},
     check_snat_forced_off},
    {{.id = "provider-not-known",
      .section = "§2.6",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "Overlane does not model this provider.",
      .why = "A provider's admission and network rules affect the result. For this provider, none "
             "are applied.",
      .remedy = "compare the results with the provider's documents",
      .source = "topologies/provider"},
     check_provider_known},
    {{.id = "provider-misspelt",
      .section = "§2.6",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "The provider's name is close to a known one.",
      .why = "The defaults, limits and rules of a provider are applied by its name. For an unknown "
             "name, none are applied.",
      .remedy = "correct spec.provider.type",
      .source = "topologies/provider"},
     check_provider_spelling},
};

}  // namespace

const effective::Reason* unwritten_routes(const effective::EffectiveDataplane& shoot) {
  if (shoot.opaque || shoot.dataplane.cloud_routes != CloudRoutes::NotWritten) return nullptr;
  const auto why =
      std::ranges::find(shoot.reasons, "dataplane.cloud_routes", &effective::Reason::field);
  return why == shoot.reasons.end() ? nullptr : &*why;
}

const char* remedy_of(RouteGap gap, Stage stage) {
  switch (gap) {
    case RouteGap::OverlayKey:
      return "write overlay.enabled: false";
    case RouteGap::RouteController:
      return "if this file is an edit that is not applied yet, use --patch on the stored file, or "
             "check --update; otherwise change the shoot's spec in the garden: admission then sets "
             "useCustomRouteController by the overlay, and the next reconciliation starts the "
             "controller";
    case RouteGap::BirdBackend:
      return "set overlay.createPodRoutes: true, with which BIRD writes routes to the pods, or "
             "overlay.enabled: true";
    case RouteGap::CloudManager:
      return "set overlay.enabled: true, or cloudControllerManager.name: openstack in the "
             "controlPlaneConfig";
    case RouteGap::PodRange:
    case RouteGap::PodsInSubnet:
      if (stage == Stage::Live) return "set overlay.enabled: true: the pod range cannot change";
      return gap == RouteGap::PodRange
                 ? "choose pods of RFC 1918, such as 10.96.0.0/11, or set overlay.enabled: true"
                 : "choose another range for pods or for the subnet";
    case RouteGap::BetweenSubnets:
      return "set overlay.enabled: true, put all workers into one subnet, or have the routers "
             "between the subnets get a route to each node's pod CIDR";
    case RouteGap::NoController:
    case RouteGap::None:
      break;
  }
  return "set overlay.enabled: true";
}

std::span<const Check<LintInputs>> overlay_lints() {
  return kOverlayLints;
}

}  // namespace overlane::rules
