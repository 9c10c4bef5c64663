#include "topologies/effective/network_inputs.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

namespace overlane::effective {

namespace {

using Sharing = RoutingDomain::Sharing;
using manifest::PodNetworkSpec;

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

constexpr const char* kKubeProxyDefault =
    "gardener/gardener pkg/apis/core/v1beta1/defaults_shoot.go";

struct ModeRow {
  std::string_view word;
  ServiceRouting routing;
};

constexpr ModeRow kModes[] = {{"IPTables", ServiceRouting::KubeProxyIptables},
                              {"IPVS", ServiceRouting::KubeProxyIpvs},
                              {"NFTables", ServiceRouting::KubeProxyNftables}};

Provenance own_network(const provider::Profile& provider) {
  return as_assumed("the manifest names no existing network, so the shoot gets its own",
                    provider.node_subnets.source);
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

Decided<ServiceRouting> kube_proxy_routing(const manifest::ShootSpec& shoot) {
  if (!shoot.kube_proxy_mode)
    return {ServiceRouting::KubeProxyIptables,
            as_assumed("kubeProxy.mode is not given; Gardener's default is IPTables",
                       kKubeProxyDefault)};
  const auto* row = std::ranges::find(kModes, shoot.kube_proxy_mode->value, &ModeRow::word);
  return {row->routing, as_given(*shoot.kube_proxy_mode)};
}

std::optional<std::uint32_t> other_link_mtu(const PodNetworkSpec& spec,
                                            const provider::Profile& provider, Stage stage,
                                            const Decided<std::uint32_t>& link_mtu) {
  const std::uint32_t customized = provider.machines.customized_mtu;
  if (customized == 0 || stage != Stage::Live || !link_mtu.basis.assumed ||
      spec.shoot.infrastructure.mtu_customizer)
    return std::nullopt;
  return customized;
}

Decided<std::uint32_t> decide_link_mtu(const PodNetworkSpec& spec,
                                       const provider::Profile& provider,
                                       const Landscape& landscape, Stage stage) {
  const manifest::Infrastructure& infrastructure = spec.shoot.infrastructure;
  if (spec.shoot.link_mtu)
    return {static_cast<std::uint32_t>(spec.shoot.link_mtu->value), as_given(*spec.shoot.link_mtu)};
  if (infrastructure.mtu)
    return {static_cast<std::uint32_t>(infrastructure.mtu->value), as_given(*infrastructure.mtu)};
  if (provider.machines.customized_mtu != 0 && infrastructure.mtu_customizer &&
      infrastructure.mtu_customizer->value)
    return {provider.machines.customized_mtu,
            {fmt::format("{} sets every NIC to {}", infrastructure.mtu_customizer->path,
                         provider.machines.customized_mtu),
             infrastructure.mtu_customizer->place}};
  if (landscape.link_mtu)
    return {*landscape.link_mtu, {"the landscape's settings say so", "landscape.link-mtu"}};
  Decided<std::uint32_t> usual{
      provider.fabric.link_mtu,
      as_assumed(
          provider.name.empty()
              ? fmt::format("no document says; {} is the usual MTU", provider.fabric.link_mtu)
              : fmt::format("no document says; {} is the usual MTU of provider {}",
                            provider.fabric.link_mtu, provider.name),
          provider.fabric.link_mtu_source)};
  if (const auto other = other_link_mtu(spec, provider, stage, usual))
    usual.basis.because += fmt::format(
        ", but {} if enableMTUCustomizer is on, which the live object does not set", *other);
  return usual;
}

Decided<RoutingDomain> decide_routing_domain(const PodNetworkSpec& spec,
                                             const provider::Profile& provider) {
  const manifest::ShootSpec& shoot = spec.shoot;
  const manifest::Infrastructure& infrastructure = shoot.infrastructure;
  const bool own_table =
      infrastructure.custom_route_table && infrastructure.custom_route_table->value;
  RoutingDomain domain{.scope = own_table ? RoutingDomain::Scope::Table : provider.fabric.scope};
  domain.key = shoot.provider ? shoot.provider->value : "unknown";
  if (!provider.fabric.one_network.empty()) {
    domain.key += "/host";
    domain.sharing = Sharing::Sure;
    return {domain, as_assumed("all shoots of this provider share the network of its machine",
                               provider.fabric.one_network)};
  }
  const bool named = infrastructure.network_id.has_value();
  const auto& network = named ? infrastructure.network_id : infrastructure.observed.network_id;
  if (!network) {
    domain.key.append("/shoot/").append(spec.object.qualified());
    return {domain, own_network(provider)};
  }
  const auto& resources =
      named ? infrastructure.resource_group : infrastructure.observed.resource_group;
  if (resources) domain.key.append("/").append(resources->value);
  domain.key.append("/").append(network->value);
  domain.sharing = provider.fabric.network_id_is_unique ? Sharing::Sure : Sharing::Possible;
  Provenance basis = as_given(*network);
  basis.because = provider.fabric.network_id_is_unique
                      ? "every shoot that names this id is in the same network"
                      : "shoots that name this network share it if project or subscription are the "
                        "same, which no manifest shows";
  return {domain, std::move(basis)};
}

}  // namespace overlane::effective
